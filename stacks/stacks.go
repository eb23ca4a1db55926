// Package stacks composes the components into whole stacks, with typed configs and typed outputs. The same Run serves
// `pulumi up` and the CLI.
package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/outputs"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Run is the Pulumi program: it reads the stack's config and registers the resources of its kind. Files that
// the config names are relative to the project's folder of stack files.
func Run(ctx *pulumi.Context) error {
	return RunIn(config.StackDir(ctx.RootDirectory()))(ctx)
}

// RunIn is Run with the files that the config names relative to dir.
func RunIn(dir string) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error { return run(ctx, dir) }
}

func run(ctx *pulumi.Context, dir string) error {
	region, err := location.LookupRegion(ctx)
	if err != nil {
		return err
	}
	read, err := readConfig(ctx, dir, region)
	if err != nil {
		return err
	}
	place := placement{origin: config.OriginOf(dir, ctx.Stack()), accounts: map[pulumi.ProviderResource]string{}}
	var exported any
	switch read.Kind {
	case config.KindManagement:
		exported, err = runManagement(ctx, place, read.Management)
	case config.KindCAPA:
		exported, err = runCAPA(ctx, place, region, read.CAPA)
	case config.KindCluster:
		exported, err = runCluster(ctx, place, region, read.Cluster)
	}
	if err != nil {
		return err
	}
	for name, value := range outputs.Of(exported) {
		ctx.Export(name, value)
	}
	return nil
}

// readConfig reads and checks the config that the engine has for the stack.
func readConfig(ctx *pulumi.Context, dir, region string) (*config.Config, error) {
	file := config.FileName(ctx.Stack())
	values := map[string]*yaml.Node{}
	if kind, ok := ctx.GetConfig(config.KindKey); ok {
		values[config.KindKey] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: kind}
	}
	for _, key := range config.SectionKeys() {
		text, ok := ctx.GetConfig(key)
		if !ok {
			continue
		}
		node, err := config.ParseYAML([]byte(text))
		if err != nil {
			return nil, config.Placed(err, file, nil)
		}
		values[key] = node
	}
	read, err := config.New(config.Source{Stack: ctx.Stack(), Dir: dir, Region: region, Values: values})
	return read, config.Placed(err, file, nil)
}
