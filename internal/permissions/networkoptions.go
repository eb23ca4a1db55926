package permissions

// lookupEntries are what a network asks about things that are there already.
func lookupEntries() []entry {
	return []entry{
		{token: "aws:ec2/getVpcDhcpOptions:getVpcDhcpOptions", read: []string{"ec2:DescribeDhcpOptions"}},
		{token: "aws:ec2/getRouteTable:getRouteTable", read: []string{"ec2:DescribeRouteTables"}},
		{token: "aws:ec2/getSecurityGroup:getSecurityGroup", read: []string{"ec2:DescribeSecurityGroups"}},
		{token: "aws:ec2/getElasticIp:getElasticIp", read: []string{"ec2:DescribeAddresses"}},
		{token: "aws:ec2/getNatGateway:getNatGateway", read: []string{"ec2:DescribeNatGateways"}},
		{token: "aws:ec2/getVpcEndpoint:getVpcEndpoint", read: []string{"ec2:DescribeVpcEndpoints", "ec2:DescribePrefixLists"}},
		{token: "aws:ec2/getVpcEndpointService:getVpcEndpointService", read: []string{"ec2:DescribeVpcEndpointServices"}},
		{token: "aws:ec2/getAmi:getAmi", read: []string{"ec2:DescribeImages"}},
	}
}

// flowLogEntries are a VPC's second CIDR and the record of its traffic.
func flowLogEntries() []entry {
	return []entry{
		{
			token:  "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation",
			create: []string{"ec2:AssociateVpcCidrBlock"},
			read:   []string{"ec2:DescribeVpcs"},
			remove: []string{"ec2:DisassociateVpcCidrBlock"},
		},
		{
			token:  "aws:cloudwatch/logGroup:LogGroup",
			create: []string{"logs:CreateLogGroup", "logs:TagResource"},
			read:   []string{"logs:ListTagsForResource"},
			update: []string{"logs:PutRetentionPolicy", "logs:DeleteRetentionPolicy", "logs:UntagResource"},
			remove: []string{"logs:DeleteLogGroup"},
			on:     logGroup,
			// It lists groups by the beginning of their names.
			besides: []grant{{actions: []string{"logs:DescribeLogGroups"}}},
		},
		{
			token:  "aws:ec2/flowLog:FlowLog",
			create: []string{"ec2:CreateFlowLogs", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeFlowLogs"},
			update: []string{"ec2:DeleteTags"},
			remove: []string{"ec2:DeleteFlowLogs"},
			besides: []grant{
				{actions: []string{"iam:PassRole"}, on: of(roleToken, "iamRoleArn", "arn", roleARN), when: passedTo("vpc-flow-logs")},
				// A bucket is written to by a delivery, which has no name.
				{actions: []string{"logs:CreateLogDelivery", "logs:DeleteLogDelivery"}},
			},
		},
	}
}

// logGroup is a log group, by itself and as some of its actions have it, with what is in it.
func logGroup(n Need, _ []Need) []string {
	arn := n.fill("arn:{partition}:logs:{region}:{account}:log-group:{name}")
	return []string{arn, arn + ":*"}
}

// instanceEntries are hosts.
func instanceEntries() []entry {
	return []entry{
		{
			token:  "aws:ec2/keyPair:KeyPair",
			create: []string{"ec2:ImportKeyPair", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeKeyPairs"},
			update: []string{"ec2:DeleteTags"},
			remove: []string{"ec2:DeleteKeyPair"},
		},
		{
			token:  "aws:ec2/instance:Instance",
			create: []string{"ec2:RunInstances", "ec2:CreateTags"},
			read: []string{
				"ec2:DescribeInstances", "ec2:DescribeInstanceAttribute", "ec2:DescribeInstanceCreditSpecifications",
				"ec2:DescribeInstanceTypes", "ec2:DescribeTags", "ec2:DescribeVolumes", "ec2:DescribeVpcs", "ec2:DescribeImages",
			},
			update: []string{
				"ec2:ModifyInstanceAttribute", "ec2:ModifyInstanceMetadataOptions", "ec2:ModifyVolume", "ec2:StopInstances",
				"ec2:StartInstances", "ec2:DeleteTags",
			},
			remove: []string{"ec2:TerminateInstances"},
			besides: []grant{
				{actions: []string{"iam:PassRole"}, on: of(roleToken, "iamInstanceProfile", "name", roleARN), when: passedTo("ec2")},
				{actions: []string{"iam:GetInstanceProfile"}, on: arn("arn:{partition}:iam::{account}:instance-profile/*")},
			},
		},
	}
}

// shareEntries are what is shared with other accounts, and how it is found there.
func shareEntries() []entry {
	shares := arn("arn:{partition}:ram:{region}:{account}:resource-share/*")
	listed := []grant{{actions: []string{"ram:GetResourceShares", "ram:GetResourceShareAssociations"}}}
	zones := arn("arn:{partition}:route53:::hostedzone/*")
	return []entry{
		{
			token:   "aws:ram/resourceShare:ResourceShare",
			create:  []string{"ram:TagResource"},
			update:  []string{"ram:UpdateResourceShare", "ram:UntagResource"},
			remove:  []string{"ram:DeleteResourceShare"},
			on:      shares,
			besides: append([]grant{{actions: []string{"ram:CreateResourceShare", "ram:ListResourceSharePermissions"}}}, listed...),
		},
		{
			token:   "aws:ram/resourceAssociation:ResourceAssociation",
			create:  []string{"ram:AssociateResourceShare"},
			remove:  []string{"ram:DisassociateResourceShare"},
			on:      shares,
			besides: append([]grant{{actions: []string{"ec2:DescribeSubnets"}}}, listed...),
		},
		{
			token:   "aws:ram/principalAssociation:PrincipalAssociation",
			create:  []string{"ram:AssociateResourceShare"},
			remove:  []string{"ram:DisassociateResourceShare"},
			on:      shares,
			besides: listed,
		},
		{
			token:  "aws:ec2/tag:Tag",
			create: []string{"ec2:CreateTags"},
			read:   []string{"ec2:DescribeTags"},
			remove: []string{"ec2:DeleteTags"},
		},
		{
			token:  "aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization",
			create: []string{"route53:CreateVPCAssociationAuthorization"},
			read:   []string{"route53:ListVPCAssociationAuthorizations"},
			remove: []string{"route53:DeleteVPCAssociationAuthorization"},
			on:     zones,
		},
		{
			token:  "aws:route53/zoneAssociation:ZoneAssociation",
			create: []string{"route53:AssociateVPCWithHostedZone"},
			read:   []string{"route53:GetHostedZone"},
			remove: []string{"route53:DisassociateVPCFromHostedZone"},
			on:     zones,
			besides: []grant{
				{actions: []string{"route53:ListHostedZonesByVPC"}},
				{actions: []string{"route53:GetChange"}, on: arn("arn:{partition}:route53:::change/*")},
				{actions: []string{"ec2:DescribeVpcs"}},
			},
		},
	}
}
