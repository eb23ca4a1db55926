package management

import (
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// The policies are those that HyperShift's CLI attaches, action for action except s3:DeleteObjects, which does not exist in IAM, and
// narrower where AWS allows it. Source: HyperShift, cmd/infra/aws/create_operator_roles.go.

// everything is the resource of actions that cannot be limited further.
const everything = "*"

// endpointServicesPolicy allows the operator to create endpoint services for hosted control planes. With an infra ID, it may only change
// endpoint services with that cluster's tag.
func endpointServicesPolicy(in location.Location, infraID string) policy.Document {
	services := in.ARN("ec2", "vpc-endpoint-service/*")
	read := policy.Allows([]string{
		"ec2:DescribeVpcEndpointServiceConfigurations",
		"ec2:DescribeVpcEndpointServicePermissions",
		"ec2:DescribeVpcEndpointConnections",
		"ec2:DescribeInstanceTypes",
		"elasticloadbalancing:DescribeLoadBalancers",
	}, everything)
	create := policy.Allows([]string{"ec2:CreateVpcEndpointServiceConfiguration"}, services)
	change := policy.Allows([]string{
		"ec2:DeleteVpcEndpointServiceConfigurations",
		"ec2:ModifyVpcEndpointServicePermissions",
		"ec2:RejectVpcEndpointConnections",
	}, services)
	// Tags can only be set when a service is created: otherwise the operator could take over any service.
	tag := policy.Allows([]string{"ec2:CreateTags"}, services)
	tag.Condition = policy.Condition{"StringEquals": {"ec2:CreateAction": {"CreateVpcEndpointServiceConfiguration"}}}
	if infraID != "" {
		owner := "/kubernetes.io/cluster/" + infraID
		create.Condition = policy.Condition{"StringEquals": {"aws:RequestTag" + owner: {"owned"}}}
		change.Condition = policy.Condition{"StringEquals": {"aws:ResourceTag" + owner: {"owned"}}}
	}
	return policy.New(read, create, change, tag)
}

// documentsPolicy allows the operator to write and delete hosted clusters' OIDC documents.
func documentsPolicy(in location.Location, bucket string) policy.Document {
	return policy.New(policy.Allows([]string{"s3:PutObject", "s3:DeleteObject"}, bucketARN(in, bucket)+"/*"))
}

// recordsPolicy allows external-dns to write the records of hosted clusters' public names.
func recordsPolicy(in location.Location, zoneARN string) policy.Document {
	return policy.New(
		policy.Allows([]string{"route53:ListHostedZones"}, everything),
		policy.Allows([]string{"route53:GetChange"}, in.PartitionARN("route53", "change/*")),
		policy.Allows([]string{
			"route53:GetHostedZone",
			"route53:ChangeResourceRecordSets",
			"route53:ListResourceRecordSets",
		}, zoneARN),
	)
}
