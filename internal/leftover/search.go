package leftover

import "strings"

// search is how a type without a key is found.
type search struct {
	// ec2 is what EC2's list of tags calls the type.
	ec2 string
	// tagged is what the tagging API calls it, for the types of other services; id makes the ID of its ARN.
	tagged string
	id     func(arn string) string
	// region is where the tagging API knows it, "" for the provider's.
	region string
	// tagless is whether it can be told from others without tags.
	tagless bool
}

// searches are the types that are searched for.
func searches() map[string]search {
	return map[string]search{
		"aws:ec2/vpc:Vpc":                                           {ec2: "vpc"},
		"aws:ec2/subnet:Subnet":                                     {ec2: "subnet"},
		"aws:ec2/internetGateway:InternetGateway":                   {ec2: "internet-gateway"},
		"aws:ec2/eip:Eip":                                           {ec2: "elastic-ip"},
		"aws:ec2/natGateway:NatGateway":                             {ec2: "natgateway"},
		"aws:ec2/routeTable:RouteTable":                             {ec2: "route-table"},
		"aws:ec2/vpcDhcpOptions:VpcDhcpOptions":                     {ec2: "dhcp-options"},
		"aws:ec2/vpcEndpoint:VpcEndpoint":                           {ec2: "vpc-endpoint"},
		"aws:ec2/vpcEndpointService:VpcEndpointService":             {ec2: "vpc-endpoint-service"},
		"aws:ec2/securityGroup:SecurityGroup":                       {ec2: "security-group"},
		"aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {ec2: "security-group-rule"},
		"aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule":   {ec2: "security-group-rule"},
		"aws:ec2/instance:Instance":                                 {ec2: "instance"},
		"aws:ec2/flowLog:FlowLog":                                   {ec2: "vpc-flow-log"},

		"aws:ram/resourceShare:ResourceShare":      {tagged: "ram:resource-share", id: wholeARN},
		"aws:kms/key:Key":                          {tagged: "kms:key", id: lastOfARN},
		"aws:lb/loadBalancer:LoadBalancer":         {tagged: "elasticloadbalancing:loadbalancer", id: wholeARN},
		"aws:cloudfront/distribution:Distribution": {tagged: "cloudfront:distribution", id: lastOfARN, region: "us-east-1"},

		hostedZone:      {},
		MainAssociation: {tagless: true},
		secondaryCIDR:   {tagless: true},
	}
}

func wholeARN(arn string) string { return arn }

func lastOfARN(arn string) string { return arn[strings.LastIndex(arn, "/")+1:] }
