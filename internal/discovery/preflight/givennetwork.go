package preflight

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// vpc compares a VPC: its DNS, its tenancy, and its way to S3.
func (p part) vpc(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.VPC, p.Name)
	if err != nil || found == nil {
		return absent(), err
	}
	support, hostnames, err := p.in.VPCAttributes(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	var list []difference
	for _, attribute := range network.DisabledAttributes(support, hostnames) {
		list = append(list, difference{is: "has " + attribute + " disabled", breaks: network.WithoutDNS, remedy: network.EnableAttribute(p.Name, attribute), fails: true,
			previewed: true})
	}
	list = append(list, p.compareCIDRs(found)...)
	options, err := p.read(ctx, awstype.DHCPOptions, found.Text("dhcpOptionsId"))
	if err != nil {
		return nil, err
	}
	if options != nil {
		if unknown := network.UnknownServers(account.Texts(*options, "domainNameServers"), p.given.DNSServers); len(unknown) > 0 {
			list = append(list, difference{is: "has the DNS servers " + strings.Join(unknown, ", "), breaks: "they do not resolve names in private zones",
				remedy: "use AmazonProvidedDNS, or list them in existing.dnsServers if they forward these names", fails: true, previewed: true})
		}
	}
	if tenancy := found.Text("instanceTenancy"); tenancy != "" && tenancy != "default" {
		list = append(list, difference{is: "has the tenancy " + tenancy, breaks: "each machine runs on hardware of its own, which costs more",
			remedy: "set its tenancy to default, if that is not intended: aws ec2 modify-vpc-tenancy --vpc-id " + p.Name + " --instance-tenancy default"})
	}
	endpoints, err := p.in.List(ctx, account.Query{Type: awstype.VPCEndpoint, Inputs: map[string]any{"vpcId": p.Name}})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(endpoints, func(e inventory.Resource) bool { return strings.HasSuffix(e.Text("serviceName"), ".s3") }) {
		list = append(list, difference{is: "has no endpoint for S3", breaks: "the NAT gateway or firewall charges by the gigabyte for image layers and what the registry stores",
			remedy: "create a gateway endpoint for S3, which costs nothing, and associate the subnets' route tables with it"})
	}
	return list, nil
}

// compareCIDRs compares the CIDRs of a VPC with the networks inside the cluster.
func (p part) compareCIDRs(vpc *inventory.Resource) []difference {
	var list []difference
	cidrs := []string{vpc.Text("cidrBlock")}
	for _, block := range props.Map(vpc.Properties).Objects("cidrBlocks") {
		cidrs = append(cidrs, block.String("cidrBlock"))
	}
	for _, cidr := range unique(cidrs) {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			continue
		}
		for _, taken := range p.given.Reserved {
			if taken.Prefix.Overlaps(prefix) {
				list = append(list, difference{is: fmt.Sprintf("has the CIDR %s, which overlaps %s, %s", cidr, taken.Prefix, taken.Use),
					breaks: "packets to the addresses in both networks do not leave the cluster", fails: true, previewed: true,
					remedy: "use a VPC that does not overlap it, or another network inside the cluster"})
			}
		}
	}
	return list
}

// subnet compares a subnet: its VPC and zone, its default route, its tags, and whether its machines get public addresses.
func (p part) subnet(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.Subnet, p.Name)
	if err != nil || found == nil {
		return absent(), err
	}
	if vpc := found.Text("vpcId"); vpc != p.VPC && p.isKnown(p.VPC) {
		return []difference{{is: "is in " + vpc, remedy: "use a subnet of " + p.VPC, fails: true, previewed: true}}, nil
	}
	var list []difference
	if zone := found.Text("availabilityZone"); zone != p.Zone && !zoneID(p.Zone) {
		list = append(list, difference{is: "is in zone " + zone, breaks: "machines and load balancers of " + p.Zone + " need a subnet there",
			remedy: "use a subnet in " + p.Zone, fails: true, previewed: true})
	}
	if maps, _ := found.Properties["mapPublicIpOnLaunch"].(bool); maps && p.Kind == config.ExistingPrivateSubnet {
		list = append(list, difference{is: "gives machines public addresses", breaks: "they cost money, and cannot be used without a route to an internet gateway",
			remedy: "turn it off: aws ec2 modify-subnet-attribute --subnet-id " + p.Name + " --no-map-public-ip-on-launch"})
	}
	routes, err := p.routes(ctx, found.Text("vpcId"))
	if err != nil {
		return nil, err
	}
	return append(append(list, p.compareRoutes(routes)...), p.compareTags(found.Tags)...), nil
}

// zoneID reports whether the name of a zone is its ID, such as "use1-az4".
func zoneID(zone string) bool { return strings.Contains(zone, "-az") }

