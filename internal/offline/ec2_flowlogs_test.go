package offline

import "testing"

func TestFlowLogsAndLogGroupsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	group := props{"name": "logs", "retentionInDays": 7.0}
	e.id(logGroupToken, group)
	_, _, err := e.try(logGroupToken, group, false)
	refused(t, err, "ResourceAlreadyExistsException")
	_, _, err = e.try(logGroupToken, props{"name": "others", "retentionInDays": 8.0}, false)
	refused(t, err, "InvalidParameterException")

	vpc, role := e.vpc(), "arn:aws:iam::123456789012:role/"+e.role("logs")
	for code, in := range map[string][]props{
		"MissingParameter": {{"vpcId": vpc, "logGroupName": "logs", "iamRoleArn": role}},
		"InvalidParameter": {
			{"vpcId": vpc, "trafficType": "ALL", "logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:none", "iamRoleArn": role},
			{"vpcId": vpc, "trafficType": "ALL", "logGroupName": "logs"},
			{"vpcId": vpc, "trafficType": "ALL", "logGroupName": "logs", "iamRoleArn": role + "-none"},
		},
	} {
		for _, inputs := range in {
			_, _, err = e.try(flowLogToken, inputs, false)
			refused(t, err, code)
		}
	}
}
