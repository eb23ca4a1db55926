package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/lookup"
)

// foundVPC has what the lookups found in the existing VPC.
type foundVPC struct {
	*ec2.LookupVpcResult
	// machineCIDR is the CIDR of the VPC that contains its node subnets.
	machineCIDR string
	// subnets are its subnets in the args.
	subnets []existingSubnet
	// privateTables are the route tables of the private subnets, by zone.
	privateTables map[string]string
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
	now        *foundVPC
	later      pulumi.Output
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
	return ids
}

// find looks up and checks the existing VPC.
func (e *existingVPC) find() error {
	// The copy keeps the zones' names: the args may still change while the IDs become known.
	args, existing := *e.args, *e.args.Existing
	existing.Subnets = slices.Clone(existing.Subnets)
	args.Existing = &existing
	ids := existing.ids()
	inputs := make([]pulumi.StringInput, len(ids))
	for i, id := range ids {
		inputs[i] = *id
	}
	if input.ArePlain(inputs...) {
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
	c := &vpcCheck{existingVPC: e, args: args, vpc: &foundVPC{LookupVpcResult: vpc, privateTables: map[string]string{}}}
	var faults fault.Faults
	faults.Join("existing.vpcID", c.checkVPC())
	faults.Join("existing.subnets", c.findSubnets())
	faults.Join("existing.subnets", c.checkTags())
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
	for _, association := range vpc.CidrBlockAssociations {
		if association.State == "associated" {
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
		faults.Add("", vpc.DhcpOptionsId, "is the VPC's DHCP options set, which cannot be looked up: "+lookup.Cause(err),
			"associate a DHCP options set with domainNameServers "+amazonDNS)
	}
	return slices.Concat(fault.In(c.args.CheckVPC(facts)), faults).Err()
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
			tables[subnets.Zone] = e.text(func(found *foundVPC) string { return found.privateTables[subnets.Zone] })
		}
		if input.IsSet(subnets.Public) && e.args.PublicSubnets {
			v.publicSubnets[subnets.Zone] = e.checked(subnets.Public)
		}
	}
	if v.nodeSubnets = v.privateSubnets; e.args.PublicMachines {
		v.nodeSubnets = v.publicSubnets
	}
	e.out.VPCID, e.out.MachineCIDR = v.vpcID, e.text(func(found *foundVPC) string { return found.machineCIDR })
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

// cidrs returns the existing VPC's CIDRs for machines: with OneMachineCIDR, only the CIDR that contains the node
// subnets; otherwise all.
func (e *existingVPC) cidrs() []nodeCIDR {
	if e.args.OneMachineCIDR {
		return []nodeCIDR{{block: e.input(func(found *foundVPC) string { return found.machineCIDR })}}
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
// without access to the internet have all endpoints that they need, including S3's gateway endpoint.
func (c *vpcCheck) findEndpoints() error {
	var faults fault.Faults
	for i, item := range c.args.InterfaceEndpoints {
		for _, service := range expandServices([]string{item}, c.args.Services) {
			other := c.findEndpoint(service)
			if other != nil && other.PrivateDnsEnabled && !carries(other.Tags, c.args.Tagging.Own("")) {
				faults.Add(fmt.Sprintf("interfaceEndpoints[%d]", i), service,
					"already has an endpoint with private DNS names in the VPC, "+other.Id, "leave it out")
			}
		}
	}
	if !c.args.isolated() {
		return faults.Err()
	}
	var missing []string
	for _, service := range c.args.missingServices() {
		if c.findEndpoint(service) == nil {
			missing = append(missing, service)
		}
	}
	if len(missing) > 0 {
		faults.Add("nat", string(None), "leaves the nodes without "+strings.Join(missing,
			", ")+", for which the VPC has no endpoint",
			"set interfaceEndpoints: ["+strings.Join(missing, ", ")+"]")
	}
	if c.findEndpoint("s3") == nil {
		faults.Add("nat", string(None), "leaves the nodes without S3, for which the VPC has no endpoint",
			"create its gateway endpoint and associate the node subnets' route tables with it")
	}
	return faults.Err()
}

// findEndpoint returns the VPC's endpoint for a service, or nil without one.
func (c *vpcCheck) findEndpoint(service string) *ec2.LookupVpcEndpointResult {
	name, available, vpcID := c.serviceName(service), "available", input.Text(c.args.Existing.VPCID)
	endpoint, err := ec2.LookupVpcEndpoint(c.ctx, &ec2.LookupVpcEndpointArgs{
		VpcId: &vpcID, ServiceName: &name, State: &available,
	}, c.parent())
	if err != nil {
		return nil
	}
	return endpoint
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
