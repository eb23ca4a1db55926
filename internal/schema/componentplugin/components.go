package componentplugin

import (
	"fmt"
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/components/management/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Package is the name of the Pulumi package.
const Package = config.ProjectName

// Component is a component of the package.
type Component struct {
	// Token is its type, such as "hypershift-aws:network:GuestNetwork".
	Token string
	// Struct is the component's struct, whose comment documents it.
	Struct reflect.Type
	// Inputs is the struct of its inputs, and Outputs the struct of its outputs.
	Inputs, Outputs reflect.Type
	// Section is the config section whose keys are the inputs, "" for a component whose inputs are its Args.
	Section string
	// construct registers the component.
	construct func(
		ctx *pulumi.Context,
		name string,
		inputs provider.ConstructInputs,
		given sectionInputs,
		opts pulumi.ResourceOption,
	) (*provider.ConstructResult, error)
}

// Components returns the components of the package.
func Components() []Component {
	return []Component{
		component("network:GuestNetwork", network.NewGuestNetwork),
		component("iam:OIDCProvider", iam.NewOIDCProvider),
		component("iam:OIDCDocuments", iam.NewOIDCDocuments),
		component("iam:RoleSet", iam.NewRoleSet),
		component("iam:SharedVPCRoles", iam.NewSharedVPCRoles),
		component("iam:WorkerProfile", iam.NewWorkerProfile),
		component("iam:WorkloadRole", iam.NewWorkloadRole),
		component("management:Prerequisites", management.NewPrerequisites),
		component("management:InstallObjects", kubernetes.NewInstallObjects),
		component("management:InterruptionQueue", management.NewInterruptionQueue),
		component("privatelink:Endpoint", privatelink.NewEndpoint),
		component("privatelink:EndpointService", privatelink.NewEndpointService),
		component("privatelink:Consumer", privatelink.NewConsumer),
		component("privatelink:ZoneAssociation", privatelink.NewZoneAssociation),
		component("hostedcluster:HostedCluster", newHostedCluster),
		component("hostedcluster:NodePools", newNodePools),
		component("capa:Infrastructure", capa.NewInfrastructure),
		component("capa:InstanceProfiles", capa.NewInstanceProfiles),
		component("capa:SecurityGroups", capa.NewSecurityGroups),
		component("capa:Cluster", newCAPACluster),
		section[config.Cluster, stacks.Cluster, stacks.ClusterOutputs](stacks.ClusterType, config.ClusterKey,
			stacks.NewCluster),
		section[config.Management, stacks.Management, stacks.ManagementOutputs](stacks.ManagementType, config.ManagementKey,
			stacks.NewManagement),
		section[config.CAPA, stacks.CAPA, stacks.CAPAOutputs](stacks.CAPAType, config.CAPAKey, stacks.NewCAPA),
	}
}

// component returns a component whose inputs are the Args of a constructor.
func component[A any, R pulumi.ComponentResource](
	token string, construct func(*pulumi.Context, string, *A, ...pulumi.ResourceOption) (R, error),
) Component {
	return Component{
		Token: Package + ":" + token, Inputs: reflect.TypeFor[A](), Struct: reflect.TypeFor[R]().Elem(), Outputs: reflect.TypeFor[R]().Elem(),
		construct: func(
			ctx *pulumi.Context,
			name string,
			inputs provider.ConstructInputs,
			_ sectionInputs,
			opts pulumi.ResourceOption,
		) (*provider.ConstructResult, error) {
			args := new(A)
			if err := inputs.CopyTo(args); err != nil {
				return nil, fmt.Errorf("reading the inputs of %s %q: %w", token, name, err)
			}
			withIntegers(reflect.ValueOf(args))
			made, err := construct(ctx, name, args, opts)
			if err != nil {
				return nil, err
			}
			return &provider.ConstructResult{
				URN:   made.URN(),
				State: withPropertyNames(outputs.Collect(made), reflect.TypeFor[R]().Elem()),
			}, nil
		},
	}
}

// dependsOn returns what a component depends on according to its options.
func dependsOn(name string, opts []pulumi.ResourceOption) ([]pulumi.Resource, error) {
	given, err := pulumi.NewResourceOptions(opts...)
	if err != nil {
		return nil, fmt.Errorf("reading the options of %q: %w", name, err)
	}
	return given.DependsOn, nil
}

// newHostedCluster is like hostedcluster.NewHostedCluster, for programs whose inputs cannot be resources: the objects
// depend on everything that the component depends on.
func newHostedCluster(
	ctx *pulumi.Context,
	name string,
	args *hostedcluster.Args,
	opts ...pulumi.ResourceOption,
) (*hostedcluster.HostedCluster, error) {
	dependencies, err := dependsOn(name, opts)
	if err != nil {
		return nil, err
	}
	args.Dependencies = append(args.Dependencies, dependencies...)
	return hostedcluster.NewHostedCluster(ctx, name, args, opts...)
}

// newNodePools is like hostedcluster.NewNodePools, for the same programs.
func newNodePools(
	ctx *pulumi.Context,
	name string,
	args *hostedcluster.NodePoolsArgs,
	opts ...pulumi.ResourceOption,
) (*hostedcluster.NodePools, error) {
	dependencies, err := dependsOn(name, opts)
	if err != nil {
		return nil, err
	}
	args.Dependencies = append(args.Dependencies, dependencies...)
	return hostedcluster.NewNodePools(ctx, name, args, opts...)
}

// newCAPACluster is like capa.NewCluster, for the same programs.
func newCAPACluster(
	ctx *pulumi.Context,
	name string,
	args *capa.ClusterArgs,
	opts ...pulumi.ResourceOption,
) (*capa.Cluster, error) {
	dependencies, err := dependsOn(name, opts)
	if err != nil {
		return nil, err
	}
	args.DependsOn = append(args.DependsOn, dependencies...)
	return capa.NewCluster(ctx, name, args, opts...)
}

// stack is a component that is a whole stack.
type stack interface {
	pulumi.ComponentResource
	Outputs() pulumi.Map
}

// section returns a component whose inputs are the keys of a section of a stack's file.
func section[I, T, O any, R interface {
	*T
	stack
}](
	token, key string, construct func(*pulumi.Context, string, stacks.Section, ...pulumi.ResourceOption) (R, error),
) Component {
	return Component{
		Token: token, Section: key, Inputs: reflect.TypeFor[I](), Outputs: reflect.TypeFor[O](), Struct: reflect.TypeFor[T](),
		construct: func(
			ctx *pulumi.Context,
			name string,
			inputs provider.ConstructInputs,
			given sectionInputs,
			opts pulumi.ResourceOption,
		) (*provider.ConstructResult, error) {
			outputs, err := given.outputsIn(inputs)
			if err != nil {
				return nil, fmt.Errorf("reading the inputs of %s %q: %w", token, name, err)
			}
			made, err := construct(ctx, name, stacks.Section{Keys: given.keys, Outputs: outputs}, opts)
			if err != nil {
				return nil, err
			}
			return &provider.ConstructResult{
				URN:   made.URN(),
				State: withPropertyNames(made.Outputs(), reflect.TypeFor[O]()),
			}, nil
		},
	}
}
