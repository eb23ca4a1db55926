package network

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// foundVPC has what the lookups found in the existing VPC.
type foundVPC struct {
	*ec2.LookupVpcResult
	// machineCIDRs are the CIDRs of the VPC that contain its node subnets.
	machineCIDRs []string
	// subnets are its subnets in the args.
	subnets []existingSubnet
	// privateZone and localZone are existing zones, nil for those that are created.
	privateZone, localZone *route53.LookupZoneResult
}

// existingVPC is the existing VPC, looked up before anything is created or, if one of its IDs is an output, as soon as
// all are known.
type existingVPC struct {
	*site
	// inUse reports whether an existing subnet already belongs to the cluster, and checkZones checks existing hosted
	// zones.
	inUse      func(c *vpcCheck, subnet existingSubnet) bool
	checkZones func(c *vpcCheck) error
	// plain is true if all IDs are plain text.
	plain bool
	now   *foundVPC
	later pulumi.Output
	// vpc is the VPC itself; nil if its ID is an output, and in a network with OneMachineCIDR if another ID is.
	vpc *ec2.LookupVpcResult
}

// text returns a string that was found.
func (e *existingVPC) text(of func(*foundVPC) string) pulumi.StringOutput {
	if e.now != nil {
		return text(of(e.now))
	}
	return e.later.ApplyT(func(found any) string { return of(found.(*foundVPC)) }).(pulumi.StringOutput)
}

// input returns a string that was found, as a plain value if the IDs are plain.
func (e *existingVPC) input(of func(*foundVPC) string) pulumi.StringInput {
	if e.now != nil {
		return pulumi.String(of(e.now))
	}
	return e.text(of)
}

// ids returns the IDs of the VPC and of its parts, nil for those that are not given.
func (e *ExistingVPC) ids() []*pulumi.StringInput {
	ids := []*pulumi.StringInput{&e.VPCID, &e.PrivateZoneID, &e.LocalZoneID}
	for i := range e.Subnets {
		ids = append(ids, &e.Subnets[i].Private, &e.Subnets[i].Public)
	}
	for i := range e.Further {
		ids = append(ids, &e.Further[i].ID)
	}
	return ids
}

// find looks up and checks the existing VPC.
func (e *existingVPC) find() error {
	// The copy keeps the zones' names: the args may still change while the IDs become known.
	args, existing := *e.args, *e.args.Existing
	existing.Subnets, existing.Further = slices.Clone(existing.Subnets), slices.Clone(existing.Further)
	args.Existing = &existing
	ids := existing.ids()
	inputs := make([]pulumi.StringInput, len(ids))
	for i, id := range ids {
		inputs[i] = *id
	}
	if e.plain = input.ArePlain(inputs...); e.plain {
		found, err := e.check(&args)
		e.now = found
		if found != nil {
			e.vpc = found.LookupVpcResult
		}
		return err
	}
	e.later = input.All(inputs).ApplyT(func(values []string) (*foundVPC, error) {
		for i, id := range ids {
			if *id != nil {
				*id = pulumi.String(values[i])
			}
		}
		if err := existing.validate(&args); err != nil {
			return nil, err
		}
		return e.check(&args)
	})
	if e.args.OneMachineCIDR {
		return nil
	}
	// The number of the VPC's CIDRs has to be known, and so its ID is.
	var err error
	e.vpc, err = e.lookUp(input.Text(existing.VPCID))
	return err
}

func (e *existingVPC) lookUp(id string) (*ec2.LookupVpcResult, error) {
	vpc, err := ec2.LookupVpc(e.ctx, &ec2.LookupVpcArgs{Id: &id}, e.parent())
	if err != nil {
		var faults fault.Faults
		faults.Join("existing.vpcID", lookupFault(id, err, "use a VPC of this account and region"))
		return nil, faults
	}
	return vpc, nil
}

// vpcCheck checks an existing VPC whose IDs are all known.
type vpcCheck struct {
	*existingVPC
	// args are the network's, with plain IDs, and vpc is what the checks found.
	args *BaseNetworkArgs
	vpc  *foundVPC
}

// check checks the existing VPC of args, whose IDs are plain: its DHCP options, subnets, routes, zones and endpoints.
func (e *existingVPC) check(args *BaseNetworkArgs) (*foundVPC, error) {
	vpc, err := e.lookUp(input.Text(args.Existing.VPCID))
	if err != nil {
		return nil, err
	}
	c := &vpcCheck{existingVPC: e, args: args, vpc: &foundVPC{LookupVpcResult: vpc}}
	var faults fault.Faults
	faults.Join("existing.vpcID", c.checkVPC())
	faults.Join("existing", c.findSubnets())
	faults.Join("existing", c.checkTags())
	c.warnOfPublic()
	faults.Join("", e.checkZones(c))
	faults.Join("", c.findEndpoints())
	return c.vpc, faults.Err()
}

