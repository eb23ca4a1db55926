// Package sqs declares the resource types of SQS for the offline account.
package sqs

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/sqs"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Kinds returns the resource types of SQS.
func Kinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.Queue, Args: sqs.QueueArgs{}, State: sqs.QueueState{},
			Service: "SQS", Noun: "Queue", Calls: aws.Calls{Update: "SetQueueAttributes"},
			AutoName:      "name",
			ConflictsWith: [][]string{{"sqsManagedSseEnabled", "kmsMasterKeyId"}},
			Constants:     props.Map{"kmsDataKeyReusePeriodSeconds": 300.0, "sqsManagedSseEnabled": true},
			ValidateFunc:  map[string]func(string) string{"name": queueNameFault, "policy": iampolicy.JSONFault},
			UniqueBy:      []string{"name"},
			NotFound: awserr.Template{
				Code: "AWS.SimpleQueueService.NonExistentQueue",
				Text: "The specified queue does not exist: %s",
			},
			Rules: []aws.Rule{queueNameFree, queueLimits},
			ID: func(c *aws.Call) string {
				return fmt.Sprintf("https://sqs.%s.%s/%s/%s", c.Region, c.DNSSuffix, c.Account, c.State().String("name"))
			},
			OnCreate: func(c *aws.Call) error {
				c.State()["url"] = c.Resource.ID
				return nil
			},
			OnRead: func(c *aws.Call, out props.Map) {
				if policy := c.Find(awstype.QueuePolicy, c.Resource.ID); policy != nil {
					out["policy"] = policy.State.String("policy")
				}
			},
		},
		{
			Token: awstype.QueuePolicy, Args: sqs.QueuePolicyArgs{}, State: sqs.QueuePolicyState{},
			Service: "SQS", Noun: "Queue Policy",
			Calls:        aws.Calls{Create: "SetQueueAttributes", Update: "SetQueueAttributes", Remove: "SetQueueAttributes"},
			ValidateFunc: map[string]func(string) string{"policy": iampolicy.JSONFault},
			UniqueBy:     []string{"queueUrl"},
			References:   []aws.Reference{{Input: "queueUrl", Type: awstype.Queue, Dependency: aws.DeletedWith}},
			NotFound: awserr.Template{
				Code: "AWS.SimpleQueueService.NonExistentQueue",
				Text: "The specified queue does not exist: %s",
			},
			Rules: []aws.Rule{queuePolicyValid},
			ID:    aws.Joined("", "queueUrl"),
		},
	}
}

var queueNameGrammar = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$|^[A-Za-z0-9_-]{1,75}\.fifo$`)

// queueNameFault checks a name against SQS's grammar.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
func queueNameFault(name string) string {
	if !queueNameGrammar.MatchString(name) {
		return fmt.Sprintf("invalid queue name: %s", name)
	}
	return ""
}

// queueNameFree: a queue's name is unique per account and region.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
func queueNameFree(c *aws.Call) error {
	if len(c.Others("name")) > 0 {
		return awserr.Errorf("QueueAlreadyExists",
			"A queue already exists with the same name and a different value for attribute")
	}
	return nil
}

// queueLimits: a queue's numbers are within SQS's limits.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
func queueLimits(c *aws.Call) error {
	for _, limit := range []struct {
		name     string
		min, max float64
	}{
		{"delaySeconds", 0, 900}, {"maxMessageSize", 1024, 262144}, {"messageRetentionSeconds", 60, 1209600},
		{"receiveWaitTimeSeconds", 0, 20}, {"visibilityTimeoutSeconds", 0, 43200},
	} {
		if n := c.State().Number(limit.name); n < limit.min || n > limit.max {
			return awserr.Errorf("InvalidAttributeValue", "Invalid value for the parameter %s.", limit.name)
		}
	}
	return nil
}

// queuePolicyValid: a queue's policy has principals.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-creating-custom-policies.html
func queuePolicyValid(c *aws.Call) error {
	text := c.State().String("policy")
	if iampolicy.PolicyFault(text) != "" {
		return awserr.Errorf("InvalidAttributeValue", "Invalid value for the parameter Policy.")
	}
	for _, s := range iampolicy.StatementsOf(text) {
		if s.Principal == nil {
			return awserr.Errorf("InvalidAttributeValue", "Invalid value for the parameter Policy.")
		}
	}
	return nil
}