// routes returns the routes of the table that a subnet uses: its own, otherwise the main one of the VPC.
func (p part) routes(ctx context.Context, vpc string) ([]props.Map, error) {
	tables, err := p.in.List(ctx, account.Query{Type: awstype.RouteTable, Inputs: map[string]any{"vpcId": vpc}})
	if err != nil {
		return nil, err
	}
	var main []props.Map
	for _, table := range tables {
		if table.Text("vpcId") != vpc {
			continue
		}
		properties := props.Map(table.Properties)
		for _, association := range properties.Objects("associations") {
			if association.String("subnetId") == p.Name {
				return properties.Objects("routes"), nil
			}
			if association.Bool("main") {
				main = properties.Objects("routes")
			}
		}
	}
	return main, nil
}

// compareRoutes compares the default route: a public subnet has one to an internet gateway, and a private one has another way out.
func (p part) compareRoutes(routes []props.Map) []difference {
	i := slices.IndexFunc(routes, func(r props.Map) bool { return r.String("destinationCidrBlock") == "0.0.0.0/0" })
	internet := i >= 0 && strings.HasPrefix(routes[i].String("gatewayId"), "igw-")
	lost := i >= 0 && routes[i].String("state") == "blackhole"
	public := p.Kind == config.ExistingPublicSubnet
	switch {
	case lost:
		return []difference{{is: "has a default route whose target was deleted", breaks: "its packets are dropped", remedy: "ask its owner to correct the route", fails: true}}
	case public && !internet:
		return []difference{{is: "has no route to an internet gateway", breaks: "load balancers in it are not reached from the internet",
			remedy: "add a route for 0.0.0.0/0 to the VPC's internet gateway", fails: true, previewed: true}}
	case !public && internet:
		return []difference{{is: "routes to an internet gateway", breaks: "that only forwards traffic from public addresses, which nodes do not have",
			remedy: "route 0.0.0.0/0 to a NAT gateway, a transit gateway or a firewall", fails: true, previewed: true}}
	case !public && i < 0 && !p.given.OwnEgress:
		return []difference{{is: "has no route out of the VPC", breaks: "nodes reach neither the registry of the release nor AWS",
			remedy: "add a route for 0.0.0.0/0", fails: true, previewed: true}}
	}
	return nil
}

// compareTags compares the tags that a hosted cluster's operators find the subnet by.
func (p part) compareTags(tags map[string]string) []difference {
	if p.given.Cluster.InfraID == "" || p.given.SubnetsTagged {
		return nil
	}
	public := p.Kind == config.ExistingPublicSubnet
	needed := p.given.Cluster.DiscoveryTags(public, !public || p.given.PublicMachines)
	if !p.given.Karpenter {
		delete(needed, hypershift.KarpenterDiscoveryTag)
	}
	var list []difference
	for _, tag := range network.Untagged() {
		_, has := tags[tag[0]]
		if _, wanted := needed[tag[0]]; wanted && !has {
			list = append(list, difference{is: "has no tag " + tag[0], breaks: tag[1], remedy: "set existing.tagSubnets: true, or ask its owner to add the tag", previewed: true})
		}
	}
	return list
}

// negativeTTL is the longest time, in seconds, for which resolvers may cache that a name of a zone does not exist, as the stack sets it.
const negativeTTL = 60

// privateZone compares a private zone: its domain, its VPC, and how long resolvers cache that a name does not exist.
func (p part) privateZone(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.HostedZone, p.Name)
	if err != nil || found == nil {
		return absent(), err
	}
	if name := strings.TrimSuffix(found.Text("name"), "."); name != p.Domain {
		return []difference{{is: "is the zone " + name, breaks: "names in " + p.Domain + " do not resolve", remedy: "use the ID of the zone " + p.Domain, fails: true,
			previewed: true}}, nil
	}
	if isPublic(*found) {
		return []difference{{is: "is a public zone", breaks: "the private names of the cluster would be public", remedy: "use the ID of a private zone", fails: true,
			previewed: true}}, nil
	}
	var list []difference
	if !slices.Contains(account.Texts(*found, "vpcs.vpcId"), p.VPC) {
		list = append(list, difference{is: "is not associated with " + p.VPC, breaks: "machines in the VPC do not resolve its names", remedy: "associate it with the VPC",
			fails: true, previewed: true})
	}
	records, err := p.in.List(ctx, account.Query{Type: awstype.Record, Inputs: map[string]any{"zoneId": p.Name}})
	if err != nil {
		return nil, err
	}
	for _, record := range records {
		if record.Text("type") != "SOA" {
			continue
		}
		for _, value := range account.Texts(record, "records") {
			fields := strings.Fields(value)
			if len(fields) == 0 {
				continue
			}
			if ttl, err := strconv.Atoi(fields[len(fields)-1]); err == nil && ttl > negativeTTL {
				list = append(list, difference{is: fmt.Sprintf("lets resolvers cache for %d seconds that a name does not exist", ttl),
					breaks: "nodes that ask for the control plane before its records exist may not find it for 15 minutes",
					remedy: fmt.Sprintf("set the last field of its SOA record to %d", negativeTTL)})
			}
		}
	}
	return list, nil
}
