package offline

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/sqs"
)

const (
	queueToken       = "aws:sqs/queue:Queue"
	queuePolicyToken = "aws:sqs/queuePolicy:QueuePolicy"
)

func queueKinds() []*kind {
	return []*kind{
		{
			token: queueToken, args: sqs.QueueArgs{}, state: sqs.QueueState{},
			service: "SQS", noun: "Queue", calls: calls{update: "SetQueueAttributes"},
			named: "name",
			apart: [][]string{{"name", "namePrefix"}, {"sqsManagedSseEnabled", "kmsMasterKeyId"}},
			computed: []string{"deduplicationScope", "fifoThroughputLimit", "kmsDataKeyReusePeriodSeconds", "name", "namePrefix",
				"policy", "redriveAllowPolicy", "redrivePolicy", "sqsManagedSseEnabled"},
			defaults: props{"contentBasedDeduplication": false, "delaySeconds": 0.0, "fifoQueue": false, "maxMessageSize": 262144.0,
				"messageRetentionSeconds": 345600.0, "receiveWaitTimeSeconds": 0.0, "visibilityTimeoutSeconds": 30.0},
			fixed:    props{"kmsDataKeyReusePeriodSeconds": 300.0, "namePrefix": "", "sqsManagedSseEnabled": true},
			valid:    map[string]func(string) string{"name": queueNameFault, "policy": jsonFault},
			forms:    map[string]form{"policy": asDocument, "redriveAllowPolicy": asDocument, "redrivePolicy": asDocument},
			replaces: []string{"fifoQueue", "name", "namePrefix"},
			unique:   []string{"name"},
			missing:  answer{"AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist: %s"},
			rules:    []rule{queueNameFree, queueLimits},
			make: func(c *call) error {
				s := c.rec.State
				c.nameIt()
				c.rec.ID = fmt.Sprintf("https://sqs.%s.%s/%s/%s", c.region, c.dnsSuffix, c.account, s.text("name"))
				s["url"], s["arn"] = c.rec.ID, c.arn("sqs", s.text("name"))
				return nil
			},
			view: func(c *call, out props) {
				if policy := c.find(queuePolicyToken, c.rec.ID); policy != nil {
					out["policy"] = policy.State.text("policy")
				}
			},
		},
		{
			token: queuePolicyToken, args: sqs.QueuePolicyArgs{}, state: sqs.QueuePolicyState{},
			service: "SQS", noun: "Queue Policy", calls: calls{"SetQueueAttributes", "SetQueueAttributes", "SetQueueAttributes"},
			required: []string{"policy"},
			valid:    map[string]func(string) string{"policy": jsonFault},
			forms:    map[string]form{"policy": asDocument},
			replaces: []string{"queueUrl"},
			unique:   []string{"queueUrl"},
			refs:     []ref{{"queueUrl", queueToken, "", part}},
			missing:  answer{"AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist: %s"},
			rules:    []rule{queuePolicyWell},
			make: func(c *call) error {
				c.rec.ID = c.in().text("queueUrl")
				return nil
			},
		},
	}
}

var queueNameGrammar = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$|^[A-Za-z0-9_-]{1,75}\.fifo$`)

// queueNameFault holds a name against SQS's grammar.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
func queueNameFault(name string) string {
	if !queueNameGrammar.MatchString(name) {
		return fmt.Sprintf("invalid queue name: %s", name)
	}
	return ""
}

// queueNameFree: a queue's name is unique in an account and region.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
func queueNameFree(c *call) error {
	for _, other := range c.all(queueToken) {
		if other.ID != c.rec.ID && other.State.text("name") == c.in().text("name") {
			return refuse("QueueAlreadyExists", "A queue already exists with the same name and a different value for attribute")
		}
	}
	return nil
}

// queueLimits: what a queue's numbers may be.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
func queueLimits(c *call) error {
	for _, limit := range []struct {
		name     string
		min, max float64
	}{
		{"delaySeconds", 0, 900}, {"maxMessageSize", 1024, 262144}, {"messageRetentionSeconds", 60, 1209600},
		{"receiveWaitTimeSeconds", 0, 20}, {"visibilityTimeoutSeconds", 0, 43200},
	} {
		if n := c.in().number(limit.name); n < limit.min || n > limit.max {
			return refuse("InvalidAttributeValue", "Invalid value for the parameter %s.", limit.name)
		}
	}
	return nil
}

// queuePolicyWell: a queue's policy says for whom.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-creating-custom-policies.html
func queuePolicyWell(c *call) error {
	text := c.in().text("policy")
	if policyFault(text) != "" {
		return refuse("InvalidAttributeValue", "Invalid value for the parameter Policy.")
	}
	for _, s := range statementsOf(text) {
		if s.Principal == nil {
			return refuse("InvalidAttributeValue", "Invalid value for the parameter Policy.")
		}
	}
	return nil
}
