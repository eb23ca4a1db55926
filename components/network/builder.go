package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/lookup"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
)

// builder has what the functions that register a network share.
type builder struct {
	ctx  *pulumi.Context
	name string
	args *BaseNetworkArgs
	// owner is the parent of the VPC and its parts: the network, or the component for the VPC owner's account.
	owner pulumi.Resource
	// inUse reports whether an existing subnet already belongs to the cluster, and checkZones checks existing hosted zones.
	inUse      func(c *vpcCheck, subnet existingSubnet) bool
	checkZones func(c *vpcCheck) error
	region     string
	// accountID is the VPC's account, "" until account has looked it up.
	accountID string
	// permissionsBoundary limits the roles for flow logs and the bastion.
	permissionsBoundary pulumi.StringInput
	// layout is the layout of a VPC that is created.
	layout layout.Layout
	// zones are sorted by slot; zoneAsGiven maps their names to the zones in the args, by name or by ID.
	zones       []placedZone
	zoneAsGiven map[string]string
	// existing is nil if a VPC is created.
	existing *existingVPC
	// addresses are the public addresses of the elastic IPs in the args, by zone.
	addresses map[string]pulumi.StringOutput
	// publicIPv4Pool is the pool of the addresses of NAT gateways, known once it has been checked.
	publicIPv4Pool pulumi.StringInput
	// endpointGroups are the additional security groups of interface endpoints, known once they have been checked.
	endpointGroups []pulumi.StringInput
	// transitGatewayID is the ID of the transit gateway, known as soon as it is looked up.
	transitGatewayID pulumi.StringInput
	// firewallService is the name of the firewall's endpoint service, known once it has been checked.
	firewallService pulumi.StringInput
	// endpointZones are the network's zones that offer a service, by the service's name.
	endpointZones map[string][]string
	// bastionImage is the ID of the bastion's AMI.
	bastionImage string

	// vpcNetwork is the VPC with its subnets, created or existing.
	*vpcNetwork
	// clusterSubnets are the subnets that are created for machines and load balancers.
	clusterSubnets []clusterSubnet
	// nodeCIDRs are the CIDRs of node subnets, as a list whose length is known.
	nodeCIDRs []pulumi.StringInput
	// bastionGroupID is "" without a bastion.
	bastionGroupID pulumi.StringOutput
	// vpcIPv6CIDR is "" without IPv6.
	vpcIPv6CIDR pulumi.StringOutput
	// out are the outputs.
	out GuestOutputs
}

func newBuilder(ctx *pulumi.Context, name string, args *BaseNetworkArgs, network pulumi.Resource) *builder {
	b := &builder{
		ctx: ctx, name: name, args: args, owner: network, permissionsBoundary: args.PermissionsBoundary, bastionGroupID: text(""), vpcIPv6CIDR: text(""),
		inUse: isTagged, checkZones: func(*vpcCheck) error { return nil },
	}
	outputs.Clear(&b.out)
	return b
}

// zoneNames returns the names of zones.
func zoneNames(zones []placedZone) []string {
	var names []string
	for _, zone := range zones {
		names = append(names, zone.name)
	}
	return names
}

// clusterSubnet is a created subnet, with its tags.
type clusterSubnet struct {
	part   string
	subnet *ec2.Subnet
	tags   map[string]string
}

