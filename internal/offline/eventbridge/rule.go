// Package eventbridge declares the resource types of EventBridge for the offline account.
package eventbridge

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Kinds returns the resource types of EventBridge.
func Kinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.EventRule, Args: cloudwatch.EventRuleArgs{}, State: cloudwatch.EventRuleState{},
			Service: "EventBridge", Noun: "Rule", Calls: aws.Calls{Create: "PutRule", Update: "PutRule", Remove: "DeleteRule"},
			AutoName:      "name",
			ConflictsWith: [][]string{{"isEnabled", "state"}},
			Constants:     props.Map{"state": "ENABLED", "isEnabled": true},
			ValidateFunc:  map[string]func(string) string{"name": ruleNameFault},
			UniqueBy:      []string{"name"},
			NotFound: awserr.Template{
				Code: "ResourceNotFoundException",
				Text: "Rule %s does not exist on EventBus default.",
			},
			InUse: awserr.Template{
				Code: "ValidationException",
				Text: "Rule can't be deleted since it has targets. (%s)",
			},
			Rules: []aws.Rule{ruleHasTrigger, ruleNameFree},
			ID:    aws.Joined("", "name"),
		},
		{
			Token: awstype.EventTarget, Args: cloudwatch.EventTargetArgs{}, State: cloudwatch.EventTargetState{},
			Service: "EventBridge", Noun: "Target",
			Calls:         aws.Calls{Create: "PutTargets", Update: "PutTargets", Remove: "RemoveTargets"},
			ConflictsWith: [][]string{{"input", "inputPath"}, {"input", "inputTransformer"}, {"inputPath", "inputTransformer"}},
			UniqueBy:      []string{"rule", "targetId"},
			References:    []aws.Reference{{Input: "rule", Type: awstype.EventRule, Dependency: aws.BlocksDeletionCall}},
			NotFound:      awserr.Template{Code: "ResourceNotFoundException", Text: "Target %s does not exist."},
			Rules:         []aws.Rule{fiveTargets},
			ID: func(c *aws.Call) string {
				c.State()["targetId"] = cmp.Or(c.State().String("targetId"), "pulumi-"+ids.RandomOf("0123456789", 26))
				return c.State().String("rule") + "-" + c.State().String("targetId")
			},
			ImportID: aws.JoinedForImport("/", "rule", "targetId"),
		},
	}
}

var ruleNameGrammar = regexp.MustCompile(`^[.\-_A-Za-z0-9]{1,64}$`)

// ruleNameFault checks a name against EventBridge's grammar.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
func ruleNameFault(name string) string {
	if !ruleNameGrammar.MatchString(name) {
		return fmt.Sprintf("%q must be 1 to 64 letters, digits, dots, hyphens and underscores", name)
	}
	return ""
}

// ruleHasTrigger: a rule has an event pattern or a schedule, and a pattern has at least one field.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
func ruleHasTrigger(c *aws.Call) error {
	pattern := c.State().String("eventPattern")
	if pattern == "" && c.State().String("scheduleExpression") == "" {
		return awserr.Errorf("ValidationException", "Parameter(s) EventPattern or ScheduleExpression must be specified.")
	}
	if pattern == "" {
		return nil
	}
	if _, object := props.CanonicalJSON(pattern).(map[string]any); !object {
		return awserr.Errorf("InvalidEventPatternException", "Event pattern is not valid. Reason: Filter is not an object")
	}
	return nil
}

// ruleNameFree: the provider does not take over a rule that another resource created.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
func ruleNameFree(c *aws.Call) error {
	if name := c.State().String("name"); c.Old == nil && c.Find(awstype.EventRule, name) != nil {
		return awserr.Errorf("ResourceAlreadyExistsException", "Rule %s already exists.", name)
	}
	return nil
}

// fiveTargets: a rule has at most five targets.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
func fiveTargets(c *aws.Call) error {
	if len(c.Others("rule")) >= 5 {
		return awserr.Errorf("LimitExceededException", "The requested resource exceeds the maximum number allowed.")
	}
	return nil
}
