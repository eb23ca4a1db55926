package preflight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// vpc judges a VPC and its DHCP options.
func (p part) vpc(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.VPC, p.Name)
	if err != nil || found == nil {
		return absent(), err
	}
	facts := network.VPCFacts{ID: p.Name, Region: p.given.Place.Region,
		CIDRs:       unique(append([]string{found.Text("cidrBlock")}, account.Texts(*found, "cidrBlocks.cidrBlock")...)),
		DHCPOptions: found.Text("dhcpOptionsId")}
	if facts.DNSSupport, facts.DNSHostnames, err = p.in.VPCAttributes(ctx, p.Name); err != nil {
		return nil, err
	}
	options, err := p.read(ctx, awstype.DHCPOptions, facts.DHCPOptions)
	if err != nil {
		return nil, err
	}
	if options != nil {
		facts.DNSServers, facts.DomainName = account.Texts(*options, "domainNameServers"), options.Text("domainName")
	}
	list, err := judged(p.given.Network.CheckVPC(facts))
	if options == nil {
		return list, err
	}
	for _, doubt := range p.given.Network.VPCDoubts(facts) {
		list = append(list, difference{is: doubt.Is, breaks: doubt.Effect, remedy: doubt.Remedy})
	}
	return list, err
}

// vpcTraffic compares what makes a VPC expensive: its tenancy, and its way to S3; and who may use its endpoints.
func (p part) vpcTraffic(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.VPC, p.Name)
	if err != nil || found == nil {
		return nil, err
	}
	var list []difference
	if tenancy := found.Text("instanceTenancy"); tenancy != "" && tenancy != "default" {
		list = append(list, difference{is: "has the tenancy " + tenancy,
			breaks: "each machine runs on hardware of its own, which costs more",
			remedy: "set its tenancy to default, if that is not intended: aws ec2 modify-vpc-tenancy --vpc-id " + p.Name + " --instance-tenancy default"})
	}
	endpoints, err := p.in.List(ctx, account.Query{Type: awstype.VPCEndpoint, Inputs: map[string]any{"vpcId": p.Name}})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(endpoints, func(e inventory.Resource) bool {
		return strings.HasSuffix(e.Text("serviceName"), ".s3")
	}) {
		list = append(list, difference{is: "has no endpoint for S3", breaks: "the NAT gateway or firewall charges by the gigabyte for image layers and what the registry stores",
			remedy: "create a gateway endpoint for S3, which costs nothing, and associate the subnets' route tables with it"})
	}
	closed, err := p.closedEndpoints(ctx, endpoints)
	return append(list, closed...), err
}

// subnet judges a subnet: its VPC and zone, its default route and its tags.
func (p part) subnet(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.Subnet, p.Name)
	if err != nil || found == nil {
		return absent(), err
	}
	public := p.Kind == config.ExistingPublicSubnet
	facts := network.SubnetFacts{ID: p.Name, Public: public, Nodes: !public || p.given.Network.PublicMachines,
		VPC:  found.Text("vpcId"),
		Zone: found.Text("availabilityZone"), ZoneID: found.Text("availabilityZoneId"), Tags: found.Tags,
		Outpost: found.Text("outpostArn")}
	table, main, err := p.routeTable(ctx, facts.VPC)
	if err != nil {
		return nil, err
	}
	facts.Table, facts.MainTable = table.ID, main
	if facts.Route, err = p.wayOut(ctx, table, func(route props.Map) string {
		return cmp.Or(route.String("gatewayId"), route.String("vpcPeeringConnectionId"), "a target that is no gateway")
	}); err != nil {
		return nil, err
	}
	list, err := judged(p.given.Network.CheckSubnet(facts, p.vpcID(), p.Zone))
	for _, tag := range p.given.Network.MissingTags(facts) {
		list = append(list, difference{is: "has no tag " + tag.Key, breaks: tag.Without, remedy: network.SetTags})
	}
	return list, err
}

