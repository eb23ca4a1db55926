package network

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// FlowLogs configures the flow logs of the VPC.
type FlowLogs struct {
	// Destination is where the records are written: to the log group <infraID>-flow-logs, which is deleted with the
	// network, or to a bucket that exists. Default CloudWatch.
	Destination FlowLogDestination `yaml:"destination" pulumi:"destination,optional"`
	// BucketARN is the ARN of the bucket, "arn:…:s3:::<bucket>", optionally with a folder. Its policy must allow
	// delivery.logs.amazonaws.com to write; AWS adds this if the deployer may change the policy. Required with destination
	// S3.
	BucketARN pulumi.StringInput `yaml:"bucketARN" pulumi:"bucketARN,optional"`
	// RetentionDays is how many days CloudWatch Logs keeps a record, one of the periods that it supports. A bucket has
	// lifecycle rules instead. Default 30.
	RetentionDays int `yaml:"retentionDays" pulumi:"retentionDays,optional"`
	// Traffic is the traffic that is recorded: all, accepted or rejected. Default ALL.
	Traffic FlowLogTraffic `yaml:"traffic" pulumi:"traffic,optional"`
}

// FlowLogDestination is the destination of flow logs.
type FlowLogDestination string

const (
	// FlowLogsToCloudWatch are written to a log group of the network. It is the default.
	FlowLogsToCloudWatch FlowLogDestination = "CloudWatch"
	// FlowLogsToS3 are written to an existing bucket.
	FlowLogsToS3 FlowLogDestination = "S3"
)

// OrDefault returns d, or FlowLogsToCloudWatch for the zero value.
func (d FlowLogDestination) OrDefault() FlowLogDestination {
	return cmp.Or(d, FlowLogsToCloudWatch)
}

// Validate returns a fault for an unknown destination.
func (d FlowLogDestination) Validate() error {
	return enum.Validate(d, "is not a destination of flow logs", FlowLogsToCloudWatch, FlowLogsToS3)
}

// FlowLogTraffic is the traffic that flow logs record.
type FlowLogTraffic string

const (
	// AllTraffic records all traffic. It is the default.
	AllTraffic FlowLogTraffic = "ALL"
	// AcceptedTraffic records accepted traffic only.
	AcceptedTraffic FlowLogTraffic = "ACCEPT"
	// RejectedTraffic records rejected traffic only.
	RejectedTraffic FlowLogTraffic = "REJECT"
)

// OrDefault returns t, or AllTraffic for the zero value.
func (t FlowLogTraffic) OrDefault() FlowLogTraffic { return cmp.Or(t, AllTraffic) }

// Validate returns a fault for an unknown type of traffic.
func (t FlowLogTraffic) Validate() error {
	return enum.Validate(t, "is not a type of traffic", AllTraffic, AcceptedTraffic, RejectedTraffic)
}

// defaultRetentionDays is how long flow logs are kept.
const defaultRetentionDays = 30

// retentionPeriods returns the periods that CloudWatch Logs supports, in days. Source: PutRetentionPolicy in the
// CloudWatch Logs API reference.
func retentionPeriods() []int {
	return []int{1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653}
}

var bucketARNPattern = regexp.MustCompile(`^arn:aws(-[a-z]+)*:s3:::[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$`)

func (f *FlowLogs) validate() error {
	var faults fault.Faults
	if f == nil {
		return nil
	}
	faults.Join("destination", f.Destination.Validate())
	faults.Join("traffic", f.Traffic.Validate())
	toS3 := f.Destination == FlowLogsToS3
	switch {
	case toS3 && !input.IsSet(f.BucketARN):
		faults.Add("bucketARN", nil, "is missing", "set the ARN of the bucket, arn:aws:s3:::<bucket>")
	case toS3:
		faults.Join("bucketARN", input.IfPlain(f.BucketARN, validateBucketARN))
	case input.IsSet(f.BucketARN):
		faults.Add("bucketARN", input.Value(f.BucketARN), "is not used with destination CloudWatch",
			"leave it out, or use destination S3")
	}
	switch {
	case f.RetentionDays == 0:
	case toS3:
		faults.Add("retentionDays", f.RetentionDays, "is not used with destination S3",
			"leave it out, and add a lifecycle rule to the bucket")
	case !slices.Contains(retentionPeriods(), f.RetentionDays):
		faults.Add("retentionDays", f.RetentionDays, "is not a retention period of CloudWatch Logs",
			fmt.Sprintf("use one of %v", retentionPeriods()))
	}
	return faults.Err()
}

