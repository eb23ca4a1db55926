package offline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQueueAndRuleIdentifiers(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, queue := e.create(queueToken, props{"name": "interruptions"})
	require.Equal(t, "https://sqs.us-east-1.amazonaws.com/123456789012/interruptions", id)
	require.Equal(t, "arn:aws:sqs:us-east-1:123456789012:interruptions", queue["arn"])
	_, rule := e.create(eventRuleToken, props{"name": "spot", "eventPattern": "{}"})
	require.Equal(t, "arn:aws:events:us-east-1:123456789012:rule/spot", rule["arn"])
}

func TestQueuesAndRulesRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	queue := e.id(queueToken, props{"name": "taken"})
	rule := e.id(eventRuleToken, props{"name": "taken", "eventPattern": "{}"})
	var targets []string
	for i := range 5 {
		targets = append(targets, e.id(eventTargetToken, props{"rule": rule, "targetId": fmt.Sprint(i), "arn": "arn:aws:sqs:us-east-1:1:q"}))
	}
	for _, c := range []struct {
		name, token string
		inputs      props
		code        string
	}{
		{"a queue's name twice", queueToken, props{"name": "taken"}, "QueueAlreadyExists"},
		{"a short retention", queueToken, props{"name": "x", "messageRetentionSeconds": 59.0}, "InvalidAttributeValue"},
		{"a policy of no queue", queuePolicyToken, props{"queueUrl": "none", "policy": queuePolicyText}, "AWS.SimpleQueueService.NonExistentQueue"},
		{"a policy without a principal", queuePolicyToken, props{"queueUrl": queue, "policy": policyText}, "InvalidAttributeValue"},
		{"a rule's name twice", eventRuleToken, props{"name": "taken", "eventPattern": "{}"}, "ResourceAlreadyExistsException"},
		{"a rule that never fires", eventRuleToken, props{"name": "x"}, "ValidationException"},
		{"a pattern that is none", eventRuleToken, props{"name": "x", "eventPattern": "[]"}, "InvalidEventPatternException"},
		{"a target of no rule", eventTargetToken, props{"rule": "none", "arn": "arn:aws:sqs:us-east-1:1:q"}, "ResourceNotFoundException"},
		{"a sixth target", eventTargetToken, props{"rule": rule, "arn": "arn:aws:sqs:us-east-1:1:q"}, "LimitExceededException"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	refused(t, e.delete(eventRuleToken, rule), "ValidationException")
	for _, target := range targets {
		require.NoError(t, e.delete(eventTargetToken, target))
	}
	require.NoError(t, e.delete(eventRuleToken, rule))
}
