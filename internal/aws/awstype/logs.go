package awstype

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
			Find: importedAs("{name}"), Deletion: Deletion{Rank: 98}, Price: Free,
			Adopt: adoptedByImportID("name"),
		},
		{
			Token: FlowLog, Label: "flow log", Tagged: true,
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
