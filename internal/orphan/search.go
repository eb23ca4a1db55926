package orphan

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
		"aws:ec2/vpc:Vpc":                               {ec2: "vpc"},
		"aws:ec2/subnet:Subnet":                         {ec2: "subnet"},
		"aws:ec2/internetGateway:InternetGateway":       {ec2: "internet-gateway"},
		"aws:ec2/eip:Eip":                               {ec2: "elastic-ip"},
		"aws:ec2/natGateway:NatGateway":                 {ec2: "natgateway"},
		"aws:ec2/routeTable:RouteTable":                 {ec2: "route-table"},
		"aws:ec2/vpcDhcpOptions:VpcDhcpOptions":         {ec2: "dhcp-options"},
		"aws:ec2/vpcEndpoint:VpcEndpoint":               {ec2: "vpc-endpoint"},
		"aws:ec2/vpcEndpointService:VpcEndpointService": {ec2: "vpc-endpoint-service"},
		"aws:ec2/securityGroup:SecurityGroup":           {ec2: "security-group"},
		"aws:ec2/instance:Instance":                     {ec2: "instance"},
		"aws:ec2/flowLog:FlowLog":                       {ec2: "vpc-flow-log"},

		"aws:ram/resourceShare:ResourceShare":      {tagged: "ram:resource-share", id: wholeARN},
		"aws:kms/key:Key":                          {tagged: "kms:key", id: lastOfARN},
		"aws:lb/loadBalancer:LoadBalancer":         {tagged: "elasticloadbalancing:loadbalancer", id: wholeARN},
		"aws:cloudfront/distribution:Distribution": {tagged: "cloudfront:distribution", id: lastOfARN, region: "us-east-1"},

		hostedZone:      {},
		MainAssociation: {tagless: true},
		secondaryCIDR:   {tagless: true},
		ingressRule:     {tagless: true},
		egressRule:      {tagless: true},
	}
}

// Actions are the IAM actions by which a real account is searched for one of the type, none where its key is enough.
func Actions(token string) []string {
	switch how := searches()[token]; {
	case how.ec2 != "":
		return []string{"ec2:DescribeTags"}
	case how.tagged != "":
		return []string{"tag:GetResources"}
	}
	switch token {
	case MainAssociation:
		return []string{"ec2:DescribeRouteTables"}
	case secondaryCIDR:
		return []string{"ec2:DescribeVpcs"}
	case ingressRule, egressRule:
		return []string{"ec2:DescribeSecurityGroupRules"}
	case hostedZone:
		return []string{"route53:GetHostedZone", "route53:ListHostedZonesByName"}
	}
	return nil
}

// Region is where the search for one of the type is asked, "" for the resource's own region.
func Region(token string) string { return searches()[token].region }

func wholeARN(arn string) string { return arn }

func lastOfARN(arn string) string { return arn[strings.LastIndex(arn, "/")+1:] }
