package network

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// dynamoDB is the service with gateway endpoints besides S3.
// https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
const dynamoDB = "dynamodb"

// gatewayEndpoints creates the gateway endpoints of S3 and of the given services, with the route tables of the private and the public subnets.
func (b *builder) gatewayEndpoints(vpc *ec2.Vpc, private *privateSide, public *publicSide) error {
	var tables pulumi.StringArray
	for _, zone := range b.zones {
		if table := private.tables[zone.name]; table != nil {
			tables = append(tables, table.ID())
		}
	}
	if b.args.PublicSubnets {
		tables = append(tables, public.table.ID())
	}
	for _, service := range append([]string{"s3"}, b.args.GatewayEndpoints...) {
		endpoint, err := ec2.NewVpcEndpoint(b.ctx, b.child(service), &ec2.VpcEndpointArgs{
			VpcId:           vpc.ID(),
			ServiceName:     pulumi.String(b.serviceName(service)),
			VpcEndpointType: pulumi.String("Gateway"),
			RouteTableIds:   tables,
			Tags:            b.tags(""),
		}, b.parent())
		if err != nil {
			return err
		}
		if service == "s3" {
			b.out.S3EndpointID = endpoint.ID().ToStringOutput()
		}
	}
	return nil
}

func (args *BaseNetworkArgs) validateGatewayEndpoints() error {
	var faults fault.Faults
	for i, service := range args.GatewayEndpoints {
		path := fmt.Sprintf("[%d]", i)
		switch first := slices.Index(args.GatewayEndpoints, service); {
		case service == "s3":
			faults.Add(path, service, "always has a gateway endpoint", "leave it out")
		case service != dynamoDB:
			faults.Add(path, service, "is not a service with gateway endpoints", "use "+dynamoDB+", or interfaceEndpoints")
		case first < i:
			faults.Add(path, service, fmt.Sprintf("duplicates [%d]", first), "list each service once")
		}
	}
	if args.Existing != nil {
		refuseWithExisting(&faults, "", len(args.GatewayEndpoints) > 0, strings.Join(args.GatewayEndpoints, ", "))
	}
	return faults.Err()
}

// interfaceEndpoints creates an interface endpoint for each service in the node subnets of the zones that offer it, open to the
// VPC only.
func (b *builder) interfaceEndpoints(v *vpcNetwork) error {
	services := expandServices(b.args.InterfaceEndpoints, b.args.Services)
	if len(services) == 0 {
		return nil
	}
	name := b.args.Prefix + "-endpoints"
	group, err := b.securityGroup(v, "endpoints", name, "AWS services for the nodes of "+b.args.Prefix)
	if err != nil {
		return err
	}
	if err := b.letVPCIn(v, group, "endpoints-https", name, "HTTPS from the VPC", 443); err != nil {
		return err
	}
	ids := pulumi.StringMap{}
	for _, service := range services {
		var subnets pulumi.StringArray
		for _, zone := range b.endpointZones[service] {
			subnets = append(subnets, v.nodeSubnets[zone])
		}
		endpoint, err := ec2.NewVpcEndpoint(b.ctx, b.child("endpoint-"+service), &ec2.VpcEndpointArgs{
			VpcId:             v.vpcID,
			ServiceName:       pulumi.String(b.serviceName(service)),
			VpcEndpointType:   pulumi.String("Interface"),
			PrivateDnsEnabled: pulumi.Bool(true),
			SubnetIds:         subnets,
			SecurityGroupIds:  pulumi.StringArray{group.ID()},
			Tags:              b.tags(b.args.Prefix + "-" + service),
		}, b.parent())
		if err != nil {
			return err
		}
		ids[service] = endpoint.ID().ToStringOutput()
	}
	b.out.InterfaceEndpointIDs = ids.ToStringMapOutput()
	return nil
}

func (b *builder) serviceName(service string) string {
	return serviceName(b.region, service)
}

var servicePattern = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)

// nodesPreset means all of NodeServices in a list of interface endpoints.
const nodesPreset = "nodes"

// expandServices returns the services in a list of interface endpoints, with nodesPreset replaced by preset.
func expandServices(items, preset []string) []string {
	var services []string
	for _, item := range items {
		if item == nodesPreset {
			services = append(services, preset...)
		} else {
			services = append(services, item)
		}
	}
	return services
}

func validateInterfaceEndpoints(items, preset []string) error {
	var faults fault.Faults
	seen := map[string]int{}
	for i, item := range items {
		path := fmt.Sprintf("[%d]", i)
		switch first, twice := firstSeen(seen, expandServices([]string{item}, preset)); {
		case !servicePattern.MatchString(item):
			faults.Add(path, item, "is not the name of a service's endpoint", "use one such as ecr.api or sts")
		case item == "s3":
			faults.Add(path, item, "always has a gateway endpoint", "leave it out")
		case twice:
			faults.Add(path, item, fmt.Sprintf("duplicates [%d]", first), "list each service once")
		}
		for _, service := range expandServices([]string{item}, preset) {
			seen[service] = i
		}
	}
	return faults.Err()
}

// firstSeen returns the index of an earlier item with one of the services.
func firstSeen(seen map[string]int, services []string) (index int, twice bool) {
	for _, service := range services {
		if index, twice = seen[service]; twice {
			return index, true
		}
	}
	return 0, false
}

// serviceName returns the name of an AWS service's endpoint service in a region.
func serviceName(region, service string) string {
	name := "com.amazonaws." + region + "." + service
	if strings.HasPrefix(region, "cn-") && slices.Contains(chineseServices(), service) {
		return "cn." + name
	}
	return name
}

// chineseServices returns the services whose endpoint services begin with cn.com.amazonaws in China's regions; the others, such as
// S3's gateway endpoint, have the same names as elsewhere. Source: `aws ec2
// describe-vpc-endpoint-services` in those regions.
func chineseServices() []string {
	return []string{
		"application-autoscaling", "athena", "autoscaling", "backup", "batch", "cassandra", "cloudformation", "ebs", "ec2",
		"ecr.api", "ecr.dkr", "eks", "elasticache", "elasticbeanstalk", "elasticfilesystem", "emr-containers", "execute-api",
		"fsx", "imagebuilder", "kinesis-streams", "lambda", "license-manager", "monitoring", "rds", "redshift", "redshift-data",
		"sagemaker.api", "sagemaker.runtime", "securityhub", "servicecatalog", "sqs", "states", "sts", "synthetics",
		"transcribestreaming", "transfer", "xray",
	}
}
