package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestFlowLogsAndLogGroupsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	group := props.Map{"name": "logs", "retentionInDays": 7.0}
	e.id(awstype.LogGroup, group)
	_, _, err := e.try(awstype.LogGroup, group, false)
	refused(t, err, "ResourceAlreadyExistsException")
	_, _, err = e.try(awstype.LogGroup, props.Map{"name": "others", "retentionInDays": 8.0}, false)
	refused(t, err, "InvalidParameterException")

	vpc, role := e.vpc(), "arn:aws:iam::123456789012:role/"+e.role("logs")
	for code, in := range map[string][]props.Map{
		"MissingParameter": {{"vpcId": vpc, "logGroupName": "logs", "iamRoleArn": role}},
		"InvalidParameter": {
			{
				"vpcId":          vpc,
				"trafficType":    "ALL",
				"logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:none",
				"iamRoleArn":     role,
			},
			{"vpcId": vpc, "trafficType": "ALL", "logGroupName": "logs"},
			{"vpcId": vpc, "trafficType": "ALL", "logGroupName": "logs", "iamRoleArn": role + "-none"},
		},
	} {
		for _, inputs := range in {
			_, _, err = e.try(awstype.FlowLog, inputs, false)
			refused(t, err, code)
		}
	}

	log := props.Map{
		"vpcId":          vpc,
		"trafficType":    "ALL",
		"logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:logs",
		"iamRoleArn":     role,
	}
	e.id(awstype.FlowLog, log)
	_, _, err = e.try(awstype.FlowLog, log, false)
	refused(t, err, "FlowLogAlreadyExists")
}

// A change of the traffic replaces the flow log: the engine creates the new one first, with the same destination. AWS
// refuses one with the same configuration alone.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html (FlowLogAlreadyExists)
func TestAFlowLogOfOtherTrafficExistsBesideTheFormerOne(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.id(awstype.LogGroup, props.Map{"name": "logs", "retentionInDays": 7.0})
	log := props.Map{"vpcId": e.vpc(), "trafficType": "ALL",
		"logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:logs",
		"iamRoleArn":     "arn:aws:iam::123456789012:role/" + e.role("logs")}
	other := log.Clone()
	other["trafficType"] = "REJECT"
	require.NotEqual(t, e.id(awstype.FlowLog, log), e.id(awstype.FlowLog, other))
	_, _, err := e.try(awstype.FlowLog, other, false)
	refused(t, err, "FlowLogAlreadyExists")
}
