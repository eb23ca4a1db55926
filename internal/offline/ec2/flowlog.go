package ec2

import (
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func flowLogKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.LogGroup, Args: cloudwatch.LogGroupArgs{}, State: cloudwatch.LogGroupState{},
			Service: "CloudWatch Logs", Noun: "Log Group", Calls: aws.Calls{Update: "PutRetentionPolicy"},
			AutoName:     "name",
			Constants:    props.Map{"logGroupClass": "STANDARD"},
			ValidateFunc: map[string]func(string) string{"name": logGroupNameFault},
			UniqueBy:     []string{"name"},
			NotFound: awserr.Template{
				Code: "ResourceNotFoundException",
				Text: "The specified log group does not exist. (%s)",
			},
			Rules: []aws.Rule{logGroupNameFree, logRetention},
			ID:    aws.Joined("", "name"),
		},
		{
			Token: awstype.FlowLog, Args: ec2.FlowLogArgs{}, State: ec2.FlowLogState{},
			Service: "EC2", Noun: "Flow Log", Calls: aws.Calls{
				Create: "CreateFlowLogs",
				Update: "CreateTags",
				Remove: "DeleteFlowLogs",
			},
			ExactlyOneOf:  [][]string{{"vpcId", "subnetId", "eniId", "transitGatewayId", "transitGatewayAttachmentId"}},
			ConflictsWith: [][]string{{"logDestination", "logGroupName"}},
			Constants: props.Map{"logFormat": "${version} ${account-id} ${interface-id} ${srcaddr} ${dstaddr} ${srcport} ${dstport} " +
				"${protocol} ${packets} ${bytes} ${start} ${end} ${action} ${log-status}"},
			References: []aws.Reference{{
				Input:      "vpcId",
				Type:       awstype.VPC,
				Dependency: aws.DeletedWith,
			}, {Input: "subnetId", Type: awstype.Subnet, Dependency: aws.DeletedWith}},
			NotFound: awserr.Template{Code: "InvalidFlowLogId.NotFound", Text: "The flow log '%s' does not exist"},
			Rules:    []aws.Rule{flowLogTraffic, flowLogDestination, flowLogRole, flowLogUnique},
			ID:       aws.EC2ID("fl"),
		},
	}
}

var logGroupNameGrammar = regexp.MustCompile(`^[A-Za-z0-9_/.#-]+$`)

func logGroupNameFault(name string) string {
	if len(name) > 512 || !logGroupNameGrammar.MatchString(name) {
		return "\"name\" must be 1 to 512 of letters, digits and _/.#-"
	}
	return ""
}

// logGroupNameFree: a log group's name is unique per account and region.
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html
func logGroupNameFree(c *aws.Call) error {
	if other := c.Find(awstype.LogGroup, c.State().String("name")); other != nil && other.ID != c.Resource.ID {
		return awserr.Errorf("ResourceAlreadyExistsException", "The specified log group already exists")
	}
	return nil
}

// logRetention: logs are kept for one of a fixed list of periods, or forever.
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html
func logRetention(c *aws.Call) error {
	switch c.State().Number("retentionInDays") {
	case 0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653:
		return nil
	}
	return awserr.Errorf("InvalidParameterException",
		"1 validation error detected: Value '%v' at 'retentionInDays' failed to satisfy "+
			"constraint: Member must satisfy enum value set", c.State().Number("retentionInDays"))
}

// flowLogTraffic: the flow log of a VPC or subnet must state which traffic it records.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html
func flowLogTraffic(c *aws.Call) error {
	if !c.State().Has("trafficType") && !c.State().Has("transitGatewayId") &&
		!c.State().Has("transitGatewayAttachmentId") {
		return awserr.Errorf("MissingParameter", "The request must contain the parameter TrafficType")
	}
	return nil
}

var bucketARNGrammar = regexp.MustCompile(`^arn:aws[a-z-]*:s3:::[a-z0-9.-]{3,63}(/.*)?$`)

// flowLogDestination: the destination is a log group or a bucket.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html
func flowLogDestination(c *aws.Call) error {
	to := c.State().String("logDestination")
	good := c.State().Has("logGroupName")
	switch c.State().String("logDestinationType") {
	case "s3":
		good = bucketARNGrammar.MatchString(to)
	case "cloud-watch-logs":
		good = good || c.Find(awstype.LogGroup, to[strings.LastIndex(to, ":")+1:]) != nil
	default:
		good = to != ""
	}
	if !good {
		return awserr.Errorf("InvalidParameter", "LogDestination: %s is not valid or does not exist", to)
	}
	return nil
}

// flowLogRole: a role is needed for CloudWatch Logs, and not allowed for a bucket.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html
func flowLogRole(c *aws.Call) error {
	toCloudWatch := c.State().String("logDestinationType") == "cloud-watch-logs"
	if toCloudWatch != c.State().Has("iamRoleArn") {
		return awserr.Errorf("InvalidParameter", "DeliverLogsPermissionArn can and must be given with cloud-watch-logs")
	}
	if !toCloudWatch {
		return nil
	}
	if len(c.Where(awstype.Role, "arn", c.State().String("iamRoleArn"))) == 0 {
		return awserr.Errorf("InvalidParameter", "Access Denied for IAM role: %s", c.State().String("iamRoleArn"))
	}
	return nil
}

// flowLogUnique: a resource has no two flow logs of the same configuration and destination. Those of other traffic are
// accepted. The role counts as no part of the configuration, because AWS does not say whether it is one.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html (FlowLogAlreadyExists)
func flowLogUnique(c *aws.Call) error {
	for _, other := range c.Where(awstype.FlowLog, "logDestination", c.State().String("logDestination")) {
		same := other.ID != c.Resource.ID
		for _, property := range []string{"vpcId", "subnetId", "eniId", "trafficType", "logGroupName", "logFormat"} {
			same = same && other.State.String(property) == c.State().String(property)
		}
		if same && other.State.Number("maxAggregationInterval") == c.State().Number("maxAggregationInterval") {
			return awserr.Errorf("FlowLogAlreadyExists",
				"There is an existing Flow Log with the same configuration and log destination.")
		}
	}
	return nil
}
