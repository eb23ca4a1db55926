package network

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/lookup"
)

// foundVPC is the existing VPC.
type foundVPC struct {
	*ec2.LookupVpcResult
	// machineCIDR is the CIDR of the VPC that contains its node subnets.
	machineCIDR string
	// privateTables are the route tables of the private subnets, by zone.
	privateTables map[string]string
}

// findExisting checks the existing VPC: its DHCP options, subnets, routes, zones and endpoints.
func (b *builder) findExisting() error {
	given := b.args.Existing
	var faults fault.Faults
	vpc, err := ec2.LookupVpc(b.ctx, &ec2.LookupVpcArgs{Id: &given.VPCID}, b.parent())
	if err != nil {
		faults.Join("existing.vpcID", lookupFault(given.VPCID, err, "use a VPC of this account and region"))
		return faults.Err()
	}
	b.found.existing = &foundVPC{LookupVpcResult: vpc, privateTables: map[string]string{}}
	faults.Join("existing.vpcID", b.checkVPC(vpc))
	faults.Join("existing.vpcID", b.checkDHCPOptions(vpc.DhcpOptionsId))
	faults.Join("existing.subnets", b.findSubnets())
	if b.profile.hosted {
		faults.Join("existing", b.findZones())
	}
	faults.Join("", b.findEndpoints())
	return faults.Err()
}

// checkVPC checks that the VPC supports the DNS names of PrivateLink and of nodes, and overlaps no reserved network.
func (b *builder) checkVPC(vpc *ec2.LookupVpcResult) error {
	var faults fault.Faults
	for _, attribute := range []struct {
		name string
		on   bool
	}{{"enableDnsSupport", vpc.EnableDnsSupport}, {"enableDnsHostnames", vpc.EnableDnsHostnames}} {
		if !attribute.on {
			faults.Add("", vpc.Id, "has "+attribute.name+" disabled, so nodes cannot resolve names in private zones",
				"enable it: aws ec2 modify-vpc-attribute --vpc-id "+vpc.Id+" --"+dashes(attribute.name))
		}
	}
	for _, association := range vpc.CidrBlockAssociations {
		cidr, err := netip.ParsePrefix(association.CidrBlock)
		if err != nil || association.State != "associated" {
			continue
		}
		for _, taken := range b.profile.reserved {
			if taken.Prefix.Overlaps(cidr) {
				faults.Add("", vpc.Id, fmt.Sprintf("has the CIDR %s, which overlaps %s, %s", cidr, taken.Prefix, taken.Use),
					"use a VPC that does not overlap it")
			}
		}
	}
	return faults.Err()
}

// dashes returns the AWS CLI's option for an attribute of a VPC.
func dashes(attribute string) string {
	return strings.NewReplacer("enableDns", "enable-dns-", "Support", "support", "Hostnames", "hostnames").Replace(attribute)
}

// checkDHCPOptions checks the VPC's DHCP options set. Only Amazon's resolver resolves names in private zones, and the domain name is
// part of the names of nodes, which Kubernetes requires in lower case.
func (b *builder) checkDHCPOptions(id string) error {
	var faults fault.Faults
	options, err := ec2.LookupVpcDhcpOptions(b.ctx, &ec2.LookupVpcDhcpOptionsArgs{DhcpOptionsId: &id}, b.parent())
	if err != nil {
		faults.Add("", id, "is the VPC's DHCP options set, which cannot be looked up: "+lookup.Cause(err),
			"associate a DHCP options set with domainNameServers AmazonProvidedDNS")
		return faults.Err()
	}
	if !slices.Contains(options.DomainNameServers, "AmazonProvidedDNS") {
		faults.Add("", id, "is the VPC's DHCP options set, with the DNS servers "+strings.Join(options.DomainNameServers, ", ")+
			", which do not resolve names in private zones", "use a DHCP options set with domainNameServers AmazonProvidedDNS")
	}
	if name := options.DomainName; name != strings.ToLower(name) || strings.Contains(name, " ") {
		faults.Add("", id, fmt.Sprintf("is the VPC's DHCP options set, with the domain name %q, which is not valid in a node's name", name),
			"use one domain name in lower case, such as "+DefaultDHCPDomainName(b.region))
	}
	return faults.Err()
}

