package network

import (
	"slices"
	"sync"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
)

// site is where a network is registered: what each of its parts needs.
type site struct {
	ctx  *pulumi.Context
	name string
	args *BaseNetworkArgs
	// owner is the parent of the VPC and its parts: the network, or the component for the VPC owner's account.
	owner  pulumi.Resource
	region string
	// account returns the ID of the VPC's account, which is looked up once.
	account func() (string, error)
	// begun are the lookups that the VPC does not wait for.
	begun []begunLookup
	// permissionsBoundary limits the roles for flow logs and the bastion.
	permissionsBoundary pulumi.StringInput
	// zones are sorted by slot.
	zones []placedZone
	// out are the outputs, each set by the part that creates it.
	out *GuestOutputs
}

// builder registers a network part by part. Each part has what it looked up before anything was created.
type builder struct {
	*site
	nat       *natGateways
	transit   *transitAttachment
	firewall  *firewallEndpoints
	endpoints *endpoints
	host      *bastionHost
	// existing is the existing VPC, if the args name one.
	existing *existingVPC
	// first registers what takes longest as soon as the VPC is registered: of as many operations as the engine runs at
	// once, it is to be among the first.
	first func(*vpcNetwork) error
	// zoneAsGiven maps the zones' names to the zones in the args, by name or by ID.
	zoneAsGiven map[string]string
	// layout is the layout of a VPC that is created.
	layout layout.Layout

	// vpcNetwork is the VPC with its subnets, created or existing.
	*vpcNetwork
}

func newBuilder(ctx *pulumi.Context, name string, args *BaseNetworkArgs, network pulumi.Resource) *builder {
	s := &site{
		ctx:                 ctx,
		name:                name,
		args:                args,
		owner:               network,
		permissionsBoundary: args.PermissionsBoundary,
		out:                 &GuestOutputs{},
	}
	s.account = sync.OnceValues(func() (string, error) { return location.LookupAccount(ctx, s.parent()) })
	outputs.Clear(s.out)
	return &builder{
		site: s, nat: &natGateways{site: s}, transit: &transitAttachment{site: s}, firewall: &firewallEndpoints{site: s},
		endpoints: &endpoints{site: s},
		host:      &bastionHost{site: s, groupID: text("")},
		first:     func(*vpcNetwork) error { return nil },
		existing:  &existingVPC{site: s, inUse: isTagged, checkZones: func(*vpcCheck) error { return nil }},
	}
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
	// cidrInputs are the same CIDRs, as plain text if they are known.
	cidrInputs []pulumi.StringInput
	// ipv6CIDR is the VPC's IPv6 CIDR, "" without IPv6.
	ipv6CIDR pulumi.StringOutput
	// nodeSubnets and publicSubnets are by zone. Mode Private has no public subnets.
	nodeSubnets, publicSubnets map[string]pulumi.StringOutput
	// privateSubnets are by zone, whether nodes are in them or not.
	privateSubnets map[string]pulumi.StringOutput
	// created are the subnets that are created for machines and load balancers.
	created []clusterSubnet
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
		network = b.existing.use
	}
	var err error
	if b.vpcNetwork, err = network(); err != nil {
		return err
	}
	if b.args.Existing != nil {
		if err := b.first(b.vpcNetwork); err != nil {
			return err
		}
	}
	var blocks pulumi.StringArray
	for _, cidr := range b.cidrs {
		blocks = append(blocks, cidr.block)
	}
	b.out.MachineCIDRs = blocks.ToStringArrayOutput()
	if err := b.existing.tagSubnets(); err != nil {
		return err
	}
	for _, part := range []func(*vpcNetwork) error{b.endpoints.createInterfaces, flowLog{b.site}.create, b.host.create} {
		if err := part(b.vpcNetwork); err != nil {
			return err
		}
	}
	return nil
}

// createVPC creates the VPC with its subnets, gateways and routes.
func (b *builder) createVPC() (*vpcNetwork, error) {
	n := &newVPC{site: b.site, layout: b.layout, vpcNetwork: &vpcNetwork{ipv6CIDR: text("")}}
	vpc, err := n.vpc()
	if err != nil {
		return nil, err
	}
	if err := b.joinLookups(); err != nil {
		return nil, err
	}
	if err := b.first(n.vpcNetwork); err != nil {
		return nil, err
	}
	gateway, err := n.internetGateway(vpc)
	if err != nil {
		return nil, err
	}
	public, err := n.publicSide(vpc, gateway)
	if err != nil {
		return nil, err
	}
	gateways, err := b.nat.create(gateway, public)
	if err != nil {
		return nil, err
	}
	private, err := n.privateSide(vpc, gateways)
	if err != nil {
		return nil, err
	}
	n.nodeSubnets, n.privateSubnets = ids(private.subnets), ids(private.subnets)
	if b.args.PublicSubnets {
		n.publicSubnets = ids(public.subnets)
		n.internet = []pulumi.Resource{gateway, public.route}
	}
	if b.args.PublicMachines {
		n.nodeSubnets = n.publicSubnets
	}
	if err := n.secondarySide(vpc, private); err != nil {
		return nil, err
	}
	if err := n.egressOnlyGateway(vpc, private); err != nil {
		return nil, err
	}
	if err := b.transit.create(vpc, private); err != nil {
		return nil, err
	}
	if err := b.firewall.create(vpc, public, private); err != nil {
		return nil, err
	}
	return n.vpcNetwork, b.endpoints.createGateways(vpc, private, public)
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
func (s *site) child(part string) string { return s.name + "-" + part }

// tags returns the tags of a part with the given Name, or "" for none.
func (s *site) tags(name string) pulumi.StringMap {
	return pulumi.ToStringMap(s.args.Tagging.Plain(name))
}

// parent makes the component in the VPC owner's account the parent of a resource, and uses that account's provider.
func (s *site) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(s.owner) }