// vpcNetwork is a VPC with its subnets, created or existing, which the other parts of the network use.
type vpcNetwork struct {
	vpcID pulumi.StringOutput
	// cidrs are the VPC's CIDRs that contain node subnets.
	cidrs []nodeCIDR
	// nodeSubnets and publicSubnets are by zone. Mode Private has no public subnets.
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
	var err error
	if b.vpcNetwork, err = network(); err != nil {
		return err
	}
	var blocks pulumi.StringArray
	for _, cidr := range b.cidrs {
		blocks = append(blocks, cidr.block)
	}
	b.out.MachineCIDRs = blocks.ToStringArrayOutput()
	if err := b.tagSubnets(); err != nil {
		return err
	}
	for _, part := range []func(*vpcNetwork) error{b.interfaceEndpoints, b.flowLogs, b.bastion} {
		if err := part(b.vpcNetwork); err != nil {
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
	if b.args.PublicSubnets {
		v.publicSubnets = ids(public.subnets)
		v.internet = []pulumi.Resource{gateway, public.route}
	}
	if b.args.PublicMachines {
		v.nodeSubnets = v.publicSubnets
	}
	if err := b.secondarySide(v, vpc, private); err != nil {
		return nil, err
	}
	if err := b.egressOnlyGateway(vpc, private); err != nil {
		return nil, err
	}
	if err := b.transitGateway(vpc, private); err != nil {
		return nil, err
	}
	if err := b.firewallEndpoints(vpc, public, private); err != nil {
		return nil, err
	}
	return v, b.gatewayEndpoints(vpc, private, public)
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
	return pulumi.ToStringMap(b.args.Tagging.Plain(name))
}

// parent makes the component in the VPC owner's account the parent of a resource, and uses that account's provider.
func (b *builder) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(b.owner) }

// account returns the ID of the VPC's account.
func (b *builder) account() (string, error) {
	var err error
	if b.accountID == "" {
		b.accountID, err = location.LookupAccount(b.ctx, b.parent())
	}
	return b.accountID, err
}

// role registers a role for a part of the network, with the policy of the same name unless that is nil.
func (b *builder) role(part, name string, trust, document pulumi.StringInput) (*iamrole.Role, error) {
	args := &iamrole.Args{
		Name: name, Path: b.args.RolePath, PermissionsBoundary: b.permissionsBoundary, Trust: trust, Tags: b.args.Tagging.IAM(),
	}
	if document != nil {
		args.Inline = []iamrole.InlinePolicy{{Name: name, Document: document}}
	}
	return iamrole.New(b.ctx, b.child(part), args, b.parent())
}

// locate looks up the provider's region, and computes the layout of the network.
func (b *builder) locate() error {
	region, err := location.LookupRegion(b.ctx, b.parent())
	if err != nil {
		return err
	}
	b.region = region
	zones := "zones"
	if b.args.Existing != nil {
		zones = "existing.subnets"
	}
	var faults fault.Faults
	faults.Join(zones, ValidateZonesIn(b.region, b.args.zones()))
	before := b.args.zones()
	faults.Join(zones, b.nameZones())
	if err := faults.Err(); err != nil {
		return err
	}
	b.zoneAsGiven = map[string]string{}
	for i, zone := range b.args.zones() {
		b.zoneAsGiven[zone.Name] = before[i].Name
	}
	b.zones = place(b.args.zones())
	if err := b.allocateVPCCIDR(); err != nil {
		return err
	}
	b.layout, err = layout.New(b.args.VPCCIDR, b.args.Reserved)
	return err
}

// lookUp looks up everything that args refer to. It returns a fault for each thing that does not exist or cannot be used,
// before anything is created.
func (b *builder) lookUp() error {
	var faults fault.Faults
	if b.args.Existing != nil {
		faults.Join("", b.findExisting())
	}
	faults.Join("interfaceEndpoints", b.findServiceZones())
	faults.Join("transitGateway.id", b.findTransitGateway())
	faults.Join("", b.findFirewallService())
	faults.Join("elasticIPs", b.findElasticIPs())
	faults.Join("", b.findPublicIPv4Pool())
	faults.Join("", b.findEndpointGroups())
	faults.Join("bastion", b.findBastionImage())
	return faults.Err()
}

// lookupFault returns the fault for an ID whose lookup failed.
func lookupFault(id string, err error, remedy string) *fault.Fault {
	return &fault.Fault{Value: id, Problem: "cannot be looked up: " + lookup.Cause(err), Remedy: remedy}
}