func validateBucketARN(arn string) error {
	if bucketARNPattern.MatchString(arn) {
		return nil
	}
	return &fault.Fault{Value: arn, Problem: "is not the ARN of a bucket", Remedy: "use arn:aws:s3:::<bucket>"}
}

// flowLog is the flow log of the VPC, with its log group and role.
type flowLog struct{ *site }

// create creates the flow log.
func (l flowLog) create(v *vpcNetwork) error {
	if l.args.FlowLogs == nil {
		return nil
	}
	log := &ec2.FlowLogArgs{
		VpcId:       v.vpcID,
		TrafficType: pulumi.String(string(l.args.FlowLogs.Traffic.OrDefault())),
		Tags:        l.tags(l.logName()),
	}
	opts := []pulumi.ResourceOption{l.parent()}
	if l.args.FlowLogs.Destination == FlowLogsToS3 {
		bucket, err := input.Check("flowLogs.bucketARN", l.args.FlowLogs.BucketARN, validateBucketARN)
		if err != nil {
			return err
		}
		log.LogDestinationType = pulumi.String("s3")
		log.LogDestination = input.Optional(bucket)
	} else {
		group, role, err := l.group()
		if err != nil {
			return err
		}
		log.LogDestinationType = pulumi.String("cloud-watch-logs")
		log.LogDestination, log.IamRoleArn = group.Arn, role.Arn
		// Records are lost until the role has its policy.
		opts = append(opts, pulumi.DependsOn(role.Policies))
	}
	// AWS refuses a second flow log of the same configuration, and does not say whether the role is part of it.
	opts = append(opts, pulumi.DeleteBeforeReplace(true))
	flowLog, err := ec2.NewFlowLog(l.ctx, l.child("flow-logs"), log, opts...)
	if err != nil {
		return err
	}
	l.out.FlowLogID, l.out.FlowLogDestination = flowLog.ID().ToStringOutput(), flowLog.LogDestination
	return nil
}

func (l flowLog) logName() string { return l.args.Prefix + "-flow-logs" }

// group creates the log group, and the role that flow logs write to it with. The role may not create log groups:
// otherwise a late delivery would create the group again after its deletion.
func (l flowLog) group() (*cloudwatch.LogGroup, *iamrole.Role, error) {
	days := l.args.FlowLogs.RetentionDays
	if days == 0 {
		days = defaultRetentionDays
	}
	group, err := cloudwatch.NewLogGroup(l.ctx, l.child("flow-logs"), &cloudwatch.LogGroupArgs{
		Name:            pulumi.String(l.logName()),
		RetentionInDays: pulumi.Int(days),
		Tags:            l.tags(""),
	}, l.parent())
	if err != nil {
		return nil, nil, err
	}
	trust, err := l.trust()
	if err != nil {
		return nil, nil, err
	}
	document := group.Arn.ApplyT(func(arn string) string {
		return policy.New(policy.Statement{
			Effect:   policy.Allow,
			Action:   []string{"logs:CreateLogStream", "logs:DescribeLogGroups", "logs:DescribeLogStreams", "logs:PutLogEvents"},
			Resource: []string{arn, arn + ":*"},
		}).JSON()
	}).(pulumi.StringOutput)
	role, err := l.role("flow-logs", l.logName(), pulumi.String(trust.JSON()), document)
	return group, role, err
}

// trust allows only flow logs of this account and region to assume the role. Source: the VPC user guide,
// "IAM role for publishing flow logs to CloudWatch Logs".
func (l flowLog) trust() (policy.Document, error) {
	in, err := location.LookupPartition(l.ctx, l.parent())
	if err != nil {
		return policy.Document{}, err
	}
	in.Region = l.region
	if in.Account, err = l.account(); err != nil {
		return policy.Document{}, err
	}
	return policy.New(policy.Statement{
		Effect:    policy.Allow,
		Principal: &policy.Principal{Service: policy.Names{"vpc-flow-logs.amazonaws.com"}},
		Action:    []string{"sts:AssumeRole"},
		Condition: policy.Condition{
			"StringEquals": {"aws:SourceAccount": {in.Account}},
			"ArnLike":      {"aws:SourceArn": {in.ARN("ec2", "vpc-flow-log/*")}},
		},
	}), nil
}
