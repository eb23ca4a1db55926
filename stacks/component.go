package stacks

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// The types of the components that are whole stacks.
const (
	ClusterType    = config.ProjectName + ":stacks:Cluster"
	ManagementType = config.ProjectName + ":stacks:Management"
	CAPAType       = config.ProjectName + ":stacks:CAPA"
)

// Section describes a component that is a whole stack, by the keys of the section of a stack's file.
type Section struct {
	// Keys are the keys of the section.
	Keys *yaml.Node
	// Outputs are the inputs among them that are outputs of resources, by the nodes that represent them, and the secrets
	// of the hosted cluster.
	Outputs map[*yaml.Node]pulumi.StringInput
}

// Cluster is a stack of kind cluster as a component of another program. Its resources have the same names and URNs as
// in such a stack: they are not children of the component, so a program can have at most one.
type Cluster struct {
	pulumi.ResourceState
	ClusterOutputs
}

// NewCluster registers the resources of a stack of kind cluster. The error lists every fault in the section; the paths
// begin with config.ClusterKey.
func NewCluster(ctx *pulumi.Context, name string, section Section, opts ...pulumi.ResourceOption) (*Cluster, error) {
	c := &Cluster{}
	if err := construct(ctx, ClusterType, name, c, &c.ClusterOutputs, config.KindCluster, section, opts); err != nil {
		return nil, err
	}
	return c, ctx.RegisterResourceOutputs(c, c.Outputs())
}

// Outputs returns the component's outputs, those of the stack.
func (c *Cluster) Outputs() pulumi.Map { return outputs.Collect(&c.ClusterOutputs) }

// Management is a stack of kind management as a component of another program, in the same way as Cluster.
type Management struct {
	pulumi.ResourceState
	ManagementOutputs
}

// NewManagement registers the resources of a stack of kind management. The error lists every fault in the section; the
// paths begin with config.ManagementKey.
func NewManagement(
	ctx *pulumi.Context,
	name string,
	section Section,
	opts ...pulumi.ResourceOption,
) (*Management, error) {
	m := &Management{}
	if err := construct(ctx, ManagementType, name, m, &m.ManagementOutputs, config.KindManagement, section,
		opts); err != nil {
		return nil, err
	}
	return m, ctx.RegisterResourceOutputs(m, m.Outputs())
}

// Outputs returns the component's outputs, those of the stack.
func (m *Management) Outputs() pulumi.Map { return outputs.Collect(&m.ManagementOutputs) }

// CAPA is a stack of kind capa as a component of another program, in the same way as Cluster.
type CAPA struct {
	pulumi.ResourceState
	CAPAOutputs
}

// NewCAPA registers the resources of a stack of kind capa. The error lists every fault in the section; the paths begin
// with config.CAPAKey.
func NewCAPA(ctx *pulumi.Context, name string, section Section, opts ...pulumi.ResourceOption) (*CAPA, error) {
	c := &CAPA{}
	if err := construct(ctx, CAPAType, name, c, &c.CAPAOutputs, config.KindCAPA, section, opts); err != nil {
		return nil, err
	}
	return c, ctx.RegisterResourceOutputs(c, c.Outputs())
}

// Outputs returns the component's outputs, those of the stack.
func (c *CAPA) Outputs() pulumi.Map { return outputs.Collect(&c.CAPAOutputs) }

// construct registers a component that is a whole stack, and the resources of its kind beside it, whose outputs it
// writes to out.
func construct[O any](
	ctx *pulumi.Context,
	typ, name string,
	c pulumi.ComponentResource,
	out *O,
	kind config.Kind,
	section Section,
	opts []pulumi.ResourceOption,
) error {
	place, err := register(ctx, typ, name, c, opts)
	if err != nil {
		return err
	}
	if place.region, err = location.LookupRegion(ctx, place.lookups...); err != nil {
		return err
	}
	// Files that the section names are relative to the folder in which the program runs.
	read, err := Kinds().New(config.Source{
		Stack: ctx.Stack(), Dir: ".", Region: place.region, Outputs: section.Outputs,
		Values: map[string]*yaml.Node{
			config.KindKey: {Kind: yaml.ScalarNode, Tag: "!!str", Value: string(kind)},
			kind.Key():     section.Keys,
		},
	})
	if err != nil {
		return err
	}
	registered, err := runKind(ctx, place, kind, read.Section)
	if err != nil {
		return err
	}
	*out = *registered.(*O)
	return nil
}

// register registers the component itself, and returns the placement of its resources beside it: with the parent, the
// providers, the protection and the dependencies of the component.
func register(
	ctx *pulumi.Context,
	typ, name string,
	c pulumi.ComponentResource,
	opts []pulumi.ResourceOption,
) (placement, error) {
	given, err := pulumi.NewResourceOptions(opts...)
	if err != nil {
		return placement{}, fmt.Errorf("reading the options of %q: %w", name, err)
	}
	if err := ctx.RegisterComponentResource(typ, name, c, opts...); err != nil {
		return placement{}, fmt.Errorf("registering %q: %w", name, err)
	}
	var top []pulumi.ResourceOption
	if given.Parent != nil {
		top = append(top, pulumi.Parent(given.Parent))
	}
	place := newPlacement(Options{}, top, append(slices.Clone(top), keepOthers(ctx)))
	place.lookups = []pulumi.InvokeOption{pulumi.Parent(c)}
	if len(given.Providers) > 0 {
		place.components = append(place.components, pulumi.Providers(given.Providers...))
	}
	if given.Protect {
		place.components = append(place.components, pulumi.Protect(true))
	}
	if len(given.Transformations) > 0 {
		place.components = append(place.components, pulumi.Transformations(given.Transformations))
	}
	if len(given.DependsOn) > 0 {
		place.components = append(place.components, pulumi.DependsOn(given.DependsOn))
	}
	return place, nil
}
