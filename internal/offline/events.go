package offline

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
)

const (
	eventRuleToken   = "aws:cloudwatch/eventRule:EventRule"
	eventTargetToken = "aws:cloudwatch/eventTarget:EventTarget"
)

func eventKinds() []*kind {
	return []*kind{
		{
			token: eventRuleToken, args: cloudwatch.EventRuleArgs{}, state: cloudwatch.EventRuleState{},
			service: "EventBridge", noun: "Rule", calls: calls{"PutRule", "PutRule", "DeleteRule"},
			named:    "name",
			apart:    [][]string{{"name", "namePrefix"}, {"isEnabled", "state"}},
			computed: []string{"name", "namePrefix", "state"},
			defaults: props{"eventBusName": "default", "forceDestroy": false},
			fixed:    props{"namePrefix": "", "state": "ENABLED"},
			valid:    map[string]func(string) string{"name": ruleNameFault},
			forms:    map[string]form{"eventPattern": asDocument},
			replaces: []string{"eventBusName", "name", "namePrefix"},
			unique:   []string{"name"},
			missing:  answer{"ResourceNotFoundException", "Rule %s does not exist on EventBus default."},
			inUse:    answer{"ValidationException", "Rule can't be deleted since it has targets. (%s)"},
			rules:    []rule{ruleFires, ruleNameFree},
			make: func(c *call) error {
				c.nameIt()
				c.in()["arn"] = c.arn("events", "rule/"+c.rec.ID)
				return nil
			},
		},
		{
			token: eventTargetToken, args: cloudwatch.EventTargetArgs{}, state: cloudwatch.EventTargetState{},
			service: "EventBridge", noun: "Target", calls: calls{"PutTargets", "PutTargets", "RemoveTargets"},
			apart:    [][]string{{"input", "inputPath"}, {"input", "inputTransformer"}, {"inputPath", "inputTransformer"}},
			computed: []string{"targetId"},
			defaults: props{"eventBusName": "default", "forceDestroy": false},
			replaces: []string{"eventBusName", "rule", "targetId"},
			unique:   []string{"rule", "targetId"},
			refs:     []ref{{"rule", eventRuleToken, "", blockingPart}},
			missing:  answer{"ResourceNotFoundException", "Target %s does not exist."},
			rules:    []rule{fiveTargets},
			make: func(c *call) error {
				s := c.rec.State
				if !s.has("targetId") {
					s["targetId"] = "pulumi-" + randomOf("0123456789", 26)
				}
				c.rec.ID = s.text("rule") + "-" + s.text("targetId")
				return nil
			},
			otherID: func(p props) string { return p.text("rule") + "/" + p.text("targetId") },
		},
	}
}

var ruleNameGrammar = regexp.MustCompile(`^[.\-_A-Za-z0-9]{1,64}$`)

// ruleNameFault holds a name against EventBridge's grammar.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
func ruleNameFault(name string) string {
	if !ruleNameGrammar.MatchString(name) {
		return fmt.Sprintf("%q must be 1 to 64 letters, digits, dots, hyphens and underscores", name)
	}
	return ""
}

// ruleFires: a rule has a pattern or a schedule, and its pattern says from where.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
func ruleFires(c *call) error {
	pattern := c.in().text("eventPattern")
	if pattern == "" && c.in().text("scheduleExpression") == "" {
		return refuse("ValidationException", "Parameter(s) EventPattern or ScheduleExpression must be specified.")
	}
	if pattern == "" {
		return nil
	}
	if _, object := canonicalJSON(pattern).(map[string]any); !object {
		return refuse("InvalidEventPatternException", "Event pattern is not valid. Reason: Filter is not an object")
	}
	return nil
}

// ruleNameFree: the provider does not take over a rule that another resource made.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
func ruleNameFree(c *call) error {
	if name := c.in().text("name"); c.was == nil && c.find(eventRuleToken, name) != nil {
		return refuse("ResourceAlreadyExistsException", "Rule %s already exists.", name)
	}
	return nil
}

// fiveTargets: a rule has five targets at most.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
func fiveTargets(c *call) error {
	count := 0
	for _, other := range c.all(eventTargetToken) {
		if other.ID != c.rec.ID && other.State.text("rule") == c.in().text("rule") {
			count++
		}
	}
	if count >= 5 {
		return refuse("LimitExceededException", "The requested resource exceeds the maximum number allowed.")
	}
	return nil
}