// useExistingVPC returns the existing VPC, and sets its outputs.
func (b *builder) useExistingVPC() (*vpcNetwork, error) {
	vpc, n := b.found.existing, b.network
	v := &vpcNetwork{
		vpcID:         text(vpc.Id),
		cidrs:         b.existingCIDRs(),
		nodeSubnets:   map[string]pulumi.StringOutput{},
		publicSubnets: map[string]pulumi.StringOutput{},
	}
	private, tables := map[string]pulumi.StringOutput{}, map[string]pulumi.StringOutput{}
	for _, subnets := range b.args.Existing.Subnets {
		if subnets.Private != "" {
			private[subnets.Zone] = text(subnets.Private)
			tables[subnets.Zone] = text(vpc.privateTables[subnets.Zone])
		}
		if subnets.Public != "" && b.args.EndpointAccess.HasPublic() {
			v.publicSubnets[subnets.Zone] = text(subnets.Public)
		}
	}
	v.privateSubnets = private
	if v.nodeSubnets = private; b.profile.publicMachines {
		v.nodeSubnets = v.publicSubnets
	}
	none := map[string]pulumi.StringOutput{}
	n.VPCID, n.MachineCIDR, n.DHCPOptionsID = v.vpcID, text(vpc.machineCIDR), text(vpc.DhcpOptionsId)
	n.DefaultSecurityGroupID, n.InternetGatewayID, n.PublicRouteTableID, n.S3EndpointID = text(""), text(""), text(""), text("")
	n.PrivateSubnetIDs, n.PublicSubnetIDs, n.PrivateRouteTableIDs = stringMap(private), stringMap(v.publicSubnets), stringMap(tables)
	n.EgressSubnetIDs, n.NATGatewayIDs, n.NATAddresses = stringMap(none), stringMap(none), stringMap(none)
	n.SecondaryCIDR, n.SecondarySubnetIDs = text(""), stringMap(none)
	for _, cidr := range v.cidrs {
		n.NodeCIDRs = append(n.NodeCIDRs, string(cidr.block.(pulumi.String)))
	}
	return v, nil
}

// existingCIDRs returns the existing VPC's CIDRs for machines: for a hosted cluster the one that contains its node
// subnets, otherwise all.
func (b *builder) existingCIDRs() []nodeCIDR {
	vpc := b.found.existing
	if b.profile.hosted {
		return []nodeCIDR{{block: pulumi.String(vpc.machineCIDR)}}
	}
	cidrs := []nodeCIDR{{block: pulumi.String(vpc.CidrBlock)}}
	for _, association := range vpc.CidrBlockAssociations {
		if association.State == "associated" && association.CidrBlock != vpc.CidrBlock {
			cidrs = append(cidrs, nodeCIDR{suffix: "-" + association.CidrBlock, block: pulumi.String(association.CidrBlock)})
		}
	}
	return cidrs
}

// findEndpoints checks the endpoints of the existing VPC: none conflicts with one that would be created, and nodes without
// access to the internet have all endpoints that they need, including S3's gateway endpoint.
func (b *builder) findEndpoints() error {
	var faults fault.Faults
	for i, item := range b.args.InterfaceEndpoints {
		for _, service := range ExpandServices([]string{item}, b.profile.services) {
			other := b.findEndpoint(service)
			if other != nil && other.PrivateDnsEnabled && !carries(other.Tags, b.profile.tagging.Plain("")) {
				faults.Add(fmt.Sprintf("interfaceEndpoints[%d]", i), service, "already has an endpoint with private DNS names in the VPC, "+other.Id, "leave it out")
			}
		}
	}
	if !b.args.isolated() {
		return faults.Err()
	}
	var missing []string
	for _, service := range missingServices(b.args.InterfaceEndpoints, b.profile) {
		if b.findEndpoint(service) == nil {
			missing = append(missing, service)
		}
	}
	if len(missing) > 0 {
		faults.Add("nat", string(None), "leaves the nodes without "+strings.Join(missing, ", ")+", for which the VPC has no endpoint",
			"set interfaceEndpoints: ["+strings.Join(missing, ", ")+"]")
	}
	if b.findEndpoint("s3") == nil {
		faults.Add("nat", string(None), "leaves the nodes without S3, for which the VPC has no endpoint",
			"create its gateway endpoint and associate the node subnets' route tables with it")
	}
	return faults.Err()
}

// findEndpoint returns the VPC's endpoint for a service, or nil without one.
func (b *builder) findEndpoint(service string) *ec2.LookupVpcEndpointResult {
	name, available := b.serviceName(service), "available"
	endpoint, err := ec2.LookupVpcEndpoint(b.ctx, &ec2.LookupVpcEndpointArgs{
		VpcId: &b.args.Existing.VPCID, ServiceName: &name, State: &available,
	}, b.parent())
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
