package network

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/outputs"
)

const guestNetworkType = "hypershift-aws:network:GuestNetwork"

// GuestNetwork is the VPC of a hosted cluster's nodes, with the subnets, gateways and hosted zones of its EndpointAccess. Names,
// tags and CIDRs are those that HyperShift and its operators expect.
type GuestNetwork struct {
	pulumi.ResourceState

	// Zones are the names of the zones for nodes, in the order of their slots.
	Zones []string

	// VPCOwnerAccountID and ClusterAccountID are the accounts of a shared VPC's owner and of the cluster, "" if both
	// are the same account.
	VPCOwnerAccountID, ClusterAccountID string

	// VPCID is the VPC's ID, "vpc-…".
	VPCID pulumi.StringOutput `pulumi:"vpcID"`
	// MachineCIDR is the VPC's first IPv4 CIDR, which HyperShift's infra document contains.
	MachineCIDR pulumi.StringOutput `pulumi:"machineCIDR"`
	// MachineCIDRs are the CIDRs of all node subnets, MachineCIDR before SecondaryCIDR: a HostedCluster's
	// spec.networking.machineNetwork. HyperShift opens the nodes' security group and the endpoint of their control plane to
	// these CIDRs only. Source: HyperShift, control-plane-operator/controllers/hostedcontrolplane and awsprivatelink.
	MachineCIDRs pulumi.StringArrayOutput `pulumi:"machineCIDRs"`
	// NodeCIDRs are MachineCIDRs as a list whose length is known: plain strings, unless they are looked up in an existing VPC whose
	// ID is an output.
	NodeCIDRs []pulumi.StringInput
	// DHCPOptionsID is the ID of the VPC's DHCP options, "dopt-…".
	DHCPOptionsID pulumi.StringOutput `pulumi:"dhcpOptionsID"`
	// DefaultSecurityGroupID is the ID of the VPC's default security group, "sg-…", which has no rules: the update
	// after a refresh removes rules that were added outside the stack.
	DefaultSecurityGroupID pulumi.StringOutput `pulumi:"defaultSecurityGroupID"`
	// InternetGatewayID is the internet gateway's ID, "igw-…"; "" without one.
	InternetGatewayID pulumi.StringOutput `pulumi:"internetGatewayID"`
	// NodeSubnetIDs maps a zone's name to the subnet of its nodes, "subnet-…": the private one, or the public one if
	// the network is public-only.
	NodeSubnetIDs pulumi.StringMapOutput `pulumi:"nodeSubnetIDs"`
	// PrivateSubnetIDs maps a zone's name to its private subnet; empty where the network is public-only.
	PrivateSubnetIDs pulumi.StringMapOutput `pulumi:"privateSubnetIDs"`
	// PublicSubnetIDs maps a zone's name to its subnet for load balancers on the internet; empty with
	// endpointAccess Private.
	PublicSubnetIDs pulumi.StringMapOutput `pulumi:"publicSubnetIDs"`
	// EgressSubnetIDs maps the name of a zone with a NAT gateway to that gateway's subnet.
	EgressSubnetIDs pulumi.StringMapOutput `pulumi:"egressSubnetIDs"`
	// NATGatewayIDs maps the name of a zone to its NAT gateway, "nat-…".
	NATGatewayIDs pulumi.StringMapOutput `pulumi:"natGatewayIDs"`
	// NATAddresses maps the name of a zone to the public IPv4 address of its NAT gateway.
	NATAddresses pulumi.StringMapOutput `pulumi:"natAddresses"`
	// PrivateRouteTableIDs maps a zone's name to the route table of its node subnet, "rtb-…".
	PrivateRouteTableIDs pulumi.StringMapOutput `pulumi:"privateRouteTableIDs"`
	// PublicRouteTableID is the route table of the public and egress subnets; "" without one.
	PublicRouteTableID pulumi.StringOutput `pulumi:"publicRouteTableID"`
	// S3EndpointID is the ID of the gateway endpoint for S3, "vpce-…".
	S3EndpointID pulumi.StringOutput `pulumi:"s3EndpointID"`
	// SecondaryCIDR is the VPC's second CIDR, "" without one.
	SecondaryCIDR pulumi.StringOutput `pulumi:"secondaryCIDR"`
	// SecondarySubnetIDs maps a zone's name to its node subnet in the second CIDR; empty without one.
	SecondarySubnetIDs pulumi.StringMapOutput `pulumi:"secondarySubnetIDs"`
	// NodeSecurityGroupIDs are the existing security groups for node pools.
	NodeSecurityGroupIDs pulumi.StringArrayOutput `pulumi:"nodeSecurityGroupIDs"`
	// InterfaceEndpointIDs maps a service's name, such as "ecr.api", to its interface endpoint.
	InterfaceEndpointIDs pulumi.StringMapOutput `pulumi:"interfaceEndpointIDs"`
	// ProxyAddress is the URL of the proxy for HTTP, "http://<host>:<port>"; "" without a proxy.
	ProxyAddress pulumi.StringOutput `pulumi:"proxyAddress"`
	// SecureProxyAddress is the URL of the proxy for HTTPS, "" if it is ProxyAddress.
	SecureProxyAddress pulumi.StringOutput `pulumi:"secureProxyAddress"`
	// FlowLogID is the flow log's ID, "fl-…", "" without one.
	FlowLogID pulumi.StringOutput `pulumi:"flowLogID"`
	// FlowLogDestination is the ARN of the log group or bucket of the flow log, "" without one.
	FlowLogDestination pulumi.StringOutput `pulumi:"flowLogDestination"`
	// BastionInstanceID is the bastion's ID, "i-…", to which `aws ssm start-session` connects; "" without
	// one.
	BastionInstanceID pulumi.StringOutput `pulumi:"bastionInstanceID"`
	// BastionAddress is the bastion's public IPv4 address, "" without one.
	BastionAddress pulumi.StringOutput `pulumi:"bastionAddress"`
	// PrivateZone is the private hosted zone <prefix>.<baseDomain>.
	PrivateZone HostedZone `pulumi:"privateZone"`
	// LocalZone is the private hosted zone <name>.hypershift.local; empty with endpointAccess Public.
	LocalZone HostedZone `pulumi:"localZone"`
	// PublicZone is the base domain's existing public zone; empty with endpointAccess Private.
	PublicZone HostedZone `pulumi:"publicZone"`
}

// NewGuestNetwork registers the network's resources. It fails with every fault in args at once, and then with every fault that
// a lookup shows: zones of another region, a base domain without a public zone in the account, an unsuitable existing VPC.
func NewGuestNetwork(ctx *pulumi.Context, name string, args *GuestNetworkArgs, opts ...pulumi.ResourceOption) (*GuestNetwork, error) {
	if args == nil {
		args = &GuestNetworkArgs{}
	}
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("guest network %q: %w", name, err)
	}
	n := &GuestNetwork{}
	if err := ctx.RegisterComponentResource(guestNetworkType, name, n, opts...); err != nil {
		return nil, fmt.Errorf("registering guest network %q: %w", name, err)
	}
	b := &builder{ctx: ctx, name: name, args: args, network: n, owner: n, nat: args.natOrDefault(), profile: hostedProfile(args)}
	for _, step := range []func() error{b.registerOwner, b.locate, b.lookUp, b.build} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("guest network %q: %w", name, err)
		}
	}
	return n, ctx.RegisterResourceOutputs(n, outputs.Of(n))
}