// subnetTraffic compares whether a subnet's machines get public addresses, and whether the target of its default route
// exists.
func (p part) subnetTraffic(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.Subnet, p.Name)
	if err != nil || found == nil {
		return nil, err
	}
	var list []difference
	if maps, _ := found.Properties["mapPublicIpOnLaunch"].(bool); maps && p.Kind == config.ExistingPrivateSubnet {
		list = append(list, difference{is: "gives machines public addresses",
			breaks: "they cost money, and cannot be used without a route to an internet gateway",
			remedy: "turn it off: aws ec2 modify-subnet-attribute --subnet-id " + p.Name + " --no-map-public-ip-on-launch"})
	}
	table, _, err := p.routeTable(ctx, found.Text("vpcId"))
	if err != nil {
		return nil, err
	}
	const blackhole = "blackhole"
	state, err := p.wayOut(ctx, table, func(route props.Map) string { return cmp.Or(route.String("state"), "active") })
	if state == blackhole {
		list = append(list, difference{
			is:     "has a default route whose target was deleted",
			breaks: "its packets are dropped",
			remedy: "ask its owner to correct the route",
			fails:  true,
		})
	}
	return list, err
}

// routeTable returns the route table that a subnet uses: its own, otherwise the main one of the VPC.
func (p part) routeTable(ctx context.Context, vpc string) (table inventory.Resource, main bool, err error) {
	tables, err := p.in.List(ctx, account.Query{Type: awstype.RouteTable, Inputs: map[string]any{"vpcId": vpc}})
	for _, t := range tables {
		if t.Text("vpcId") != vpc {
			continue
		}
		for _, association := range props.Map(t.Properties).Objects("associations") {
			if association.String("subnetId") == p.Name {
				return t, false, err
			}
			if association.Bool("main") {
				table, main = t, true
			}
		}
	}
	return table, main, err
}

// wayOut returns what target gives for the routes of a table that lead to the internet: see network.WayOut. It reads
// the prefix lists of routes only if the other routes do not have all public addresses.
func (p part) wayOut(
	ctx context.Context, table inventory.Resource, target func(route props.Map) string,
) (string, error) {
	var routes []network.TableRoute
	lists := map[string]props.Map{}
	for _, route := range props.Map(table.Properties).Objects("routes") {
		if list := route.String("destinationPrefixListId"); list == "" {
			routes = append(routes, network.TableRoute{CIDRs: []string{route.String("destinationCidrBlock")},
				Target: target(route)})
		} else if !strings.HasPrefix(route.String("gatewayId"), "vpce-") {
			lists[list] = route
		}
	}
	if way := network.WayOut(routes); way != "" || len(lists) == 0 {
		return way, nil
	}
	for list, route := range lists {
		found, err := p.read(ctx, awstype.PrefixList, list)
		if err != nil {
			return "", err
		}
		if found != nil {
			routes = append(routes, network.TableRoute{CIDRs: account.Texts(*found, "entries"), Target: target(route)})
		}
	}
	return network.WayOut(routes), nil
}

// maxNegativeTTL is the longest time, in seconds, for which resolvers may cache that a name of a zone does not exist,
// as the stack sets it.
const maxNegativeTTL = 60

// privateZone judges a private zone: its domain and its VPC.
func (p part) privateZone(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.HostedZone, p.Name)
	if err != nil || found == nil {
		return absent(), err
	}
	facts := network.ZoneFacts{ID: p.Name, Name: strings.TrimSuffix(found.Text("name"), "."), Private: !isPublic(*found),
		Associated: slices.Contains(account.Texts(*found, "vpcs.vpcId"), p.VPC)}
	return judged(facts.Check(p.Domain, p.VPC))
}

// negativeTTL compares how long resolvers cache that a name of a private zone does not exist.
func (p part) negativeTTL(ctx context.Context) ([]difference, error) {
	var list []difference
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
			if ttl, err := strconv.Atoi(fields[len(fields)-1]); err == nil && ttl > maxNegativeTTL {
				list = append(list, difference{is: fmt.Sprintf("lets resolvers cache for %d seconds that a name does not exist",
					ttl),
					breaks: "nodes that ask for the control plane before its records exist may not find it for 15 minutes",
					remedy: fmt.Sprintf("set the last field of its SOA record to %d", maxNegativeTTL)})
			}
		}
	}
	return list, nil
}
