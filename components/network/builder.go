package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// builder is what the parts of one network share while they are registered.
type builder struct {
	ctx     *pulumi.Context
	name    string
	args    *GuestNetworkArgs
	profile profile
	network *GuestNetwork
	// owner is what the VPC and its parts are children of: the network, or that part of it which is in
	// the account of the VPC's owner.
	owner  pulumi.Resource
	region string
	// layout is that of a VPC that is made.
	layout Layout
	// nat is the strategy that holds.
	nat NATStrategy
	// zones are sorted by slot.
	zones []placedZone
	// subnets are those that are made.
	subnets []madeSubnet
	// found is what AWS has of the things that args refer to.
	found *findings
	// given maps the name of a zone to the zone as it was given, by name or by ID.
	given map[string]string
	// base is the VPC with its subnets, once it is made or looked up.
	base *ground
	// bastionGroupID is nil without a bastion.
	bastionGroupID *pulumi.StringOutput
}

// ground is what the rest of a network stands on: a VPC with subnets, made or given.
type ground struct {
	vpcID pulumi.StringOutput
	// cidrs are the VPC's CIDRs that nodes have addresses of.
	cidrs []nodeCIDR
	// nodeSubnets and publicSubnets are by zone. In mode Private there are no public ones.
	nodeSubnets, publicSubnets map[string]pulumi.StringOutput
	// privateSubnets are by zone, whether nodes are in them or not.
	privateSubnets map[string]pulumi.StringOutput
	// internet is what a host with a public address needs, and what it must be gone before.
	internet []pulumi.Resource
}

// nodeCIDR is a CIDR of the VPC.
type nodeCIDR struct {
	// suffix tells the rules for the CIDR apart, "" for the VPC's first.
	suffix string
	block  pulumi.StringInput
}

func (b *builder) build() error {
	lay := b.ownGround
	if b.args.Existing != nil {
		lay = b.existingGround
	}
	g, err := lay()
	if err != nil {
		return err
	}
	b.base = g
	b.network.NodeSubnetIDs = stringMap(g.nodeSubnets)
	var blocks pulumi.StringArray
	for _, cidr := range g.cidrs {
		blocks = append(blocks, cidr.block)
	}
	b.network.MachineCIDRs = blocks.ToStringArrayOutput()
	parts := []func(*ground) error{b.interfaceEndpoints, b.hostedZones, b.securityGroups, b.proxy, b.flowLogs, b.bastion, b.shareSubnets}
	if !b.profile.hosted {
		parts = []func(*ground) error{b.interfaceEndpoints, b.flowLogs, b.bastion}
	}
	for _, part := range parts {
		if err := part(g); err != nil {
			return err
		}
	}
	return nil
}

// ownGround makes the VPC and all of its parts.
func (b *builder) ownGround() (*ground, error) {
	vpc, err := b.vpc()
	if err != nil {
		return nil, err
	}
	gateway, err := b.internetGateway(vpc)
	if err != nil {
		return nil, err
	}
	public, err := b.publicSide(vpc, gateway)
	if err != nil {
		return nil, err
	}
	gateways, err := b.natGateways(gateway, public)
	if err != nil {
		return nil, err
	}
	private, err := b.privateSide(vpc, gateways)
	if err != nil {
		return nil, err
	}
	g := &ground{
		vpcID:       vpc.ID().ToStringOutput(),
		cidrs:       []nodeCIDR{{block: vpc.CidrBlock}},
		nodeSubnets: ids(private.subnets), privateSubnets: ids(private.subnets),
	}
	if b.args.EndpointAccess.HasPublic() {
		g.publicSubnets = ids(public.subnets)
		g.internet = []pulumi.Resource{gateway, public.route}
	}
	if b.profile.publicMachines {
		g.nodeSubnets = g.publicSubnets
	}
	if err := b.secondarySide(g, vpc, private); err != nil {
		return nil, err
	}
	return g, b.s3Endpoint(vpc, private, public)
}

// ids are the IDs of subnets.
func ids(subnets map[string]*ec2.Subnet) map[string]pulumi.StringOutput {
	ids := make(map[string]pulumi.StringOutput, len(subnets))
	for zone, subnet := range subnets {
		ids[zone] = subnet.ID().ToStringOutput()
	}
	return ids
}

// inOrder lists values by zone in the order of the zones' slots.
func (b *builder) inOrder(values map[string]pulumi.StringOutput) pulumi.StringArray {
	var list pulumi.StringArray
	for _, zone := range b.zones {
		if value, ok := values[zone.name]; ok {
			list = append(list, value)
		}
	}
	return list
}

func stringMap(values map[string]pulumi.StringOutput) pulumi.StringMapOutput {
	m := make(pulumi.StringMap, len(values))
	for key, value := range values {
		m[key] = value
	}
	return m.ToStringMapOutput()
}

func text(s string) pulumi.StringOutput { return pulumi.String(s).ToStringOutput() }

// child names a part of the network after the network.
func (b *builder) child(part string) string { return b.name + "-" + part }

// tags are the tags of a part with the given Name, "" for none.
func (b *builder) tags(name string) pulumi.StringMap {
	return pulumi.ToStringMap(b.profile.tagging.Plain(name))
}

// parent makes a resource a child of the VPC's owner, with the owner's provider.
func (b *builder) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(b.owner) }