// checkVPC checks the VPC and its DHCP options set.
func (c *vpcCheck) checkVPC() error {
	vpc := c.vpc
	facts := VPCFacts{
		ID:           vpc.Id,
		Region:       c.region,
		DNSSupport:   vpc.EnableDnsSupport,
		DNSHostnames: vpc.EnableDnsHostnames,
		DHCPOptions:  vpc.DhcpOptionsId,
	}
	if vpc.CidrBlock != "" {
		facts.CIDRs = []string{vpc.CidrBlock}
	}
	for _, association := range vpc.CidrBlockAssociations {
		if association.State == "associated" && association.CidrBlock != vpc.CidrBlock {
			facts.CIDRs = append(facts.CIDRs, association.CidrBlock)
		}
	}
	var faults fault.Faults
	options, err := ec2.LookupVpcDhcpOptions(c.ctx, &ec2.LookupVpcDhcpOptionsArgs{
		DhcpOptionsId: &vpc.DhcpOptionsId,
	}, c.parent())
	if err == nil {
		facts.DNSServers, facts.DomainName = options.DomainNameServers, options.DomainName
	} else {
		faults.Add("", vpc.DhcpOptionsId, "is the VPC's DHCP options set, which cannot be looked up: "+awsprovider.Cause(err),
			awsprovider.Remedy(err, "associate a DHCP options set with domainNameServers "+amazonDNS))
	}
	for _, doubt := range c.args.VPCDoubts(facts) {
		c.warn(vpc.Id + " " + doubt.Is + ": " + doubt.Effect + "; " + doubt.Remedy)
	}
	return slices.Concat(fault.In(c.args.CheckVPC(facts)), faults).Err()
}

// warnOfPublic names in a preview the zones without a public subnet, if the network has load balancers on the internet.
func (c *vpcCheck) warnOfPublic() {
	var zones []string
	for _, subnets := range c.args.Existing.Subnets {
		if !input.IsSet(subnets.Public) && c.args.PublicSubnets {
			zones = append(zones, subnets.Zone)
		}
	}
	if len(zones) > 0 {
		c.warn("existing.subnets has no public subnet in " + strings.Join(zones,
			", ") + ": load balancers on the internet, such as that of " +
			"the default ingress, cannot be created there; set public, or use " + c.args.WithoutPublic)
	}
}

// use returns the existing VPC, and sets its outputs.
func (e *existingVPC) use() (*vpcNetwork, error) {
	v := &vpcNetwork{
		vpcID:          e.text(func(found *foundVPC) string { return found.Id }),
		cidrs:          e.cidrs(),
		ipv6CIDR:       text(""),
		privateSubnets: map[string]pulumi.StringOutput{}, publicSubnets: map[string]pulumi.StringOutput{},
	}
	tables := map[string]pulumi.StringOutput{}
	for _, subnets := range e.args.Existing.Subnets {
		if input.IsSet(subnets.Private) {
			v.privateSubnets[subnets.Zone] = e.checked(subnets.Private)
			tables[subnets.Zone] = e.text(func(found *foundVPC) string { return found.privateTable(subnets.Zone) })
		}
		if input.IsSet(subnets.Public) && e.args.PublicSubnets {
			v.publicSubnets[subnets.Zone] = e.checked(subnets.Public)
		}
	}
	if v.nodeSubnets = v.privateSubnets; e.args.PublicMachines {
		v.nodeSubnets = v.publicSubnets
	}
	e.out.VPCID, e.out.MachineCIDR = v.vpcID, e.text((*foundVPC).machineCIDR)
	e.out.DHCPOptionsID = e.text(func(found *foundVPC) string { return found.DhcpOptionsId })
	e.out.PrivateSubnetIDs, e.out.PublicSubnetIDs, e.out.PrivateRouteTableIDs = stringMap(v.privateSubnets),
		stringMap(v.publicSubnets), stringMap(tables)
	for _, cidr := range v.cidrs {
		v.cidrInputs = append(v.cidrInputs, cidr.block)
	}
	return v, nil
}

// checked returns an ID of a part of the existing VPC, which is known once the VPC has been checked.
func (e *existingVPC) checked(id pulumi.StringInput) pulumi.StringOutput {
	if e.now != nil {
		return id.ToStringOutput()
	}
	return pulumi.All(id, e.later).ApplyT(func(values []any) string { return values[0].(string) }).(pulumi.StringOutput)
}

// privateTable returns the route table of a zone's private subnet.
func (f *foundVPC) privateTable(zone string) string {
	i := slices.IndexFunc(f.subnets, func(s existingSubnet) bool { return !s.Public && s.givenZone == zone })
	if i < 0 {
		return ""
	}
	return f.subnets[i].Table
}

