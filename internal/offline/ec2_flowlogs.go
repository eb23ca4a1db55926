package offline

import (
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
)

const (
	flowLogToken  = "aws:ec2/flowLog:FlowLog"
	logGroupToken = "aws:cloudwatch/logGroup:LogGroup"
)

func flowLogKinds() []*kind {
	return []*kind{
		{
			token: logGroupToken, args: cloudwatch.LogGroupArgs{}, state: cloudwatch.LogGroupState{},
			service: "CloudWatch Logs", noun: "Log Group", calls: calls{update: "PutRetentionPolicy"},
			named:    "name",
			apart:    [][]string{{"name", "namePrefix"}},
			computed: []string{"logGroupClass", "name", "namePrefix"},
			defaults: props{"retentionInDays": 0.0, "skipDestroy": false},
			fixed:    props{"kmsKeyId": "", "logGroupClass": "STANDARD", "namePrefix": ""},
			enums:    map[string][]string{"logGroupClass": {"STANDARD", "INFREQUENT_ACCESS", "DELIVERY"}},
			valid:    map[string]func(string) string{"name": logGroupNameFault},
			replaces: []string{"logGroupClass", "name", "namePrefix"},
			unique:   []string{"name"},
			missing:  answer{"ResourceNotFoundException", "The specified log group does not exist. (%s)"},
			rules:    []rule{logGroupNameFree, logsKept},
			make: func(c *call) error {
				c.nameIt()
				c.rec.State["arn"] = c.arn("logs", "log-group:"+c.rec.ID)
				return nil
			},
		},
		{
			token: flowLogToken, args: ec2.FlowLogArgs{}, state: ec2.FlowLogState{},
			service: "EC2", noun: "Flow Log", calls: calls{"CreateFlowLogs", "CreateTags", "DeleteFlowLogs"},
			oneOf:    [][]string{{"vpcId", "subnetId", "eniId", "transitGatewayId", "transitGatewayAttachmentId"}},
			apart:    [][]string{{"logDestination", "logGroupName"}},
			computed: []string{"logDestination", "logFormat", "logGroupName"},
			defaults: props{"logDestinationType": "cloud-watch-logs", "maxAggregationInterval": 600.0},
			fixed: props{"logFormat": "${version} ${account-id} ${interface-id} ${srcaddr} ${dstaddr} ${srcport} ${dstport} " +
				"${protocol} ${packets} ${bytes} ${start} ${end} ${action} ${log-status}"},
			enums: map[string][]string{
				"logDestinationType": {"cloud-watch-logs", "s3", "kinesis-data-firehose"},
				"trafficType":        {"ACCEPT", "REJECT", "ALL"},
			},
			replaces: []string{"deliverCrossAccountRole", "destinationOptions", "eniId", "iamRoleArn", "logDestination",
				"logDestinationType", "logFormat", "logGroupName", "maxAggregationInterval", "subnetId", "trafficType",
				"transitGatewayAttachmentId", "transitGatewayId", "vpcId"},
			refs:    []ref{{"vpcId", vpcToken, "", part}, {"subnetId", subnetToken, "", part}},
			missing: answer{"InvalidFlowLogId.NotFound", "The flow log '%s' does not exist"},
			rules:   []rule{flowLogSaysTraffic, flowLogDestination, flowLogRole},
			make: func(c *call) error {
				c.rec.ID = newID("fl")
				c.rec.State["arn"] = c.arn("ec2", "vpc-flow-log/"+c.rec.ID)
				return nil
			},
		},
	}
}

var logGroupNameGrammar = regexp.MustCompile(`^[A-Za-z0-9_/.#-]{1,512}$`)

func logGroupNameFault(name string) string {
	if !logGroupNameGrammar.MatchString(name) {
		return "\"name\" must be 1 to 512 of letters, digits and _/.#-"
	}
	return ""
}

// logGroupNameFree: log groups' names are unique in an account's region.
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html
func logGroupNameFree(c *call) error {
	if other := c.find(logGroupToken, c.in().text("name")); other != nil && other.ID != c.rec.ID {
		return refuse("ResourceAlreadyExistsException", "The specified log group already exists")
	}
	return nil
}

// logsKept: logs are kept for one of a few periods, or for ever.
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html
func logsKept(c *call) error {
	switch c.in().number("retentionInDays") {
	case 0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653:
		return nil
	}
	return refuse("InvalidParameterException", "1 validation error detected: Value '%v' at 'retentionInDays' failed to satisfy "+
		"constraint: Member must satisfy enum value set", c.in().number("retentionInDays"))
}

// flowLogSaysTraffic: the flow log of a VPC or subnet says which traffic it records.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html
func flowLogSaysTraffic(c *call) error {
	if !c.in().has("trafficType") && !c.in().has("transitGatewayId") && !c.in().has("transitGatewayAttachmentId") {
		return refuse("MissingParameter", "The request must contain the parameter TrafficType")
	}
	return nil
}

var bucketARNGrammar = regexp.MustCompile(`^arn:aws[a-z-]*:s3:::[a-z0-9.-]{3,63}(/.*)?$`)

// flowLogDestination: a flow log goes to a log group or to a bucket.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html
func flowLogDestination(c *call) error {
	to := c.in().text("logDestination")
	good := c.in().has("logGroupName")
	switch c.in().text("logDestinationType") {
	case "s3":
		good = bucketARNGrammar.MatchString(to)
	case "cloud-watch-logs":
		good = good || c.find(logGroupToken, to[strings.LastIndex(to, ":")+1:]) != nil
	default:
		good = to != ""
	}
	if !good {
		return refuse("InvalidParameter", "LogDestination: %s is not valid or does not exist", to)
	}
	return nil
}

// flowLogRole: CloudWatch is written to by a role, a bucket is not.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html
func flowLogRole(c *call) error {
	toCloudWatch := c.in().text("logDestinationType") == "cloud-watch-logs"
	if toCloudWatch != c.in().has("iamRoleArn") {
		return refuse("InvalidParameter", "DeliverLogsPermissionArn can and must be given with cloud-watch-logs")
	}
	if !toCloudWatch {
		return nil
	}
	for _, role := range c.all(roleToken) {
		if role.State.text("arn") == c.in().text("iamRoleArn") {
			return nil
		}
	}
	return refuse("InvalidParameter", "Access Denied for IAM role: %s", c.in().text("iamRoleArn"))
}
