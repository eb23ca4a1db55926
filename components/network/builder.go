package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

// builder has what the functions that register a network share.
type builder struct {
	ctx     *pulumi.Context
	name    string
	args    *GuestNetworkArgs
	profile profile
	network *GuestNetwork
	// owner is the parent of the VPC and its parts: the network, or the component for the VPC owner's account.
	owner  pulumi.Resource
	region string
	// accountID is the VPC's account, "" until account has looked it up.
	accountID string
	// layout is the layout of a VPC that is created.
	layout layout.Layout
	// nat is the strategy, with its default.
	nat NATStrategy
	// zones are sorted by slot.
	zones []placedZone
	// subnets are the subnets that are created.
	subnets []createdSubnet
	// found has the results of the lookups.
	found *findings
	// given maps the name of a zone to the zone as it was given, by name or by ID.
	given map[string]string
	// base is the VPC with its subnets, created or existing.
	base *vpcNetwork
	// bastionGroupID is nil without a bastion.
	bastionGroupID *pulumi.StringOutput
}

// vpcNetwork is a VPC with its subnets, created or existing, which the other parts of the network use.
type vpcNetwork struct {
	vpcID pulumi.StringOutput
	// cidrs are the VPC's CIDRs that contain node subnets.
	cidrs []nodeCIDR
	// nodeSubnets and publicSubnets are by zone. In mode Private there are no public ones.
	nodeSubnets, publicSubnets map[string]pulumi.StringOutput
	// privateSubnets are by zone, whether nodes are in them or not.
	privateSubnets map[string]pulumi.StringOutput
	// internet are the resources that a host with a public address depends on.
	internet []pulumi.Resource
}

// nodeCIDR is a CIDR of the VPC.
type nodeCIDR struct {
	// suffix is the suffix of the names of the CIDR's rules, "" for the VPC's first CIDR.
	suffix string
	block  pulumi.StringInput
}

func (b *builder) build() error {
	network := b.createVPC
	if b.args.Existing != nil {
		network = b.useExistingVPC
	}
	v, err := network()
	if err != nil {
		return err
	}
	b.base = v
	b.network.NodeSubnetIDs = stringMap(v.nodeSubnets)
	var blocks pulumi.StringArray
	for _, cidr := range v.cidrs {
		blocks = append(blocks, cidr.block)
	}
	b.network.MachineCIDRs = blocks.ToStringArrayOutput()
	parts := []func(*vpcNetwork) error{b.interfaceEndpoints, b.hostedZones, b.securityGroups, b.proxy, b.flowLogs, b.bastion, b.shareSubnets}
	if !b.profile.hosted {
		parts = []func(*vpcNetwork) error{b.interfaceEndpoints, b.flowLogs, b.bastion}
	}
	for _, part := range parts {
		if err := part(v); err != nil {
			return err
		}
	}
	return nil
}

// createVPC creates the VPC with its subnets, gateways and routes.
func (b *builder) createVPC() (*vpcNetwork, error) {
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
	v := &vpcNetwork{
		vpcID:       vpc.ID().ToStringOutput(),
		cidrs:       []nodeCIDR{{block: vpc.CidrBlock}},
		nodeSubnets: ids(private.subnets), privateSubnets: ids(private.subnets),
	}
	if b.args.EndpointAccess.HasPublic() {
		v.publicSubnets = ids(public.subnets)
		v.internet = []pulumi.Resource{gateway, public.route}
	}
	if b.profile.publicMachines {
		v.nodeSubnets = v.publicSubnets
	}
	if err := b.secondarySide(v, vpc, private); err != nil {
		return nil, err
	}
	return v, b.s3Endpoint(vpc, private, public)
}

// ids returns the IDs of subnets.
func ids(subnets map[string]*ec2.Subnet) map[string]pulumi.StringOutput {
	ids := make(map[string]pulumi.StringOutput, len(subnets))
	for zone, subnet := range subnets {
		ids[zone] = subnet.ID().ToStringOutput()
	}
	return ids
}

func stringMap(values map[string]pulumi.StringOutput) pulumi.StringMapOutput {
	m := make(pulumi.StringMap, len(values))
	for key, value := range values {
		m[key] = value
	}
	return m.ToStringMapOutput()
}

func text(s string) pulumi.StringOutput { return pulumi.String(s).ToStringOutput() }

// child returns the resource name of a part of the network.
func (b *builder) child(part string) string { return b.name + "-" + part }

// tags returns the tags of a part with the given Name, or "" for none.
func (b *builder) tags(name string) pulumi.StringMap {
	return pulumi.ToStringMap(b.profile.tagging.Plain(name))
}

// parent makes a resource a child of the VPC's owner, with the owner's provider.
func (b *builder) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(b.owner) }

// account returns the ID of the VPC's account.
func (b *builder) account() (string, error) {
	var err error
	if b.accountID == "" {
		b.accountID, err = location.LookupAccount(b.ctx, b.parent())
	}
	return b.accountID, err
}