// begunLookup is a lookup that runs beside what follows. err is why the field at path is refused, once done is closed.
type begunLookup struct {
	path string
	done chan struct{}
	err  *error
}

// begin begins a lookup that no input of the VPC depends on: AWS creates the VPC in the meantime. A preview reports
// what the lookup refuses before anything is created. joinLookups waits for it.
func (s *site) begin(path string, lookUp func() error) {
	begun := begunLookup{path, make(chan struct{}), new(error)}
	s.begun = append(s.begun, begun)
	go func() {
		defer close(begun.done)
		*begun.err = lookUp()
	}()
}

// settle returns the faults that the other lookups have shown, with those of the lookups that were begun. Without any,
// and if a VPC is created, it does not wait for these.
func (s *site) settle(shown error) error {
	if shown == nil && s.args.Existing == nil {
		return nil
	}
	var faults fault.Faults
	faults.Join("", s.joinLookups())
	faults.Join("", shown)
	return faults.Err()
}

// joinLookups returns the faults of the lookups that were begun.
func (s *site) joinLookups() error {
	var faults fault.Faults
	for _, lookup := range s.begun {
		<-lookup.done
		faults.Join(lookup.path, *lookup.err)
	}
	s.begun = nil
	return faults.Err()
}

// role registers a role for a part of the network, with the policy of the same name unless that is nil.
func (s *site) role(part, name string, trust, document pulumi.StringInput) (*iamrole.Role, error) {
	args := &iamrole.Args{
		Name: name, Path: s.args.RolePath, PermissionsBoundary: s.permissionsBoundary, Trust: trust,
		Tags: s.args.Tagging.IAM(),
	}
	if document != nil {
		args.Inline = []iamrole.InlinePolicy{{Name: name, Document: document}}
	}
	return iamrole.New(s.ctx, s.child(part), args, s.parent())
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
	if slices.ContainsFunc(before, func(z Zone) bool { return isZoneID(z.Name) }) {
		faults.Join(zones, b.nameZones())
	} else if len(before) > 0 {
		b.begin(zones, func() error { return b.checkZones(before) })
	}
	if err := faults.Err(); err != nil {
		return b.settle(err)
	}
	b.zoneAsGiven = map[string]string{}
	for i, zone := range b.args.zones() {
		b.zoneAsGiven[zone.Name] = before[i].Name
	}
	b.zones = place(b.args.zones())
	if b.args.Existing != nil {
		return nil // its CIDRs are looked up
	}
	if err := (vpcCIDR{b.site}).allocate(); err != nil {
		return err
	}
	b.layout, err = layout.New(b.args.VPCCIDR, b.args.Reserved)
	return err
}

// lookUp looks up everything that args refer to, but what begin has begun. It returns a fault for each thing that does
// not exist or cannot be used, before anything is created.
func (b *builder) lookUp() error {
	var faults fault.Faults
	if b.args.Existing != nil {
		faults.Join("", b.existing.find())
	}
	faults.Join("interfaceEndpoints", b.endpoints.findZones())
	faults.Join("transitGateway.id", b.transit.find())
	faults.Join("", b.firewall.find())
	faults.Join("elasticIPs", b.nat.findElasticIPs())
	faults.Join("", b.nat.findPool())
	faults.Join("", b.endpoints.findGroups())
	faults.Join("bastion", b.host.findImage())
	return faults.Err()
}

// lookupFault returns the fault for an ID whose lookup failed. Route 53 refuses the zone of another account as it
// refuses a caller.
func lookupFault(id string, err error, remedy string) *fault.Fault {
	if allow := awsprovider.Remedy(err, remedy); allow != remedy {
		remedy = allow + "; or, if it is another account's, " + remedy
	}
	return &fault.Fault{Value: id, Problem: "cannot be looked up: " + awsprovider.Cause(err), Remedy: remedy}
}