// privateTables returns the route tables of all private subnets.
func (f *foundVPC) privateTables() []string {
	tables := map[string]bool{}
	for _, subnet := range f.subnets {
		if !subnet.Public {
			tables[subnet.Table] = true
		}
	}
	return slices.Sorted(maps.Keys(tables))
}

// machineCIDR returns the first CIDR that contains node subnets, in the VPC's order; "" if none does.
func (f *foundVPC) machineCIDR() string {
	if cidrs := f.sortedMachineCIDRs(); len(cidrs) > 0 {
		return cidrs[0]
	}
	return ""
}

// sortedMachineCIDRs returns the CIDRs that contain node subnets in the VPC's order, whatever the order of the subnets.
func (f *foundVPC) sortedMachineCIDRs() []string {
	var sorted []string
	for _, association := range f.CidrBlockAssociations {
		if slices.Contains(f.machineCIDRs, association.CidrBlock) {
			sorted = append(sorted, association.CidrBlock)
		}
	}
	return sorted
}

// cidrs returns the existing VPC's CIDRs for machines: with OneMachineCIDR, only those that contain the node subnets;
// otherwise all.
func (e *existingVPC) cidrs() []nodeCIDR {
	if e.args.OneMachineCIDR {
		cidrs := []nodeCIDR{{block: e.input((*foundVPC).machineCIDR)}}
		if e.now != nil {
			for _, cidr := range e.now.sortedMachineCIDRs()[min(1, len(e.now.machineCIDRs)):] {
				cidrs = append(cidrs, nodeCIDR{suffix: "-" + cidr, block: pulumi.String(cidr)})
			}
		}
		return cidrs
	}
	vpc := e.vpc
	cidrs := []nodeCIDR{{block: pulumi.String(vpc.CidrBlock)}}
	for _, association := range vpc.CidrBlockAssociations {
		if association.State == "associated" && association.CidrBlock != vpc.CidrBlock {
			cidrs = append(cidrs, nodeCIDR{suffix: "-" + association.CidrBlock, block: pulumi.String(association.CidrBlock)})
		}
	}
	return cidrs
}

// findEndpoints checks the endpoints of the existing VPC: none conflicts with one that would be created, and nodes
// without access to the internet have those that they need.
func (c *vpcCheck) findEndpoints() error {
	var faults fault.Faults
	for i, item := range c.args.InterfaceEndpoints {
		for _, service := range expandServices([]string{item}, c.args.Services) {
			faults.Join(fmt.Sprintf("interfaceEndpoints[%d]", i), c.checkConflict(service))
		}
	}
	if c.args.isolated() {
		faults.Join("nat", c.checkIsolated())
	}
	return faults.Err()
}

// checkConflict refuses an endpoint for a service with private DNS names of which the VPC already has one of another
// owner. What cannot be read is not refused.
func (c *vpcCheck) checkConflict(service string) error {
	other := c.findEndpoint(service, interfaceEndpoint, nil)
	conflict := &fault.Fault{Value: service,
		Problem: "already has an endpoint with private DNS names in the VPC, " + other.ID,
		Remedy:  "leave it out"}
	switch {
	case other.several && c.findEndpoint(service, interfaceEndpoint, c.args.Tagging.Own("")).ID == "":
		conflict.Problem = "already has several endpoints in the VPC"
		return conflict
	case other.PrivateDNS && !carries(other.tags, c.args.Tagging.Own("")):
		return conflict
	}
	return nil
}

// checkIsolated checks that nodes without access to the internet reach the services that they cannot do without, and
// warns in a preview of what they may miss.
func (c *vpcCheck) checkIsolated() error {
	var faults fault.Faults
	var missing, without []string
	for _, service := range c.args.missingServices(c.args.Services) {
		required := slices.Contains(c.args.RequiredServices, service)
		endpoint := c.findEndpoint(service, interfaceEndpoint, nil)
		switch {
		case endpoint.unread != nil && required:
			faults = append(faults, endpointUnread(service, endpoint.unread))
		case endpoint.unread != nil, endpoint.several: // at most one of them has the private DNS names
		case endpoint.ID == "" && required:
			missing = append(missing, service)
		case endpoint.ID == "":
			without = append(without, service)
		case !endpoint.PrivateDNS:
			c.warn(fmt.Sprintf("endpoint %s for %s has private DNS names turned off: nodes resolve the service's public addresses, which they cannot reach, "+
				"unless a private zone of the VPC has its names; turn them on: aws ec2 modify-vpc-endpoint --vpc-endpoint-id %[1]s --private-dns-enabled",
				endpoint.ID, service))
		}
	}
	if len(missing) > 0 {
		faults = append(faults, c.args.withoutServices(missing, ", for which the VPC has no endpoint", missing))
	}
	if len(without) > 0 {
		c.warn("the VPC has no endpoint for " + strings.Join(without,
			", ") + ": images in ECR and workloads that call these services do not work; " +
			"create the endpoints, or set interfaceEndpoints: [" + strings.Join(without, ", ") + "]")
	}
	faults.Join("", c.checkS3())
	return faults.Err()
}

