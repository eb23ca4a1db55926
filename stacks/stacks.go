// Package stacks composes the components into whole stacks, with typed configs and typed outputs. The same Run serves
// `pulumi up` and the CLI.
package stacks

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Run is the Pulumi program: it reads the stack's config and registers the resources of its kind. Files that the config
// names are relative to the project's folder of stack files. It registers nothing and returns a NewerError if a newer
// Version has updated the stack.
func Run(ctx *pulumi.Context) error {
	return Options{}.Run(ctx)
}

// RunIn is Run with the files that the config names relative to dir.
func RunIn(dir string) pulumi.RunFunc {
	return Options{Dir: dir}.Run
}

// Options are the options with which a program starts.
type Options struct {
	// Dir is the folder of the files that the config names. Default: the project's folder of stack files.
	Dir string
	// ClusterUID reads which management cluster a kubeconfig selects, so that a stack records it and refuses another one.
	// Default: none is recorded.
	ClusterUID ClusterUID
	// Identified compares the management cluster with the objects in the stack's last state. Default: only ClusterUID is
	// compared.
	Identified Identified
	// Account compares the account of the stack's own credentials with the stack's last state. Default: it is not
	// compared.
	Account Account
	// UnreadReported is true if the caller reports that the management cluster cannot be read. Default: a preview warns of
	// it, once.
	UnreadReported bool
	// Live reads the stack's hosted cluster from its management cluster, so that changes are staged (see
	// hostedcluster.Live). Default: not read.
	Live Live
	// ReleaseVersions reads the versions of release images that Live does not know: those of digests. Default: checks of
	// such a release are not made, and a preview names them.
	ReleaseVersions func(ctx context.Context, releases config.Releases) map[string]string
	// StoredVersions reads the versions in which a management cluster stores objects, so that a render of its operator
	// that lacks one is refused. Default: not read.
	StoredVersions StoredVersions
	// Secrets are the secrets in the config of a stack without a file. Default: none.
	Secrets config.Secrets
	// Held and Unpreviewed are passed to hostedcluster.Args.
	Held        map[string][]string
	Unpreviewed []string
	// Alive returns why the cluster of a stack may be alive, "" if it certainly no longer exists. A destroy that runs the
	// program is refused until then. Default: it is always refused.
	Alive func(ctx context.Context, of Dependent) (why string)
	// Guard returns the guard of an update with a config. It is called before the program registers anything. Default: no
	// update is checked. Package program has the CLI's guard.
	Guard func(*config.Config) Guard
}

// Run is the Pulumi program with these options.
func (o Options) Run(ctx *pulumi.Context) error {
	dir := o.Dir
	if dir == "" {
		dir = stackDir(ctx.RootDirectory())
	}

	last, err := lastOutputs(ctx)
	if err != nil {
		return err
	}
	region, err := location.LookupRegion(ctx)
	if err != nil {
		return err
	}
	read, err := readConfig(ctx, dir, region, o.Secrets)
	if err != nil {
		return err
	}
	g, err := o.newGuard(ctx, read, nil)
	if err != nil {
		return err
	}
	place := newPlacement(o, nil, []pulumi.ResourceOption{keepOthers(ctx), g.option()})
	place.region, place.origin = region, readOrigin(dir, ctx.Stack())
	exported, err := registerStack(ctx, place, read)
	if err := g.end(err); err != nil {
		return err
	}
	for name, value := range outputs.Collect(exported) {
		ctx.Export(name, value)
	}
	ctx.Export(VersionOutput, pulumi.String(MinorVersion))
	if uses := last[ConsentsOutput]; uses != nil {
		ctx.Export(ConsentsOutput, pulumi.ToOutput(uses))
	}
	return nil
}

// registerStack compares the account and the management cluster with the last update's, and then registers what a
// stack's config describes.
func registerStack(ctx *pulumi.Context, at placement, read *config.Config) (outputs any, err error) {
	if err := at.compareAccount(ctx, read.Kind); err != nil {
		return nil, err
	}
	if err := at.recordManagementCluster(ctx, read.Kind, read.ManagementCluster()); err != nil {
		return nil, err
	}
	if err := warnOfNoEffect(ctx, at.origin, read); err != nil {
		return nil, err
	}
	return runKind(ctx, at, read.Kind, read.Section)
}

// warnOfNoEffect names in a preview what the config describes without effect.
func warnOfNoEffect(ctx *pulumi.Context, origin origin, read *config.Config) error {
	if !ctx.DryRun() {
		return nil
	}
	for _, f := range fault.In(origin.placed(read.NoEffect().Err())) {
		if err := ctx.Log.Warn(f.Error(), nil); err != nil {
			return err
		}
	}
	return nil
}

// ConsentsOutput is the output with the uses of flags that allowed what the CLI refuses. The CLI adds to it, and every
// program keeps it.
const ConsentsOutput = "consents"

// readConfig reads and checks the config that the engine has for the stack.
func readConfig(ctx *pulumi.Context, dir, region string, secrets config.Secrets) (*config.Config, error) {
	file := config.FileName(ctx.Stack())
	var sections []string
	for _, kind := range Kinds().Names() {
		sections = append(sections, kind.Key())
	}
	values, err := sharedValues(ctx, sections...)
	if err != nil {
		return nil, err
	}
	if kind, ok := ctx.GetConfig(config.KindKey); ok {
		values[config.KindKey] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: kind}
	}
	read, err := Kinds().New(config.Source{Stack: ctx.Stack(), Dir: dir, Region: region, Values: values, Secrets: secrets})
	return read, yamlfile.Locate(err, file, nil)
}

// sharedValues returns the values of the given keys in the stack's config, and of the keys that stacks of every kind
// have.
func sharedValues(ctx *pulumi.Context, keys ...string) (map[string]*yaml.Node, error) {
	for _, shared := range config.Shared() {
		keys = append(keys, shared.Key)
	}
	values := map[string]*yaml.Node{}
	for _, key := range keys {
		text, ok := ctx.GetConfig(key)
		if !ok {
			continue
		}
		node, err := yamlfile.Parse([]byte(text))
		if err != nil {
			return nil, yamlfile.Locate(err, config.FileName(ctx.Stack()), nil)
		}
		values[key] = node
	}
	return values, nil
}
