package awstype

import (
	"strings"
	"time"
)

// The tokens of EC2's firewalls.
const (
	SecurityGroup            = "aws:ec2/securityGroup:SecurityGroup"
	DefaultSecurityGroup     = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
	SecurityGroupIngressRule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	SecurityGroupEgressRule  = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
)

func securityGroupTypes() []Type {
	group := ec2Tagged("security-group")
	group.Emptied = []string{"egress"} // AWS creates a group with a rule that allows all egress
	return []Type{
		{
			Token: SecurityGroup, Label: "security group", Tagged: true, Hop: "security group",
			Guard: Guard{
				Needed: "machines and load balancers of the cluster reach each other by its rules, which are deleted before " +
					"AWS refuses to delete the group",
				Of: "hypershift-aws:capa:", Fixed: []string{"description", "name", "vpcId"}, Keys: "securityGroups",
			},
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
			Guard: Guard{Unneeded: "nothing is deleted: it has rules of a group that stays"},
			Permissions: Permissions{
				Create: []string{"ec2:RevokeSecurityGroupIngress", "ec2:RevokeSecurityGroupEgress", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeSecurityGroups"},
				Update: []string{"ec2:AuthorizeSecurityGroupIngress", "ec2:AuthorizeSecurityGroupEgress", "ec2:DeleteTags"},
			},
			Find: Find{Replaceable: true}, Price: Free,
			Adopt: Adoption{By: AdoptBySearch, Match: []string{"vpcId"}, Note: "one with rules according to --default-security-group: keep does not change it, revoke removes the rules"},
		},
		groupRule(SecurityGroupIngressRule, "Ingress", "security group"),
		groupRule(SecurityGroupEgressRule, "Egress", ""),
	}
}

// groupRule returns the record of the rules of security groups in a direction: "Ingress" or "Egress".
func groupRule(token, direction, hop string) Type {
	return Type{
		Token: token, Label: "security group " + strings.ToLower(direction) + " rule", Hop: hop,
		Guard: Guard{
			Needed: "machines of the cluster reach each other by it", Of: "hypershift-aws:capa:",
			If: "referencedSecurityGroupId", Fixed: []string{"securityGroupId"}, Losses: portLosses,
			Keys: "cni.rules", Within: []string{"securityGroupId", "referencedSecurityGroupId"},
		},
		Permissions: Permissions{
			Create: []string{"ec2:AuthorizeSecurityGroup" + direction, "ec2:CreateTags"},
			Read:   []string{"ec2:DescribeSecurityGroupRules"},
			Update: []string{"ec2:ModifySecurityGroupRules", "ec2:DeleteTags"},
			Delete: []string{"ec2:RevokeSecurityGroup" + direction},
		},
		// A group has each rule once, whatever its tags and description.
		Find: listed("ec2:DescribeSecurityGroupRules", "securityGroupId", "ipProtocol", "fromPort", "toPort", "cidrIpv4",
			"cidrIpv6",
			"prefixListId", "referencedSecurityGroupId").partOf("securityGroupId"), Price: Free,
		Adopt: adoptedBySearch("securityGroupId", "ipProtocol", "cidrIpv4", "cidrIpv6", "prefixListId",
			"referencedSecurityGroupId", "fromPort", "toPort"),
	}
}

// The tokens of hosts and of the keys to log in to them.
const (
	Instance = "aws:ec2/instance:Instance"
	KeyPair  = "aws:ec2/keyPair:KeyPair"
)

func computeTypes() []Type {
	return []Type{
		{
			Token: Instance, Label: "instance", Tagged: true, Hop: "instance",
			Guard: Guard{Unneeded: "it is for people who debug nodes"},
			Permissions: Permissions{
				Create: []string{"ec2:RunInstances", "ec2:CreateTags"},
				Read: []string{
					"ec2:DescribeInstances", "ec2:DescribeInstanceAttribute", "ec2:DescribeInstanceCreditSpecifications",
					"ec2:DescribeInstanceTypes", "ec2:DescribeTags", "ec2:DescribeVolumes", "ec2:DescribeImages",
				},
				Update: []string{
					"ec2:ModifyInstanceAttribute", "ec2:ModifyInstanceMetadataOptions", "ec2:ModifyVolume", "ec2:StopInstances",
					"ec2:StartInstances", "ec2:DescribeIamInstanceProfileAssociations", "ec2:ReplaceIamInstanceProfileAssociation",
					"ec2:AssociateIamInstanceProfile", "ec2:DeleteTags",
				},
				Delete: []string{"ec2:TerminateInstances"},
				Others: []Grant{
					{
						Actions: []string{"iam:PassRole"},
						On:      Scope{ARNs: []string{roleARN}, Owner: Role, Input: "iamInstanceProfile", Key: "name"},
						When:    passedTo("ec2"),
					},
				},
			},
			Reads: Reads{List: []string{"ec2:DescribeInstances"}},
			Sweep: Sweep{Operators: true, Delete: []string{"ec2:TerminateInstances"}},
			Find:  ec2Tagged("instance"), Deletion: Deletion{Rank: 10, Wait: 10 * time.Minute}, Price: "instance",
			Adopt: adoptedBySearch().owned().named(),
		},
		{
			Token: KeyPair, Label: "key pair",
			Guard: Guard{Unneeded: "it is for people who debug nodes"},
			Reads: Reads{Named: []string{"ec2:DescribeKeyPairs"}},
			Permissions: Permissions{
				Create: []string{"ec2:ImportKeyPair", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeKeyPairs"},
				Update: []string{"ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteKeyPair"},
			},
			Find: importedAs("{keyName}"), Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: Adoption{By: AdoptByWriting, Match: []string{"keyName"}, Note: "AWS is not called: an import would lose the public key; one with another public key is refused"},
		},
	}
}

// Types that other packages name.
const (
	LogGroup = "aws:cloudwatch/logGroup:LogGroup"
	FlowLog  = "aws:ec2/flowLog:FlowLog"
)

func logTypes() []Type {
	const groupARN = "arn:{partition}:logs:{region}:{account}:log-group:{name}"
	return []Type{
		{
			Token: LogGroup, Label: "log group",
			Guard: Guard{Unneeded: "it only logs traffic"},
			Reads: Reads{Named: []string{"logs:DescribeLogGroups"}},
			Permissions: Permissions{
				Create: []string{"logs:CreateLogGroup", "logs:TagResource"},
				Read:   []string{"logs:ListTagsForResource"},
				Update: []string{"logs:PutRetentionPolicy", "logs:DeleteRetentionPolicy", "logs:UntagResource"},
				Delete: []string{"logs:DeleteLogGroup"},
				On:     on(groupARN, groupARN+":*"), // some actions have the group with its streams
				// It lists groups by the beginning of their names.
				Others: []Grant{{Actions: []string{"logs:DescribeLogGroups"}}},
			},
			Lost: lost("logs:log-group", "arn:{partition}:logs:{region}:{account}:log-group:{id}", "logs:DescribeLogGroups"),
			Find: importedAs("{name}"), Deletion: Deletion{Rank: 98}, Price: Free,
			Adopt: adoptedByImportID("name"),
		},
		{
			Token: FlowLog, Label: "flow log", Tagged: true,
			Guard: Guard{Unneeded: "it only logs traffic"},
			Reads: Reads{Named: []string{"ec2:DescribeFlowLogs"}},
			Permissions: Permissions{
				Create: []string{"ec2:CreateFlowLogs", "ec2:CreateTags"},
				Read:   []string{"ec2:DescribeFlowLogs"},
				Update: []string{"ec2:DeleteTags"},
				Delete: []string{"ec2:DeleteFlowLogs"},
				Others: []Grant{
					{
						Actions: []string{"iam:PassRole"},
						On:      Scope{ARNs: []string{roleARN}, Owner: Role, Input: "iamRoleArn", Key: "arn"},
						When:    passedTo("vpc-flow-logs"),
					},
					// A bucket is written to by a delivery, which has no name.
					{Actions: []string{"logs:CreateLogDelivery", "logs:DeleteLogDelivery"}},
				},
			},
			Find: ec2Tagged("vpc-flow-log"), Deletion: Deletion{Rank: 15}, Price: "flowLog",
			Adopt: adoptedBySearch("vpcId").owned().noted("the one with the cluster's tag or the stack's name for it, where network.flowLogs can describe it"),
		},
	}
}
