// Package network creates the network of a hosted cluster's nodes: GuestNetwork, a VPC for an EndpointAccess, with its
// subnets, egress, routes and hosted zones. It is for programs that need a HyperShift guest network, with or without
// the rest of this project.
package network

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
)

const guestNetworkType = "hypershift-aws:network:GuestNetwork"

// GuestOutputs are the outputs that a GuestNetwork has in common with the stack of its cluster.
type GuestOutputs struct {
	Outputs
	// MachineCIDR is the VPC's first IPv4 CIDR, which HyperShift's infra document contains.
	MachineCIDR pulumi.StringOutput `pulumi:"machineCIDR"`
	// MachineCIDRs are the CIDRs of all node subnets, MachineCIDR before SecondaryCIDR: a HostedCluster's
	// spec.networking.machineNetwork. HyperShift opens the nodes' security group and the endpoint of their control plane
	// to these CIDRs only. Source: HyperShift, control-plane-operator/controllers/hostedcontrolplane and awsprivatelink.
	MachineCIDRs pulumi.StringArrayOutput `pulumi:"machineCIDRs"`
	// DHCPOptionsID is the ID of the VPC's DHCP options, "dopt-…".
	DHCPOptionsID pulumi.StringOutput `pulumi:"dhcpOptionsID"`
	// DefaultSecurityGroupID is the ID of the VPC's default security group, "sg-…", which has no rules: the update
	// after a refresh removes rules that were added outside the stack.
	DefaultSecurityGroupID pulumi.StringOutput `pulumi:"defaultSecurityGroupID"`
	// PrivateSubnetIDs maps a zone's name to its private subnet; empty where the network is public-only.
	PrivateSubnetIDs pulumi.StringMapOutput `pulumi:"privateSubnetIDs"`
	// PublicSubnetIDs maps a zone's name to its subnet for load balancers on the internet; empty with
	// endpointAccess Private.
	PublicSubnetIDs pulumi.StringMapOutput `pulumi:"publicSubnetIDs"`
	// EgressSubnetIDs maps the name of a zone with a NAT gateway to that gateway's subnet.
	EgressSubnetIDs pulumi.StringMapOutput `pulumi:"egressSubnetIDs"`
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
	// FlowLogDestination is the ARN of the log group or bucket of the flow log, "" without one.
	FlowLogDestination pulumi.StringOutput `pulumi:"flowLogDestination"`
}

// GuestNetwork is the VPC of a hosted cluster's nodes, with the subnets, gateways and hosted zones of its
// EndpointAccess. Names, tags and CIDRs are those that HyperShift and its operators expect.
type GuestNetwork struct {
	pulumi.ResourceState
	GuestOutputs

	// Zones are the names of the zones for nodes, in the order of their slots.
	Zones []string

	// VPCOwnerAccountID and ClusterAccountID are the accounts of a shared VPC's owner and of the cluster, "" if both
	// are the same account.
	VPCOwnerAccountID, ClusterAccountID string

	// NodeCIDRs are MachineCIDRs as a list whose length is known: plain strings, unless they are looked up in an existing
	// VPC whose ID is an output.
	NodeCIDRs []pulumi.StringInput
	// NodeSubnetIDs maps a zone's name to the subnet of its nodes, "subnet-…": the private one, or the public one if
	// the network is public-only.
	NodeSubnetIDs pulumi.StringMapOutput `pulumi:"nodeSubnetIDs"`
	nodeSubnets   map[string]pulumi.StringOutput
	// ProxyAddress is the URL of the proxy for HTTP, "http://<host>:<port>"; "" without a proxy.
	ProxyAddress pulumi.StringOutput `pulumi:"proxyAddress"`
	// SecureProxyAddress is the URL of the proxy for HTTPS, "" if it is ProxyAddress.
	SecureProxyAddress pulumi.StringOutput `pulumi:"secureProxyAddress"`
	// PrivateZone is the private hosted zone <prefix>.<baseDomain>.
	PrivateZone HostedZone `pulumi:"privateZone"`
	// LocalZone is the private hosted zone <name>.hypershift.local; empty with endpointAccess Public.
	LocalZone HostedZone `pulumi:"localZone"`
	// PublicZone is the base domain's public zone; empty with endpointAccess Private.
	PublicZone HostedZone `pulumi:"publicZone"`
	// PublicZoneNameServers are the name servers of a public zone that is created; empty for an existing one.
	PublicZoneNameServers pulumi.StringArrayOutput `pulumi:"publicZoneNameServers"`
	// PublicZoneDelegation is a sentence with the NS records that must be created and their zone, so that names in a
	// public zone that is created resolve; "" if they exist.
	PublicZoneDelegation pulumi.StringOutput `pulumi:"publicZoneDelegation"`
}

