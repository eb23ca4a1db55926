// Package stacks wires the components into whole stacks: typed config in, components, typed outputs
// out. The same Run serves `pulumi up` and the CLI.
package stacks

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"gopkg.in/yaml.v3"
)

// ProjectName is the name of the Pulumi project under which every stack is kept, and the namespace of
// its config.
const ProjectName = "hypershift-aws"

// Run is the Pulumi program: it reads the stack's config and registers what its kind asks for. Files that
// the config names are relative to the project's folder of stack files.
func Run(ctx *pulumi.Context) error {
	return RunIn(stackDir(ctx.RootDirectory()))(ctx)
}

// RunIn is Run with the files that the config names relative to dir.
func RunIn(dir string) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error { return run(ctx, dir) }
}

func run(ctx *pulumi.Context, dir string) error {
	region, err := aws.GetRegion(ctx, &aws.GetRegionArgs{})
	if err != nil {
		return fmt.Errorf("asking the AWS provider for its region: %w; set aws:region in %s", err, FileName(ctx.Stack()))
	}
	config, err := readConfig(ctx, dir, region.Name)
	if err != nil {
		return err
	}
	if config.Kind == KindManagement {
		return runManagement(ctx, config.Management)
	}
	return runCluster(ctx, region.Name, config.Cluster)
}

// readConfig reads and checks the config that the engine has for the stack.
func readConfig(ctx *pulumi.Context, dir, region string) (*Config, error) {
	file := FileName(ctx.Stack())
	values := map[string]*yaml.Node{}
	if kind, ok := ctx.GetConfig(kindKey); ok {
		values[kindKey] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: kind}
	}
	for _, key := range []string{managementKey, clusterKey} {
		text, ok := ctx.GetConfig(key)
		if !ok {
			continue
		}
		node, err := parseYAML([]byte(text))
		if err != nil {
			return nil, placed(err, file, nil)
		}
		values[key] = node
	}
	config, err := newConfig(source{stack: ctx.Stack(), dir: dir, region: region, values: values})
	return config, placed(err, file, nil)
}
