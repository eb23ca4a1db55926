package offline

import (
	"testing"

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
			{"vpcId": vpc, "trafficType": "ALL", "logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:none", "iamRoleArn": role},
			{"vpcId": vpc, "trafficType": "ALL", "logGroupName": "logs"},
			{"vpcId": vpc, "trafficType": "ALL", "logGroupName": "logs", "iamRoleArn": role + "-none"},
		},
	} {
		for _, inputs := range in {
			_, _, err = e.try(awstype.FlowLog, inputs, false)
			refused(t, err, code)
		}
	}

	log := props.Map{"vpcId": vpc, "trafficType": "ALL", "logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:logs", "iamRoleArn": role}
	e.id(awstype.FlowLog, log)
	_, _, err = e.try(awstype.FlowLog, log, false)
	refused(t, err, "FlowLogAlreadyExists")
	other := log.Clone()
	other["trafficType"] = "REJECT"
	e.id(awstype.FlowLog, other)
}
