package network

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const baseNetworkType = "hypershift-aws:network:BaseNetwork"

// BaseNetworkArgs describe a VPC for the machines of a cluster of any kind. What depends on the kind is a parameter:
// tags, reserved networks, and the services that machines call.
type BaseNetworkArgs struct {
	Options
	// Prefix begins the names of the network's parts. Required.
	Prefix string
	// Tagging returns the tags of the resources. Required.
	Tagging Tagging
	// Reserved are networks that the VPC must not overlap, with those of layout.AWSReserved. Default none.
	Reserved []layout.Reserved
	// Possible are networks that the VPC must not overlap unless a cluster that is not known says otherwise. Default none.
	Possible []layout.Reserved
	// Services are the AWS services that machines call: "nodes" in InterfaceEndpoints means all of them. Default none.
	Services []string
	// RequiredServices are the Services that machines need to start, so that NAT None requires endpoints for them. Default
	// none.
	RequiredServices []string
	// PublicSubnets gives every zone a public subnet, for load balancers and NAT gateways. Without them zones with a NAT
	// gateway have an egress subnet.
	PublicSubnets bool
	// PublicOptional allows an existing VPC without public subnets, of which a preview warns. Otherwise WithoutPublic is
	// what users can set to need none.
	PublicOptional bool
	WithoutPublic  string
	// PublicMachines puts machines into the public subnets, and leaves out the private ones unless PrivateSubnets is set.
	// Default false.
	PublicMachines bool
	// PrivateSubnets creates private subnets, without a route to the internet, in addition to the public ones. Default
	// false.
	PrivateSubnets bool
	// ProxiedEgress means that machines reach the internet through a proxy, so that the default of NAT is None. Default
	// false.
	ProxiedEgress bool
	// IPv6 gives the VPC an IPv6 CIDR of Amazon's, a /56, and each subnet a /64 of it, whose interfaces get an address.
	// Public subnets reach the internet by the internet gateway, and private ones by an egress-only one if there are NAT
	// gateways. It can be added to a VPC that exists; AWS does not remove the CIDR from one whose subnets use it. Default
	// false.
	IPv6 bool
	// SecondaryCIDR, DHCPDomainName, and KeepDefaultSecurityGroup are the same as in GuestNetworkArgs.
	SecondaryCIDR            string
	DHCPDomainName           pulumi.StringInput
	KeepDefaultSecurityGroup bool
	// Existing is an existing VPC to use. Default: a VPC is created.
	Existing *ExistingVPC
	// OneMachineCIDR requires that one CIDR of an existing VPC contains all subnets of machines. Otherwise machines may
	// use all CIDRs, and the VPC's ID has to be plain text, because their number decides which security group rules there
	// are. Default false.
	OneMachineCIDR bool
	// Karpenter is true if Karpenter finds subnets by its tag. Default false.
	Karpenter bool
	// OperatorTagsSubnets is true if the cluster's operators tag existing subnets themselves. Default false.
	OperatorTagsSubnets bool
	// ExplicitRouteTables requires that existing public subnets are associated with a route table, as Cluster API does.
	// Default false.
	ExplicitRouteTables bool
	// RolePath is the IAM path of the roles for flow logs and the bastion. Default "/".
	RolePath string
	// PermissionsBoundary is the ARN of a policy that limits those roles. Default none.
	PermissionsBoundary pulumi.StringInput
}

// publicOnly reports whether there are only public subnets.
func (args *BaseNetworkArgs) publicOnly() bool { return args.PublicMachines && !args.PrivateSubnets }

// zones returns the zones of the machines, in a new or an existing VPC.
func (args *BaseNetworkArgs) zones() []Zone {
	if args.Existing != nil {
		return args.Existing.Zones()
	}
	return args.Zones
}

// Outputs are the outputs that the networks of all kinds of clusters have, and their stacks.
type Outputs struct {
	// VPCID is the VPC's ID, "vpc-…".
	VPCID pulumi.StringOutput `pulumi:"vpcID"`
	// InternetGatewayID is the internet gateway's ID, "igw-…"; "" without one.
	InternetGatewayID pulumi.StringOutput `pulumi:"internetGatewayID"`
	// NATGatewayIDs maps the name of a zone to its NAT gateway, "nat-…".
	NATGatewayIDs pulumi.StringMapOutput `pulumi:"natGatewayIDs"`
	// NATAddresses maps the name of a zone to the public IPv4 address of its NAT gateway. With natAddressCount, the
	// further addresses have the keys "<zone>-2", "<zone>-3" and so on.
	NATAddresses pulumi.StringMapOutput `pulumi:"natAddresses"`
	// InterfaceEndpointIDs maps a service's name, such as "ecr.api", to its interface endpoint.
	InterfaceEndpointIDs pulumi.StringMapOutput `pulumi:"interfaceEndpointIDs"`
	// FlowLogID is the flow log's ID, "fl-…", "" without one.
	FlowLogID pulumi.StringOutput `pulumi:"flowLogID"`
	// BastionInstanceID is the bastion's ID, "i-…", to which `aws ssm start-session` connects; "" without
	// one.
	BastionInstanceID pulumi.StringOutput `pulumi:"bastionInstanceID"`
	// BastionAddress is the bastion's public IPv4 address, "" without one.
	BastionAddress pulumi.StringOutput `pulumi:"bastionAddress"`
}

