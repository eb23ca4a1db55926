package network

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// s3Endpoint keeps the nodes' and the public subnets' traffic to S3 inside AWS.
func (b *builder) s3Endpoint(vpc *ec2.Vpc, private *privateSide, public *publicSide) error {
	var tables pulumi.StringArray
	for _, zone := range b.zones {
		if table := private.tables[zone.name]; table != nil {
			tables = append(tables, table.ID())
		}
	}
	if b.args.EndpointAccess.HasPublic() {
		tables = append(tables, public.table.ID())
	}
	endpoint, err := ec2.NewVpcEndpoint(b.ctx, b.child("s3"), &ec2.VpcEndpointArgs{
		VpcId:           vpc.ID(),
		ServiceName:     pulumi.String(b.serviceName("s3")),
		VpcEndpointType: pulumi.String("Gateway"),
		RouteTableIds:   tables,
		Tags:            b.tags(""),
	}, b.parent())
	if err != nil {
		return err
	}
	b.network.S3EndpointID = endpoint.ID().ToStringOutput()
	return nil
}

// interfaceEndpoints gives the nodes an address in their own subnets for each service asked for, in the zones that have
// it, and lets the VPC alone in.
func (b *builder) interfaceEndpoints(g *ground) error {
	ids := pulumi.StringMap{}
	b.network.InterfaceEndpointIDs = ids.ToStringMapOutput()
	services := ExpandServices(b.args.InterfaceEndpoints, b.profile.services)
	if len(services) == 0 {
		return nil
	}
	name := b.args.Cluster.InfraID + "-endpoints"
	group, err := b.securityGroup(g, "endpoints", name, "AWS services for the nodes of "+b.args.Cluster.InfraID)
	if err != nil {
		return err
	}
	if err := b.letVPCIn(g, group, "endpoints-https", name, "HTTPS from the VPC", 443); err != nil {
		return err
	}
	for _, service := range services {
		var subnets pulumi.StringArray
		for _, zone := range b.found.serviceZones[service] {
			subnets = append(subnets, g.nodeSubnets[zone])
		}
		endpoint, err := ec2.NewVpcEndpoint(b.ctx, b.child("endpoint-"+service), &ec2.VpcEndpointArgs{
			VpcId:             g.vpcID,
			ServiceName:       pulumi.String(b.serviceName(service)),
			VpcEndpointType:   pulumi.String("Interface"),
			PrivateDnsEnabled: pulumi.Bool(true),
			SubnetIds:         subnets,
			SecurityGroupIds:  pulumi.StringArray{group.ID()},
			Tags:              b.tags(b.args.Cluster.InfraID + "-" + service),
		}, b.parent())
		if err != nil {
			return err
		}
		ids[service] = endpoint.ID().ToStringOutput()
	}
	b.network.InterfaceEndpointIDs = ids.ToStringMapOutput()
	return nil
}

func (b *builder) serviceName(service string) string {
	return serviceName(b.region, service)
}

var servicePattern = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)

// NodesPreset stands for all of NodeServices in a list of interface endpoints.
const NodesPreset = "nodes"

// ExpandServices are the services that a list of interface endpoints asks for, where NodesPreset stands for preset.
func ExpandServices(items, preset []string) []string {
	var services []string
	for _, item := range items {
		if item == NodesPreset {
			services = append(services, preset...)
		} else {
			services = append(services, item)
		}
	}
	return services
}

// expandServices is ExpandServices with the services of a hosted cluster's nodes.
func expandServices(items []string) []string { return ExpandServices(items, NodeServices()) }

func expandService(item string) []string { return expandServices([]string{item}) }

func validateInterfaceEndpoints(items []string) error {
	var faults fault.Faults
	seen := map[string]int{}
	for i, item := range items {
		path := fmt.Sprintf("[%d]", i)
		switch first, twice := firstSeen(seen, item); {
		case !servicePattern.MatchString(item):
			faults.Add(path, item, "is not the name of a service's endpoint", "give one such as ecr.api or sts")
		case item == "s3":
			faults.Add(path, item, "always has a gateway endpoint", "leave it out")
		case twice:
			faults.Add(path, item, fmt.Sprintf("duplicates [%d]", first), "give each service once")
		}
		for _, service := range expandService(item) {
			seen[service] = i
		}
	}
	return faults.Err()
}

// firstSeen says where in the list a service of the item stood before.
func firstSeen(seen map[string]int, item string) (index int, twice bool) {
	for _, service := range expandService(item) {
		if index, twice = seen[service]; twice {
			return index, true
		}
	}
	return 0, false
}
