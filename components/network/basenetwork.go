package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/input"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

const baseNetworkType = "hypershift-aws:network:BaseNetwork"

// BaseNetworkArgs describe a VPC for the machines of a cluster of any kind. What depends on the kind is a parameter: tags, reserved
// networks, and the services that machines call.
type BaseNetworkArgs struct {
	// Prefix begins the names of the network's parts. Required.
	Prefix string
	// Tagging returns the tags of the resources. Required.
	Tagging Tagging
	// Reserved are networks that the VPC must not overlap, in addition to those that AWS does not allow for VPCs. Default none.
	Reserved []layout.Reserved
	// Services are the AWS services that machines call: NodesPreset in InterfaceEndpoints means all of them. Default none.
	Services []string
	// RequiredServices are the Services that machines need to start, so that NAT None requires endpoints for them. Default none.
	RequiredServices []string
	// PublicSubnets gives every zone a public subnet, for load balancers and NAT gateways. Without them there is no NAT.
	PublicSubnets bool
	// PublicMachines puts machines into the public subnets, and leaves out the private ones unless PrivateSubnets is set.
	// Default false.
	PublicMachines bool
	// PrivateSubnets creates private subnets, without a route to the internet, in addition to the public ones. Default false.
	PrivateSubnets bool

	// VPCCIDR is the VPC's IPv4 CIDR, from /16 to /20. Default 10.0.0.0/16.
	VPCCIDR string
	// Zones are the availability zones, one to eight. Required unless Existing has them.
	Zones []Zone
	// NAT determines how machines in private subnets reach the internet. Default PerZone; None in an existing VPC and with
	// PublicMachines.
	NAT NATStrategy
	// ElasticIPs maps the name of a zone to the elastic IP, "eipalloc-…", of its NAT gateway. Default: they are allocated.
	ElasticIPs map[string]pulumi.StringInput
	// InterfaceEndpoints are the AWS services that machines reach inside the VPC. Default none.
	InterfaceEndpoints []string
	// Existing is an existing VPC to use. Its ID has to be plain text, because the number of its CIDRs decides which security group rules
	// there are. Its hosted zones are not used. Default: a VPC is created.
	Existing *ExistingVPC
	// FlowLogs configures the flow logs of the VPC. Default: no flow logs.
	FlowLogs *FlowLogs
	// Bastion is a host inside the VPC for people. Default none.
	Bastion *Bastion
	// RolePath is the IAM path of the roles for flow logs and the bastion. Default "/".
	RolePath string
	// PermissionsBoundary is the ARN of a policy that limits those roles. Default none.
	PermissionsBoundary pulumi.StringInput
}

// BaseNetwork is a VPC for the machines of a cluster, with subnets, routes, NAT gateways and endpoints.
type BaseNetwork struct {
	pulumi.ResourceState

	// Zones are the names of the zones, in the order of their slots.
	Zones []string
	// Given maps a zone's name to the zone as in the args, by name or by ID.
	Given map[string]string
	// NATZones are the zones with a NAT gateway.
	NATZones []string

	// VPCID is the VPC's ID, "vpc-…".
	VPCID pulumi.StringOutput `pulumi:"vpcID"`
	// VPCCIDRs are the VPC's IPv4 CIDRs.
	VPCCIDRs []pulumi.StringInput
	// InternetGatewayID is the internet gateway's ID, "igw-…"; "" without one.
	InternetGatewayID pulumi.StringOutput `pulumi:"internetGatewayID"`
	// PublicSubnetIDs and PrivateSubnetIDs map a zone's name to its subnets, "subnet-…".
	PublicSubnetIDs  map[string]pulumi.StringOutput
	PrivateSubnetIDs map[string]pulumi.StringOutput
	// NATGatewayIDs and NATAddresses map a zone's name to its NAT gateway and the gateway's public IPv4 address.
	NATGatewayIDs pulumi.StringMapOutput `pulumi:"natGatewayIDs"`
	NATAddresses  pulumi.StringMapOutput `pulumi:"natAddresses"`
	// InterfaceEndpointIDs maps a service's name to its interface endpoint, "vpce-…".
	InterfaceEndpointIDs pulumi.StringMapOutput `pulumi:"interfaceEndpointIDs"`
	// FlowLogID is the flow log's ID, "fl-…"; "" without one.
	FlowLogID pulumi.StringOutput `pulumi:"flowLogID"`
	// BastionInstanceID is the bastion, "i-…", BastionAddress its public address and BastionGroupID its security group, "sg-…";
	// "" without one.
	BastionInstanceID pulumi.StringOutput `pulumi:"bastionInstanceID"`
	BastionAddress    pulumi.StringOutput `pulumi:"bastionAddress"`
	BastionGroupID    pulumi.StringOutput `pulumi:"bastionGroupID"`
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *BaseNetworkArgs) Validate() error {
	var faults fault.Faults
	g := args.guest()
	if args.Existing != nil {
		faults.Join("", g.validateExisting())
		if !input.ArePlain(args.Existing.VPCID) {
			faults.Add("existing.vpcID", nil, "is an output, but the number of the VPC's CIDRs decides which security group rules there are",
				"use plain text")
		}
		if args.NAT == PerZone || args.NAT == Single {
			faults.Add("nat", string(args.NAT), "creates NAT gateways, but an existing VPC is not changed", "leave it out")
		}
	} else {
		_, err := layout.New(args.VPCCIDR, args.profile().reserved)
		faults.Join("vpcCIDR", err)
		faults.Join("zones", ValidateZones(args.Zones))
		if missing := missingServices(args.InterfaceEndpoints, args.profile()); !args.PublicMachines && g.isolated() && len(missing) > 0 {
			faults.Add("interfaceEndpoints", strings.Join(args.InterfaceEndpoints, ", "), "lacks "+strings.Join(missing, ", ")+
				", which machines need to start, and nat None gives them no other route to it", "use ["+strings.Join(args.Services, ", ")+"]")
		}
	}
	faults.Join("nat", args.NAT.Validate())
	faults.Join("interfaceEndpoints", validateInterfaceEndpoints(args.InterfaceEndpoints))
	if args.PublicMachines && len(args.ElasticIPs) > 0 {
		faults.Add("elasticIPs", len(args.ElasticIPs), "are for NAT gateways, which machines in public subnets do not use", "leave it out")
	} else {
		faults.Join("elasticIPs", g.validateElasticIPs())
	}
	faults.Join("flowLogs", g.validateFlowLogs())
	faults.Join("bastion", g.validateBastion())
	return faults.Err()
}

