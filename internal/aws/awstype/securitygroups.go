package awstype

// The tokens of EC2's firewalls.
const (
	SecurityGroup            = "aws:ec2/securityGroup:SecurityGroup"
	DefaultSecurityGroup     = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
	SecurityGroupIngressRule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	SecurityGroupEgressRule  = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
)

func securityGroupTypes() []Type {
	// A group has each rule once, whatever its tags and description.
	rule := listed("ec2:DescribeSecurityGroupRules", "securityGroupId", "ipProtocol", "fromPort", "toPort", "cidrIpv4", "cidrIpv6",
		"prefixListId", "referencedSecurityGroupId").partOf("securityGroupId")
	group := ec2Tagged("security-group")
	group.Emptied = []string{"egress"} // AWS creates a group with a rule that allows all egress
	return []Type{
		{
			Token: SecurityGroup, Label: "security group", Tagged: true, Hop: "security group",
			Permissions: Permissions{
				Create: []string{"ec2:CreateSecurityGroup", "ec2:CreateTags", "ec2:RevokeSecurityGroupEgress"},
				Read:   []string{"ec2:DescribeSecurityGroups"},
				Update: []string{
					"ec2:AuthorizeSecurityGroupIngress", "ec2:AuthorizeSecurityGroupEgress", "ec2:RevokeSecurityGroupIngress",
					"ec2:DeleteTags",
				},
				Delete: []string{"ec2:DeleteSecurityGroup", "ec2:DescribeNetworkInterfaces"},
			},
			Reads: Reads{List: []string{"ec2:DescribeSecurityGroups"}},
			Sweep: Sweep{
				Operators: true,
				Delete:    []string{"ec2:RevokeSecurityGroupIngress", "ec2:RevokeSecurityGroupEgress", "ec2:DeleteSecurityGroup"},
				Note:      "rules between groups are revoked first",
			},
			Find: group, Deletion: Deletion{Rank: 50}, Price: Free,
			Adopt: adoptedBySearch("vpcId", "name"),
		},
		{
			// It is created and deleted with its VPC.
			Token: DefaultSecurityGroup, Label: "default security group",
			Permissions: Permissions{
				Create: []string{"ec2:RevokeSecurityGroupIngress", "ec2:RevokeSecurityGroupEgress", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeSecurityGroups"},
				Update: []string{"ec2:AuthorizeSecurityGroupIngress", "ec2:AuthorizeSecurityGroupEgress", "ec2:DeleteTags"},
			},
			Find: Find{Replaceable: true}, Price: Free,
			Adopt: Adoption{By: AdoptBySearch, Match: []string{"vpcId"}, Note: "one with rules according to --default-security-group: keep does not change it, revoke removes the rules"},
		},
		{
			Token: SecurityGroupIngressRule, Label: "security group ingress rule", Hop: "security group",
			Permissions: Permissions{
				Create: []string{"ec2:AuthorizeSecurityGroupIngress", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeSecurityGroupRules"},
				Update: []string{"ec2:ModifySecurityGroupRules", "ec2:DeleteTags"},
				Delete: []string{"ec2:RevokeSecurityGroupIngress"},
			},
			Find: rule, Price: Free,
			Adopt: adoptedBySearch("securityGroupId", "ipProtocol", "cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId", "fromPort", "toPort"),
		},
		{
			Token: SecurityGroupEgressRule, Label: "security group egress rule",
			Permissions: Permissions{
				Create: []string{"ec2:AuthorizeSecurityGroupEgress", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeSecurityGroupRules"},
				Update: []string{"ec2:ModifySecurityGroupRules", "ec2:DeleteTags"},
				Delete: []string{"ec2:RevokeSecurityGroupEgress"},
			},
			Find: rule, Price: Free,
			Adopt: adoptedBySearch("securityGroupId", "ipProtocol", "cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId", "fromPort", "toPort"),
		},
	}
}
