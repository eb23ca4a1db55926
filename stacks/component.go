package stacks

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/outputs"
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
	// Outputs are the inputs among them that are outputs of resources, by the nodes that represent them, and the secrets of the hosted cluster.
	Outputs map[*yaml.Node]pulumi.StringInput
}

// Cluster is a stack of kind cluster as a component of another program. Its resources have the same names and URNs as in such a stack: they
// are not children of the component, so a program can have at most one.
type Cluster struct {
	pulumi.ResourceState
	ClusterOutputs
}

// NewCluster registers the resources of a stack of kind cluster. It fails with every fault in the section at once; the paths begin
// with config.ClusterKey.
func NewCluster(ctx *pulumi.Context, name string, section Section, opts ...pulumi.ResourceOption) (*Cluster, error) {
	c := &Cluster{}
	place, err := register(ctx, ClusterType, name, c, opts)
	if err != nil {
		return nil, err
	}
	region, err := location.LookupRegion(ctx, place.lookups...)
	if err != nil {
		return nil, err
	}
	read, err := section.read(ctx, config.KindCluster, config.ClusterKey, region)
	if err != nil {
		return nil, err
	}
	made, err := runCluster(ctx, place, region, read.Cluster)
	if err != nil {
		return nil, err
	}
	c.ClusterOutputs = *made
	return c, ctx.RegisterResourceOutputs(c, c.Outputs())
}

// Outputs returns the component's outputs, those of the stack.
func (c *Cluster) Outputs() pulumi.Map { return outputs.Of(&c.ClusterOutputs) }

// Management is a stack of kind management as a component of another program, in the same way as Cluster.
type Management struct {
	pulumi.ResourceState
	ManagementOutputs
}

// NewManagement registers the resources of a stack of kind management. It fails with every fault in the section at once; the paths
// begin with config.ManagementKey.
func NewManagement(ctx *pulumi.Context, name string, section Section, opts ...pulumi.ResourceOption) (*Management, error) {
	m := &Management{}
	place, err := register(ctx, ManagementType, name, m, opts)
	if err != nil {
		return nil, err
	}
	read, err := section.read(ctx, config.KindManagement, config.ManagementKey, "")
	if err != nil {
		return nil, err
	}
	made, err := runManagement(ctx, place, read.Management)
	if err != nil {
		return nil, err
	}
	m.ManagementOutputs = *made
	return m, ctx.RegisterResourceOutputs(m, m.Outputs())
}

// Outputs returns the component's outputs, those of the stack.
func (m *Management) Outputs() pulumi.Map { return outputs.Of(&m.ManagementOutputs) }

// CAPA is a stack of kind capa as a component of another program, in the same way as Cluster.
type CAPA struct {
	pulumi.ResourceState
	CAPAOutputs
}

// NewCAPA registers the resources of a stack of kind capa. It fails with every fault in the section at once; the paths begin with
// config.CAPAKey.
func NewCAPA(ctx *pulumi.Context, name string, section Section, opts ...pulumi.ResourceOption) (*CAPA, error) {
	c := &CAPA{}
	place, err := register(ctx, CAPAType, name, c, opts)
	if err != nil {
		return nil, err
	}
	region, err := location.LookupRegion(ctx, place.lookups...)
	if err != nil {
		return nil, err
	}
	read, err := section.read(ctx, config.KindCAPA, config.CAPAKey, region)
	if err != nil {
		return nil, err
	}
	made, err := runCAPA(ctx, place, region, read.CAPA)
	if err != nil {
		return nil, err
	}
	c.CAPAOutputs = *made
	return c, ctx.RegisterResourceOutputs(c, c.Outputs())
}

// Outputs returns the component's outputs, those of the stack.
func (c *CAPA) Outputs() pulumi.Map { return outputs.Of(&c.CAPAOutputs) }

// register registers the component itself, and returns the placement of its resources beside it: with the parent, the providers,
// the protection and the dependencies of the component.
func register(ctx *pulumi.Context, typ, name string, c pulumi.ComponentResource, opts []pulumi.ResourceOption) (placement, error) {
	given, err := pulumi.NewResourceOptions(opts...)
	if err != nil {
		return placement{}, fmt.Errorf("reading the options of %q: %w", name, err)
	}
	if err := ctx.RegisterComponentResource(typ, name, c, opts...); err != nil {
		return placement{}, fmt.Errorf("registering %q: %w", name, err)
	}
	place := placement{lookups: []pulumi.InvokeOption{pulumi.Parent(c)}, accounts: map[pulumi.ProviderResource]string{}}
	if given.Parent != nil {
		place.top = append(place.top, pulumi.Parent(given.Parent))
	}
	place.components = append(place.components, place.top...)
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

// read reads and checks the section. Files that it names are relative to the folder in which the program runs.
func (s Section) read(ctx *pulumi.Context, kind config.Kind, key, region string) (*config.Config, error) {
	return config.New(config.Source{
		Stack: ctx.Stack(), Dir: ".", Region: region, Outputs: s.Outputs,
		Values: map[string]*yaml.Node{
			config.KindKey: {Kind: yaml.ScalarNode, Tag: "!!str", Value: string(kind)},
			key:            s.Keys,
		},
	})
}