// guest returns the args with which a GuestNetwork's builder creates the network.
func (args *BaseNetworkArgs) guest() *GuestNetworkArgs {
	access := hypershift.Private
	if args.PublicSubnets {
		access = hypershift.Public
	}
	return &GuestNetworkArgs{
		Cluster: hypershift.Cluster{Name: args.Prefix, InfraID: args.Prefix}, EndpointAccess: access, PublicOnly: args.PublicMachines && !args.PrivateSubnets,
		VPCCIDR: args.VPCCIDR, Zones: args.Zones, NAT: args.NAT, ElasticIPs: args.ElasticIPs, InterfaceEndpoints: args.InterfaceEndpoints,
		Existing: args.Existing, FlowLogs: args.FlowLogs, Bastion: args.Bastion, RolePath: args.RolePath, PermissionsBoundary: args.PermissionsBoundary,
	}
}

func (args *BaseNetworkArgs) profile() profile {
	return profile{
		tagging: args.Tagging, reserved: append(slices.Clone(args.Reserved), layout.AWSReserved()...), services: args.Services, required: args.RequiredServices,
		publicMachines: args.PublicMachines, alsoPrivate: args.PrivateSubnets,
	}
}

// NewBaseNetwork registers the network's resources. It fails with every fault in args at once, and then with every fault that a lookup
// shows.
func NewBaseNetwork(ctx *pulumi.Context, name string, args *BaseNetworkArgs, opts ...pulumi.ResourceOption) (*BaseNetwork, error) {
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("network %q: %w", name, err)
	}
	n := &BaseNetwork{}
	if err := ctx.RegisterComponentResource(baseNetworkType, name, n, opts...); err != nil {
		return nil, fmt.Errorf("registering network %q: %w", name, err)
	}
	guest := args.guest()
	b := &builder{ctx: ctx, name: name, args: guest, network: &GuestNetwork{}, owner: n, nat: guest.natOrDefault(), profile: args.profile()}
	if args.PublicMachines {
		b.nat = None
	}
	for _, step := range []func() error{b.locate, b.lookUp, b.build} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("network %q: %w", name, err)
		}
	}
	n.take(b)
	return n, ctx.RegisterResourceOutputs(n, n.outputs())
}

// take copies the builder's outputs.
func (n *BaseNetwork) take(b *builder) {
	made := b.network
	n.Zones, n.VPCID, n.VPCCIDRs, n.InternetGatewayID = made.Zones, made.VPCID, made.NodeCIDRs, made.InternetGatewayID
	n.PublicSubnetIDs, n.PrivateSubnetIDs = b.base.publicSubnets, b.base.privateSubnets
	n.NATGatewayIDs, n.NATAddresses, n.InterfaceEndpointIDs = made.NATGatewayIDs, made.NATAddresses, made.InterfaceEndpointIDs
	n.FlowLogID, n.BastionInstanceID, n.BastionAddress = made.FlowLogID, made.BastionInstanceID, made.BastionAddress
	n.BastionGroupID = text("")
	if b.bastionGroupID != nil {
		n.BastionGroupID = *b.bastionGroupID
	}
	if b.args.Existing == nil {
		for _, zone := range b.nat.zones(b.zones) {
			n.NATZones = append(n.NATZones, zone.name)
		}
	}
	n.Given = b.given
}

func (n *BaseNetwork) outputs() pulumi.Map {
	return pulumi.Map{
		"vpcID": n.VPCID, "vpcCIDRs": pulumi.StringArray(n.VPCCIDRs), "internetGatewayID": n.InternetGatewayID,
		"publicSubnetIDs": stringMap(n.PublicSubnetIDs), "privateSubnetIDs": stringMap(n.PrivateSubnetIDs),
		"natGatewayIDs": n.NATGatewayIDs, "natAddresses": n.NATAddresses, "interfaceEndpointIDs": n.InterfaceEndpointIDs,
		"flowLogID": n.FlowLogID, "bastionInstanceID": n.BastionInstanceID, "bastionAddress": n.BastionAddress, "bastionGroupID": n.BastionGroupID,
	}
}
