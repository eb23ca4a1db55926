package network

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// s3Endpoint keeps the nodes' and the public subnets' traffic to S3 inside AWS.
func (b *builder) s3Endpoint(vpc *ec2.Vpc, private *privateSide, public *publicSide) error {
	var tables pulumi.StringArray
	for _, zone := range b.zones {
		tables = append(tables, private.tables[zone.name].ID())
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

// interfaceEndpoints gives the nodes an address in their own subnets for each service asked for, and
// lets the VPC alone in.
func (b *builder) interfaceEndpoints(network *ec2.Vpc, private *privateSide) error {
	ids := pulumi.StringMap{}
	b.network.InterfaceEndpointIDs = ids.ToStringMapOutput()
	if len(b.args.InterfaceEndpoints) == 0 {
		return nil
	}
	name := b.args.Cluster.InfraID + "-endpoints"
	group, err := ec2.NewSecurityGroup(b.ctx, b.child("endpoints"), &ec2.SecurityGroupArgs{
		Name:        pulumi.String(name),
		Description: pulumi.String("AWS services for the nodes of " + b.args.Cluster.InfraID),
		VpcId:       network.ID(),
		Tags:        b.tags(name),
	}, b.parent())
	if err != nil {
		return err
	}
	if _, err := vpc.NewSecurityGroupIngressRule(b.ctx, b.child("endpoints-https"), &vpc.SecurityGroupIngressRuleArgs{
		SecurityGroupId: group.ID(),
		Description:     pulumi.String("HTTPS from the VPC"),
		CidrIpv4:        network.CidrBlock,
		IpProtocol:      pulumi.String("tcp"),
		FromPort:        pulumi.Int(443),
		ToPort:          pulumi.Int(443),
		Tags:            b.tags(name),
	}, b.parent()); err != nil {
		return err
	}
	var subnets pulumi.StringArray
	for _, zone := range b.zones {
		subnets = append(subnets, private.subnets[zone.name].ID())
	}
	for _, service := range b.args.InterfaceEndpoints {
		endpoint, err := ec2.NewVpcEndpoint(b.ctx, b.child("endpoint-"+service), &ec2.VpcEndpointArgs{
			VpcId:             network.ID(),
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

func validateInterfaceEndpoints(services []string) error {
	var faults fault.Faults
	seen := map[string]int{}
	for i, service := range services {
		path := fmt.Sprintf("[%d]", i)
		switch first, twice := seen[service]; {
		case !servicePattern.MatchString(service):
			faults.Add(path, service, "is not the name of a service's endpoint", "give one such as ecr.api or sts")
		case service == "s3":
			faults.Add(path, service, "has its gateway endpoint in any case", "leave it out")
		case twice:
			faults.Add(path, service, fmt.Sprintf("is [%d] already", first), "give each service once")
		}
		seen[service] = i
	}
	return faults.Err()
}
