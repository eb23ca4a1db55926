package privatelink

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const endpointServiceType = "hypershift-aws:privatelink:EndpointService"

// EndpointService publishes a private service of a control plane to other accounts, behind the control plane's network
// load balancers in the management account.
type EndpointService struct {
	pulumi.ResourceState

	// ID is the ID of the service, "vpce-svc-…"; "" if the operators own it and have not created it yet.
	ID pulumi.StringOutput `pulumi:"serviceID"`
	// ServiceName is the name that endpoints connect to, "com.amazonaws.vpce.<region>.vpce-svc-…"; "" if the service does
	// not exist.
	ServiceName pulumi.StringOutput `pulumi:"serviceName"`
}

// EndpointServiceArgs are the inputs of an EndpointService.
type EndpointServiceArgs struct {
	// Cluster tags the endpoint service. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// Service is the control plane service behind the endpoint service. Default PrivateRouter.
	Service Service `yaml:"-" pulumi:"service,optional"`
	// LoadBalancers are the network load balancers of the endpoint service, in the management account: exactly one of
	// "arns", "names", and "tags". Required unless HyperShift's operators own the service.
	LoadBalancers *LoadBalancers `yaml:"loadBalancers" pulumi:"loadBalancers,optional"`
	// AllowedPrincipals are the ARNs of the principals that may connect; the path of a role's ARN is ignored. Other
	// principals are removed from the service. Default none: in a stack the cluster's account may connect, otherwise only
	// the account of the service.
	AllowedPrincipals []pulumi.StringInput `yaml:"allowedPrincipals" pulumi:"allowedPrincipals,optional"`
	// AcceptanceRequired requires that the service's owner accepts each connection. Default false, as in HyperShift.
	AcceptanceRequired bool `yaml:"acceptanceRequired" pulumi:"acceptanceRequired,optional"`
	// PrivateDNSName is a DNS name for the service, which its consumers can use once AWS has verified the domain. Default
	// none: nodes use names in the zone <name>.hypershift.local.
	PrivateDNSName pulumi.StringInput `yaml:"privateDNSName" pulumi:"privateDNSName,optional"`
	// Tags are further tags of the endpoint service: with HyperShift's operators, the resourceTags of the HostedCluster.
	// Default none: the cluster's tags and the owner's.
	Tags map[string]string `yaml:"-" pulumi:"tags,optional"`
	// ExistingID is the ID of an existing endpoint service, "vpce-svc-…", which is imported instead of created. Default
	// none. See Find.
	ExistingID string `yaml:"-" pulumi:"existingID,optional"`
	// OperatorOwned leaves the service to HyperShift's operators: the service with ExistingID is read, and neither changed
	// nor deleted, even if this program created it. Default false.
	OperatorOwned bool `yaml:"-" pulumi:"operatorOwned,optional"`
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *EndpointServiceArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	faults.Join("service", args.Service.Validate())
	if !args.OperatorOwned {
		faults.Join("loadBalancers", args.loadBalancers().Validate(""))
	}
	for i, principal := range args.AllowedPrincipals {
		faults.Join(fmt.Sprintf("allowedPrincipals[%d]", i), input.IfPlain(principal, ValidatePrincipal))
	}
	if input.IsSet(args.PrivateDNSName) {
		faults.Join("privateDNSName", input.IfPlain(args.PrivateDNSName, hypershift.ValidateDomain))
	}
	return faults.Err()
}

// loadBalancers returns LoadBalancers, or its zero value for nil.
func (args *EndpointServiceArgs) loadBalancers() LoadBalancers {
	if args.LoadBalancers == nil {
		return LoadBalancers{}
	}
	return *args.LoadBalancers
}

// tagged returns the cluster's tags and Tags.
func (args *EndpointServiceArgs) tagged() pulumi.StringMap {
	tags := args.Cluster.ResourceTags()
	maps.Copy(tags, args.Tags)
	return pulumi.ToStringMap(tags)
}

// NewEndpointService registers the service. The error lists every fault in args. It also fails if a load balancer does
// not exist, is not a network load balancer or is in another region than the provider.
func NewEndpointService(
	ctx *pulumi.Context,
	name string,
	args *EndpointServiceArgs,
	opts ...pulumi.ResourceOption,
) (*EndpointService, error) {
	return component.New(ctx, endpointServiceType, "endpoint service", name, args, opts,
		func(s *EndpointService, args *EndpointServiceArgs) error {
			service, err := args.service(ctx, name, s)
			if err != nil || service == nil {
				return err
			}
			s.ID, s.ServiceName = service.ID().ToStringOutput(), service.ServiceName
			return nil
		})
}

// service creates, imports or reads the service; it returns nil if the operators own it and have not created it yet.
func (args *EndpointServiceArgs) service(
	ctx *pulumi.Context,
	name string,
	s *EndpointService,
) (*ec2.VpcEndpointService, error) {
	parent := pulumi.Parent(s)
	if args.OperatorOwned {
		if args.ExistingID == "" {
			return nil, nil
		}
		// If the program reads a resource under the name under which it was created, the engine no longer manages it.
		return ec2.GetVpcEndpointService(ctx, name, pulumi.ID(args.ExistingID), nil, parent)
	}
	region, err := location.LookupRegion(ctx, parent)
	if err != nil {
		return nil, err
	}
	balancers, err := args.loadBalancers().find(ctx, region, parent)
	if err != nil {
		return nil, err
	}
	inputs := &ec2.VpcEndpointServiceArgs{
		AcceptanceRequired:      pulumi.Bool(args.AcceptanceRequired),
		NetworkLoadBalancerArns: balancers,
		AllowedPrincipals:       args.principals(),
		Tags:                    args.tagged(),
	}
	if input.IsSet(args.PrivateDNSName) {
		name, err := input.Check("privateDNSName", args.PrivateDNSName, hypershift.ValidateDomain)
		if err != nil {
			return nil, err
		}
		inputs.PrivateDnsName = input.Optional(name)
	}
	return ec2.NewVpcEndpointService(ctx, name, inputs, adopt(parent, args.ExistingID)...)
}

// principals returns the allowed principals in the form in which AWS compares them, without duplicates.
func (args *EndpointServiceArgs) principals() pulumi.StringArrayOutput {
	return input.All(args.AllowedPrincipals).ApplyT(func(arns []string) ([]string, error) {
		var faults fault.Faults
		allowed := make([]string, len(arns))
		for i, arn := range arns {
			faults.Join(fmt.Sprintf("allowedPrincipals[%d]", i), ValidatePrincipal(arn))
			allowed[i] = withoutPath(arn)
		}
		slices.Sort(allowed)
		return slices.Compact(allowed), faults.Err()
	}).(pulumi.StringArrayOutput)
}

// adopt imports an existing resource instead of creating it; id is "" for a new one. A resource that is already in the
// state stays as it is.
func adopt(parent pulumi.ResourceOption, id string) []pulumi.ResourceOption {
	if id == "" {
		return []pulumi.ResourceOption{parent}
	}
	return []pulumi.ResourceOption{parent, pulumi.Import(pulumi.ID(id))}
}
