package awstype

// The tokens of queues and their events.
const (
	Queue       = "aws:sqs/queue:Queue"
	queueARN    = "arn:{partition}:sqs:{region}:{account}:{name}"
	QueuePolicy = "aws:sqs/queuePolicy:QueuePolicy"
	EventRule   = "aws:cloudwatch/eventRule:EventRule"
	EventTarget = "aws:cloudwatch/eventTarget:EventTarget"
)

func eventTypes() []Type {
	rule := func(input string) Scope { return on("arn:{partition}:events:{region}:{account}:rule/{" + input + "}") }
	return []Type{
		{
			Token: Queue, Label: "SQS queue", Tagged: true,
			Guard: Guard{Unneeded: "it only tells of interruptions of spot instances"},
			Reads: Reads{Named: []string{"sqs:GetQueueUrl", "sqs:GetQueueAttributes"}},
			Permissions: Permissions{
				Create: []string{"sqs:CreateQueue", "sqs:TagQueue"},
				Read:   []string{"sqs:GetQueueAttributes", "sqs:ListQueueTags"},
				Update: []string{"sqs:SetQueueAttributes", "sqs:UntagQueue"},
				Delete: []string{"sqs:DeleteQueue"},
				On:     on(queueARN),
			},
			Lost: lost("sqs:queue", "arn:{partition}:sqs:{region}:{account}:{id}", "sqs:GetQueueUrl"),
			Find: importedAs("https://sqs.{region}.{dnsSuffix}/{account}/{name}"), Deletion: Deletion{Rank: 97}, Price: "queue",
			Adopt: adoptedByImportID("name"),
		},
		{
			Token: QueuePolicy, Label: "queue policy",
			Guard: Guard{Unneeded: "it only tells of interruptions of spot instances"},
			Reads: Reads{Named: []string{"sqs:GetQueueAttributes"}},
			Permissions: Permissions{
				Create: []string{"sqs:SetQueueAttributes"},
				Read:   []string{"sqs:GetQueueAttributes"},
				// the URL is known after creation
				On: Scope{ARNs: []string{queueARN}, Owner: Queue, Input: "queueUrl", Key: "url"},
			},
			Find: Find{Replaceable: true}, Price: Free,
			Adopt: adoptedBySearch("queueUrl"),
		},
		{
			Token: EventRule, Label: "event rule",
			Guard: Guard{Unneeded: "it only tells of interruptions of spot instances"},
			Reads: Reads{Named: []string{"events:DescribeRule"}},
			Permissions: Permissions{
				Create: []string{"events:PutRule", "events:TagResource"},
				Read:   []string{"events:DescribeRule", "events:ListTagsForResource"},
				Update: []string{"events:UntagResource"},
				Delete: []string{"events:DeleteRule"},
				On:     rule("name"),
			},
			Lost: lost("events:rule", "arn:{partition}:events:{region}:{account}:rule/{id}", "events:DescribeRule"),
			Find: importedAs("{name}"), Deletion: Deletion{Rank: 97}, Price: Free,
			Adopt: adoptedByImportID("name"),
		},
		{
			Token: EventTarget, Label: "event target",
			Guard: Guard{Unneeded: "it only tells of interruptions of spot instances"},
			Reads: Reads{Named: []string{"events:ListTargetsByRule"}},
			Permissions: Permissions{
				Create: []string{"events:PutTargets"},
				Read:   []string{"events:ListTargetsByRule"},
				Delete: []string{"events:RemoveTargets"},
				On:     rule("rule"),
			},
			Find: Find{Replaceable: true}, Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: adoptedBySearch("rule", "targetId"),
		},
	}
}