// BaseNetwork is a VPC for the machines of a cluster, with subnets, routes, NAT gateways and endpoints.
type BaseNetwork struct {
	pulumi.ResourceState
	Outputs

	// Zones are the names of the zones, in the order of their slots.
	Zones []string
	// Given maps a zone's name to the zone as in the args, by name or by ID.
	Given map[string]string
	// NATZones are the zones with a NAT gateway, and NATKeys the keys of NATAddresses in their order.
	NATZones, NATKeys []string

	// VPCCIDRs are the VPC's IPv4 CIDRs.
	VPCCIDRs pulumi.StringArray `pulumi:"vpcCIDRs"`
	// VPCIPv6CIDR is the VPC's IPv6 CIDR, "" without IPv6.
	VPCIPv6CIDR pulumi.StringOutput `pulumi:"vpcIPv6CIDR"`
	// PublicSubnetIDs and PrivateSubnetIDs map a zone's name to its subnets, "subnet-…".
	PublicSubnetIDs  map[string]pulumi.StringOutput `pulumi:"publicSubnetIDs"`
	PrivateSubnetIDs map[string]pulumi.StringOutput `pulumi:"privateSubnetIDs"`
	// BastionGroupID is the bastion's security group, "sg-…"; "" without one.
	BastionGroupID pulumi.StringOutput `pulumi:"bastionGroupID"`
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *BaseNetworkArgs) Validate() error {
	var faults fault.Faults
	if args.Existing != nil {
		refuseWithExisting(&faults, "ipv6", args.IPv6, true)
		if !args.OneMachineCIDR && !input.ArePlain(args.Existing.VPCID) {
			faults.Add("existing.vpcID", nil, "is an output, but the number of the VPC's CIDRs decides which security group rules there are",
				"use plain text")
		}
		if args.NAT == PerZone || args.NAT == Single {
			faults.Add("nat", string(args.NAT), "creates NAT gateways, but an existing VPC is not changed", "leave it out")
		}
	} else {
		if args.IPAM == nil || args.VPCCIDR != "" {
			_, err := layout.New(args.VPCCIDR, args.Reserved)
			faults.Join("vpcCIDR", err)
		}
		faults.Join("zones", validateZones(args.Zones))
		if missing := args.missingServices(args.RequiredServices); !args.PublicMachines && args.isolated() &&
			len(missing) > 0 {
			faults.Add("interfaceEndpoints", strings.Join(args.InterfaceEndpoints, ", "), "lacks "+strings.Join(missing, ", ")+
				", which machines need to start, and nat None gives them no other route to it",
				"use ["+strings.Join(args.Services, ", ")+"]")
		}
	}
	faults.Join("", args.validateOptions())
	return faults.Err()
}

// NewBaseNetwork registers the network's resources. The error lists every fault in args, or else every fault that a
// lookup shows.
func NewBaseNetwork(
	ctx *pulumi.Context,
	name string,
	args *BaseNetworkArgs,
	opts ...pulumi.ResourceOption,
) (*BaseNetwork, error) {
	return component.New(ctx, baseNetworkType, "network", name, args, opts,
		func(n *BaseNetwork, args *BaseNetworkArgs) error {
			b := newBuilder(ctx, name, args, n)
			for _, step := range []func() error{b.locate, func() error { return b.settle(b.lookUp()) }, b.build} {
				if err := step(); err != nil {
					return err
				}
			}
			n.Outputs, n.Zones, n.Given, n.VPCCIDRs, n.BastionGroupID = b.out.Outputs, zoneNames(b.zones), b.zoneAsGiven,
				b.cidrInputs, b.host.groupID
			n.PublicSubnetIDs, n.PrivateSubnetIDs, n.VPCIPv6CIDR = b.publicSubnets, b.privateSubnets, b.ipv6CIDR
			if args.Existing == nil {
				n.NATZones = zoneNames(args.natZones(b.zones))
				n.NATKeys = args.addressNames(zoneNames(args.natZones(b.zones)))
			}
			return nil
		})
}
