package permissions

const queueToken = "aws:sqs/queue:Queue"

// messageEntries are queues, and the events that are put into them.
func messageEntries() []entry {
	const queue = "arn:{partition}:sqs:{region}:{account}:{name}"
	rule := func(input string) target {
		return arn("arn:{partition}:events:{region}:{account}:rule/{" + input + "}")
	}
	return []entry{
		{
			token:  queueToken,
			create: []string{"sqs:CreateQueue", "sqs:TagQueue"},
			read:   []string{"sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:ListQueueTags"},
			update: []string{"sqs:SetQueueAttributes", "sqs:UntagQueue"},
			remove: []string{"sqs:DeleteQueue"},
			on:     arn(queue),
		},
		{
			token:  "aws:sqs/queuePolicy:QueuePolicy",
			create: []string{"sqs:SetQueueAttributes"},
			read:   []string{"sqs:GetQueueAttributes"},
			on:     of(queueToken, "queueUrl", "url", queue), // a queue's URL is known when it is made
		},
		{
			token:  "aws:cloudwatch/eventRule:EventRule",
			create: []string{"events:PutRule", "events:TagResource"},
			read:   []string{"events:DescribeRule", "events:ListTagsForResource"},
			update: []string{"events:UntagResource"},
			remove: []string{"events:DeleteRule"},
			on:     rule("name"),
		},
		{
			token:  "aws:cloudwatch/eventTarget:EventTarget",
			create: []string{"events:PutTargets"},
			read:   []string{"events:ListTargetsByRule"},
			remove: []string{"events:RemoveTargets"},
			on:     rule("rule"),
		},
	}
}