// checkS3 checks that the nodes reach S3: through a gateway endpoint that all their subnets' route tables have, or
// through an interface endpoint.
func (c *vpcCheck) checkS3() error {
	refused := &fault.Fault{Value: string(None), Problem: "leaves the nodes without S3, for which the VPC has no endpoint",
		Remedy: "create its gateway endpoint and associate the node subnets' route tables with it"}
	gateway := c.findEndpoint("s3", gatewayEndpoint, nil)
	switch {
	case gateway.unread != nil:
		return endpointUnread("s3", gateway.unread)
	case gateway.several:
		return nil // each has other route tables
	case gateway.ID != "":
		tables := slices.DeleteFunc(c.vpc.privateTables(), func(table string) bool {
			return slices.Contains(gateway.RouteTables, table)
		})
		if len(tables) == 0 {
			return nil
		}
		refused.Problem = "leaves the nodes without S3: its gateway endpoint " + gateway.ID +
			" is not associated with the route tables of the node subnets, " + strings.Join(tables, ", ")
		refused.Remedy = "associate them: aws ec2 modify-vpc-endpoint --vpc-endpoint-id " + gateway.ID +
			" --add-route-table-ids " + strings.Join(tables, " ")
	}
	if endpoint := c.findEndpoint("s3", interfaceEndpoint, nil); endpoint.PrivateDNS || endpoint.several {
		return nil
	}
	return refused
}

// endpointUnread returns the fault for a service whose endpoint is needed and cannot be read.
func endpointUnread(service string, err error) *fault.Fault {
	return &fault.Fault{Value: string(None),
		Problem: "needs the VPC's endpoint for " + service + ", which cannot be looked up: " + awsprovider.Cause(err),
		Remedy:  awsprovider.Remedy(err, "run the same command again")}
}

// warn logs a warning in a preview.
func (c *vpcCheck) warn(text string) {
	if c.ctx.DryRun() {
		_ = c.ctx.Log.Warn(text, nil) // only a closed engine fails
	}
}

// The types of endpoints.
const (
	gatewayEndpoint   = "Gateway"
	interfaceEndpoint = "Interface"
)

// foundEndpoint is what is known of a VPC's available endpoint for a service. ID is "" if there is none, or several.
type foundEndpoint struct {
	ID          string
	PrivateDNS  bool
	RouteTables []string
	tags        map[string]string
	// several is true if there are several of the type. A lookup shows none of them.
	several bool
	// unread is why it cannot be looked up, nil if it can.
	unread error
}

// findEndpoint looks up the VPC's endpoint of a type for a service, with these tags.
func (c *vpcCheck) findEndpoint(service, kind string, tags map[string]string) foundEndpoint {
	name, available, vpcID := c.serviceName(service), "available", input.Text(c.args.Existing.VPCID)
	found, err := ec2.LookupVpcEndpoint(c.ctx, &ec2.LookupVpcEndpointArgs{
		VpcId: &vpcID, ServiceName: &name, State: &available, Tags: tags,
		Filters: []ec2.GetVpcEndpointFilter{{Name: "vpc-endpoint-type", Values: []string{kind}}},
	}, c.parent())
	switch {
	case err == nil:
		return foundEndpoint{
			ID: found.Id, PrivateDNS: found.PrivateDnsEnabled && !onlyInbound(found.DnsOptions),
			RouteTables: found.RouteTableIds, tags: found.Tags,
		}
	case awsprovider.IsMissing(err):
		return foundEndpoint{}
	case awsprovider.IsAmbiguous(err):
		return foundEndpoint{several: true}
	}
	return foundEndpoint{unread: err}
}

// onlyInbound reports whether an endpoint's private DNS names are for inbound endpoints of Route 53 Resolver alone, as
// AWS proposes for S3 beside a gateway endpoint: machines in the VPC then resolve the service's public addresses.
func onlyInbound(options []ec2.GetVpcEndpointDnsOption) bool {
	return slices.ContainsFunc(options, func(o ec2.GetVpcEndpointDnsOption) bool {
		return o.PrivateDnsOnlyForInboundResolverEndpoint
	})
}

// carries reports whether tags contain all the other tags.
func carries(tags, wanted map[string]string) bool {
	for key, value := range wanted {
		if tags[key] != value {
			return false
		}
	}
	return true
}