// NodeSubnetID returns the ID of the subnet of a zone's nodes, "" for a zone that is not one of Zones. A preview knows
// it even if the network gets another zone, which makes NodeSubnetIDs unknown.
func (n *GuestNetwork) NodeSubnetID(zone string) pulumi.StringOutput {
	if id, is := n.nodeSubnets[zone]; is {
		return id
	}
	return text("")
}

// NewGuestNetwork registers the network's resources. The error lists every fault in args, or else every fault that a
// lookup shows: zones of another region, a base domain without a public zone in the account, an unsuitable existing
// VPC.
func NewGuestNetwork(
	ctx *pulumi.Context,
	name string,
	args *GuestNetworkArgs,
	opts ...pulumi.ResourceOption,
) (*GuestNetwork, error) {
	return component.New(ctx, guestNetworkType, "guest network", name, args, opts,
		func(n *GuestNetwork, args *GuestNetworkArgs) error {
			base := newBuilder(ctx, name, args.Base(), n)
			g := &guest{site: base.site, args: args, network: n, cluster: n}
			b := &guestBuilder{
				guest:  g,
				base:   base,
				zones:  &privateZones{guest: g, existing: base.existing},
				public: &publicZone{guest: g},
				proxy:  &proxyEndpoint{guest: g},
			}
			base.first = b.zones.create
			base.existing.inUse, base.existing.checkZones = b.zones.clusterExists, b.zones.check
			for _, step := range []func() error{b.registerOwner, base.locate, b.lookUp, b.build} {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		})
}

// guest is where the network of a hosted cluster is registered.
type guest struct {
	*site
	args    *GuestNetworkArgs
	network *GuestNetwork
	// cluster is the parent of the resources in the cluster's account: the network, or a part of it with another provider.
	cluster pulumi.Resource
}

// guestBuilder adds what only a hosted cluster has to its network: hosted zones, a proxy, security groups of nodes,
// another owner.
type guestBuilder struct {
	*guest
	base   *builder
	zones  *privateZones
	public *publicZone
	proxy  *proxyEndpoint
	// securityGroups are the existing security groups of nodes.
	securityGroups []pulumi.StringInput
}

// lookUp looks up everything that args refer to. It returns a fault for each thing that does not exist or cannot be
// used, before anything is created; a VPC is created beside the lookups of the zones.
func (b *guestBuilder) lookUp() error {
	var faults fault.Faults
	faults.Join("shared", b.findAccounts())
	b.begin("", b.public.find)
	faults.Join("", b.base.lookUp())
	faults.Join("", b.findSecurityGroups())
	faults.Join("proxy", b.proxy.find())
	return b.settle(faults.Err())
}

func (b *guestBuilder) build() error {
	if err := b.base.build(); err != nil {
		return err
	}
	n, vpc := b.network, b.base.vpcNetwork
	n.GuestOutputs, n.Zones, n.NodeCIDRs, n.NodeSubnetIDs = *b.out, zoneNames(b.base.zones), vpc.cidrInputs,
		stringMap(vpc.nodeSubnets)
	n.nodeSubnets = vpc.nodeSubnets
	n.NodeSecurityGroupIDs = pulumi.StringArray(b.securityGroups).ToStringArrayOutput()
	for _, part := range []func(*vpcNetwork) error{b.proxy.create, b.shareSubnets} {
		if err := part(vpc); err != nil {
			return err
		}
	}
	return b.public.create()
}
