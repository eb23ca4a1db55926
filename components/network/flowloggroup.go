package network

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

func (b *builder) flowLogsName() string { return b.args.Cluster.InfraID + "-flow-logs" }

// flowLogGroup makes the log group, and the role by which flow logs write to it. The role may not make log
// groups: what is delivered late would otherwise bring the group back after it was deleted.
func (b *builder) flowLogGroup() (*cloudwatch.LogGroup, *awsiam.Role, *awsiam.RolePolicy, error) {
	days := b.args.FlowLogs.RetentionDays
	if days == 0 {
		days = defaultRetentionDays
	}
	group, err := cloudwatch.NewLogGroup(b.ctx, b.child("flow-logs"), &cloudwatch.LogGroupArgs{
		Name:            pulumi.String(b.flowLogsName()),
		RetentionInDays: pulumi.Int(days),
		Tags:            b.tags(""),
	}, b.parent())
	if err != nil {
		return nil, nil, nil, err
	}
	trust, err := b.flowLogsTrust()
	if err != nil {
		return nil, nil, nil, err
	}
	role, err := b.role("flow-logs", b.flowLogsName(), trust)
	if err != nil {
		return nil, nil, nil, err
	}
	policy, err := awsiam.NewRolePolicy(b.ctx, b.child("flow-logs"), &awsiam.RolePolicyArgs{
		Name: pulumi.String(b.flowLogsName()),
		Role: role.Name,
		Policy: group.Arn.ApplyT(func(arn string) string {
			return policy.New(policy.Statement{
				Effect:   policy.Allow,
				Action:   []string{"logs:CreateLogStream", "logs:DescribeLogGroups", "logs:DescribeLogStreams", "logs:PutLogEvents"},
				Resource: []string{arn, arn + ":*"},
			}).JSON()
		}).(pulumi.StringOutput),
	}, b.parent())
	return group, role, policy, err
}

// flowLogsTrust lets flow logs of this account and region alone take the role. Source: the VPC user guide,
// "IAM role for publishing flow logs to CloudWatch Logs".
func (b *builder) flowLogsTrust() (policy.Document, error) {
	account, err := location.LookupAccount(b.ctx, b.parent())
	if err != nil {
		return policy.Document{}, err
	}
	partition, err := location.LookupPartition(b.ctx, b.parent())
	if err != nil {
		return policy.Document{}, err
	}
	logs := fmt.Sprintf("arn:%s:ec2:%s:%s:vpc-flow-log/*", partition.Partition, b.region, account)
	return policy.New(policy.Statement{
		Effect:    policy.Allow,
		Principal: &policy.Principal{Service: policy.Names{"vpc-flow-logs.amazonaws.com"}},
		Action:    []string{"sts:AssumeRole"},
		Condition: policy.Condition{
			"StringEquals": {"aws:SourceAccount": {account}},
			"ArnLike":      {"aws:SourceArn": {logs}},
		},
	}), nil
}
