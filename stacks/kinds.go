package stacks

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Kind is a kind of stack: its section in the stack's file, and its program.
type Kind struct {
	config.Definition
	// run registers the resources of a section, and returns a pointer to the struct with the stack's outputs.
	run func(ctx *pulumi.Context, at placement, section config.Section) (any, error)
}

// sectionPointer is a pointer to the struct that a section is decoded into.
type sectionPointer[T any] interface {
	*T
	config.Section
}

// newKind returns a kind by its name, the remedy for a missing section, and its program.
func newKind[S sectionPointer[T], O, T any](
	name config.Kind,
	least string,
	run func(*pulumi.Context, placement, S) (O, error),
) Kind {
	return Kind{
		Definition: config.Definition{Kind: name, Least: least, Section: func() config.Section { return S(new(T)) }},
		run: func(ctx *pulumi.Context, at placement, section config.Section) (any, error) {
			return run(ctx, at, section.(S))
		},
	}
}

// with returns the kind with what a definition says in addition to its name, remedy and section.
func (k Kind) with(more config.Definition) Kind {
	more.Kind, more.Least, more.Section = k.Kind, k.Least, k.Section
	k.Definition = more
	return k
}

// NewKind returns a kind by its name, the remedy for a missing section, and its program, which registers the resources
// at the top level and returns a pointer to the struct with the stack's outputs. Its other fields can then be set; what
// commands ask of a section, it answers by the optional interfaces of package config.
func NewKind[S sectionPointer[T], O, T any](
	name config.Kind,
	least string,
	run func(*pulumi.Context, S) (O, error),
) Kind {
	return newKind(name, least, func(ctx *pulumi.Context, _ placement, section S) (O, error) { return run(ctx, section) })
}

// kinds are the kinds of stacks, in the order of the documentation.
var kinds = []Kind{
	newKind(config.KindManagement, "set oidcBucket and operator at least", runManagement).with(config.Definition{
		KubeconfigKey: "management.kubeconfig", HostsControlPlanes: true, Referred: true,
	}),
	newKind(config.KindCluster, "use name, baseDomain and oidc at least", runCluster).with(config.Definition{
		KubeconfigKey: "cluster.hostedCluster.kubeconfig",
	}),
	newKind(config.KindCAPA, "use name, kubernetesVersion and network.zones at least", runCAPA).with(config.Definition{
		KubeconfigKey: "capa.kubeconfig", Instead: "use Cluster API's own clusterctl, or a stack of kind cluster for a hosted cluster",
	}),
	newKind(config.KindNetwork, "use name, infraID and baseDomain at least", runNetwork).with(config.Definition{
		Instead: "use the stack of kind cluster that names it as networkStack", Referred: true,
	}),
	newKind(config.KindIAM, "use name, infraID, networkStack and oidc at least", runIAM).with(config.Definition{
		Instead: "use the stack of kind cluster that names it as iamStack", Referred: true,
	}),
	newKind(config.KindNodePools, "use name, kubeconfig and nodePools at least", runNodePools).with(config.Definition{
		KubeconfigKey: "nodePools.kubeconfig", Instead: "use the stack of kind cluster that has the HostedCluster",
	}),
}

// Register adds a kind of stack. A program calls it before it reads a stack's file.
func Register(kind Kind) { kinds = append(kinds, kind) }

// Kinds returns the kinds that a stack's file may describe.
func Kinds() config.Kinds {
	var definitions config.Kinds
	for _, kind := range kinds {
		definitions = append(definitions, kind.Definition)
	}
	return definitions
}

// runKind registers the resources of a section by the program of its kind, and returns a pointer to the struct with the
// stack's outputs.
func runKind(ctx *pulumi.Context, at placement, name config.Kind, section config.Section) (any, error) {
	i := slices.IndexFunc(kinds, func(kind Kind) bool { return kind.Kind == name })
	if i < 0 {
		return nil, fmt.Errorf("kind %q of stacks has no program", name)
	}
	return kinds[i].run(ctx, at, section)
}

// LoadFile reads and checks a stack's file in dir; see config.Kinds.LoadFile.
func LoadFile(dir, stack string) (*config.File, error) { return Kinds().LoadFile(dir, stack) }
