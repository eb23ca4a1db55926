package network

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// foundVPC is what the existing VPC has.
type foundVPC struct {
	*ec2.LookupVpcResult
	// machineCIDR is the CIDR of the VPC that its node subnets lie in.
	machineCIDR string
	// privateTables are the route tables of the private subnets, by zone.
	privateTables map[string]string
}

// findExisting checks the given VPC with its DHCP options, subnets, routes and zones.
func (b *builder) findExisting() error {
	given := b.args.Existing
	var faults fault.Faults
	vpc, err := ec2.LookupVpc(b.ctx, &ec2.LookupVpcArgs{Id: &given.VPCID}, b.parent())
	if err != nil {
		faults.Join("existing.vpcID", lookupFault(given.VPCID, err, "give a VPC of this account and region"))
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

// checkVPC holds the VPC against what PrivateLink's and the nodes' names need, and what the cluster's own
// networks leave free.
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
					"give a VPC that does not overlap it")
			}
		}
	}
	return faults.Err()
}

// dashes writes a VPC's attribute as the AWS CLI's option has it.
func dashes(attribute string) string {
	return strings.NewReplacer("enableDns", "enable-dns-", "Support", "support", "Hostnames", "hostnames").Replace(attribute)
}

// checkDHCPOptions: private zones answer at Amazon's resolver alone, and the domain name is part of the
// names that nodes register under, which Kubernetes wants in small letters.
func (b *builder) checkDHCPOptions(id string) error {
	var faults fault.Faults
	options, err := ec2.LookupVpcDhcpOptions(b.ctx, &ec2.LookupVpcDhcpOptionsArgs{DhcpOptionsId: &id}, b.parent())
	if err != nil {
		faults.Add("", id, "is the VPC's DHCP options set, which cannot be looked up: "+err.Error(),
			"associate a DHCP options set with domainNameServers AmazonProvidedDNS")
		return faults.Err()
	}
	if !slices.Contains(options.DomainNameServers, "AmazonProvidedDNS") {
		faults.Add("", id, "is the VPC's DHCP options set, with the DNS servers "+strings.Join(options.DomainNameServers, ", ")+
			", which do not resolve names in private zones", "use a DHCP options set with domainNameServers AmazonProvidedDNS")
	}
	if name := options.DomainName; name != strings.ToLower(name) || strings.Contains(name, " ") {
		faults.Add("", id, fmt.Sprintf("is the VPC's DHCP options set, with the domain name %q, which is not valid in a node's name", name),
			"use one domain name in lower case, such as "+internalDomain(b.region))
	}
	return faults.Err()
}

// existingGround hands on the given VPC.
func (b *builder) existingGround() (*ground, error) {
	vpc, n := b.found.existing, b.network
	g := &ground{
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
			g.publicSubnets[subnets.Zone] = text(subnets.Public)
		}
	}
	g.privateSubnets = private
	if g.nodeSubnets = private; b.profile.publicMachines {
		g.nodeSubnets = g.publicSubnets
	}
	none := map[string]pulumi.StringOutput{}
	n.VPCID, n.MachineCIDR, n.DHCPOptionsID = g.vpcID, text(vpc.machineCIDR), text(vpc.DhcpOptionsId)
	n.DefaultSecurityGroupID, n.InternetGatewayID, n.PublicRouteTableID, n.S3EndpointID = text(""), text(""), text(""), text("")
	n.PrivateSubnetIDs, n.PublicSubnetIDs, n.PrivateRouteTableIDs = stringMap(private), stringMap(g.publicSubnets), stringMap(tables)
	n.EgressSubnetIDs, n.NATGatewayIDs, n.NATAddresses = stringMap(none), stringMap(none), stringMap(none)
	n.SecondaryCIDR, n.SecondarySubnetIDs = text(""), stringMap(none)
	for _, cidr := range g.cidrs {
		n.NodeCIDRs = append(n.NodeCIDRs, string(cidr.block.(pulumi.String)))
	}
	return g, nil
}

// existingCIDRs are the networks of the given VPC that machines have addresses of: for a hosted cluster the one that its
// node subnets lie in, otherwise all.
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
