package permissions

// securityGroupEntries are EC2's firewalls.
func securityGroupEntries() []entry {
	return []entry{
		{
			token:  "aws:ec2/securityGroup:SecurityGroup",
			create: []string{"ec2:CreateSecurityGroup", "ec2:CreateTags", "ec2:RevokeSecurityGroupEgress"},
			read:   []string{"ec2:DescribeSecurityGroups"},
			update: []string{
				"ec2:AuthorizeSecurityGroupIngress", "ec2:AuthorizeSecurityGroupEgress", "ec2:RevokeSecurityGroupIngress",
				"ec2:DeleteTags",
			},
			remove: []string{"ec2:DeleteSecurityGroup", "ec2:DescribeNetworkInterfaces"},
		},
		{
			// It comes with the VPC and goes with it.
			token:  "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
			create: []string{"ec2:RevokeSecurityGroupIngress", "ec2:RevokeSecurityGroupEgress", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeSecurityGroups"},
			update: []string{"ec2:AuthorizeSecurityGroupIngress", "ec2:AuthorizeSecurityGroupEgress", "ec2:DeleteTags"},
		},
		{
			token:  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
			create: []string{"ec2:AuthorizeSecurityGroupIngress", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeSecurityGroupRules"},
			update: []string{"ec2:ModifySecurityGroupRules", "ec2:DeleteTags"},
			remove: []string{"ec2:RevokeSecurityGroupIngress"},
		},
		{
			token:  "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
			create: []string{"ec2:AuthorizeSecurityGroupEgress", "ec2:CreateTags"},
			read:   []string{"ec2:DescribeSecurityGroupRules"},
			update: []string{"ec2:ModifySecurityGroupRules", "ec2:DeleteTags"},
			remove: []string{"ec2:RevokeSecurityGroupEgress"},
		},
	}
}
