package offline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestQueueAndRuleIdentifiers(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, queue := e.create(awstype.Queue, props.Map{"name": "interruptions"})
	require.Equal(t, "https://sqs.us-east-1.amazonaws.com/123456789012/interruptions", id)
	require.Equal(t, "arn:aws:sqs:us-east-1:123456789012:interruptions", queue["arn"])
	_, rule := e.create(awstype.EventRule, props.Map{"name": "spot", "eventPattern": "{}"})
	require.Equal(t, "arn:aws:events:us-east-1:123456789012:rule/spot", rule["arn"])
}

func TestQueuesAndRulesRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	queue := e.id(awstype.Queue, props.Map{"name": "taken"})
	rule := e.id(awstype.EventRule, props.Map{"name": "taken", "eventPattern": "{}"})
	var targets []string
	for i := range 5 {
		targets = append(targets, e.id(awstype.EventTarget, props.Map{
			"rule":     rule,
			"targetId": fmt.Sprint(i),
			"arn":      "arn:aws:sqs:us-east-1:1:q",
		}))
	}
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		code        string
	}{
		{"a queue's name twice", awstype.Queue, props.Map{"name": "taken"}, "QueueAlreadyExists"},
		{"a short retention", awstype.Queue, props.Map{
			"name":                    "x",
			"messageRetentionSeconds": 59.0,
		}, "InvalidAttributeValue"},
		{"a policy of no queue", awstype.QueuePolicy, props.Map{
			"queueUrl": "none",
			"policy":   queuePolicyText,
		}, "AWS.SimpleQueueService.NonExistentQueue"},
		{"a policy without a principal", awstype.QueuePolicy, props.Map{
			"queueUrl": queue,
			"policy":   policyText,
		}, "InvalidAttributeValue"},
		{"a rule's name twice", awstype.EventRule, props.Map{
			"name":         "taken",
			"eventPattern": "{}",
		}, "ResourceAlreadyExistsException"},
		{"a rule that never fires", awstype.EventRule, props.Map{"name": "x"}, "ValidationException"},
		{"a pattern that is none", awstype.EventRule, props.Map{
			"name":         "x",
			"eventPattern": "[]",
		}, "InvalidEventPatternException"},
		{"a target of no rule", awstype.EventTarget, props.Map{
			"rule": "none",
			"arn":  "arn:aws:sqs:us-east-1:1:q",
		}, "ResourceNotFoundException"},
		{"a sixth target", awstype.EventTarget, props.Map{
			"rule": rule,
			"arn":  "arn:aws:sqs:us-east-1:1:q",
		}, "LimitExceededException"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	refused(t, e.delete(awstype.EventRule, rule), "ValidationException")
	for _, target := range targets {
		require.NoError(t, e.delete(awstype.EventTarget, target))
	}
	require.NoError(t, e.delete(awstype.EventRule, rule))
}
