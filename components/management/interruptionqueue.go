package management

import (
	"encoding/json"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudwatch"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/sqs"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

const interruptionQueueType = "hypershift-aws:management:InterruptionQueue"

// InterruptionQueue is an SQS queue with EC2's warnings that a spot instance is about to be reclaimed. A hosted
// cluster's termination handler reads them and drains the node in the remaining two minutes. The queue is in the
// account and region of the nodes, and belongs to one cluster, because each message is read once. Source: HyperShift,
// docs/content/how-to/automated-machine-management/spot-instances.md.
type InterruptionQueue struct {
	pulumi.ResourceState

	// URL is the HostedCluster's spec.platform.aws.terminationHandlerQueueURL, "https://sqs.…".
	URL pulumi.StringOutput `pulumi:"url"`
	// ARN is the queue's ARN.
	ARN pulumi.StringOutput `pulumi:"arn"`
}

// InterruptionQueueArgs are the inputs of an InterruptionQueue.
type InterruptionQueueArgs struct {
	// Name is the name of the queue: at most 51 letters, digits, "-" and "_", because the names of its rules begin with
	// it. Required.
	Name string `yaml:"-" pulumi:"name"`
	// Tags are tags for every resource that supports tags. At most 50. Default none.
	Tags map[string]string `yaml:"-" pulumi:"tags,optional"`
	// Location is the location of the provider, for a program that has looked it up. Default: it is looked up.
	Location *location.Location `yaml:"-"`
}

// Validate returns every fault in args.
func (args *InterruptionQueueArgs) Validate() error {
	var faults fault.Faults
	faults.Join("name", validateQueueName(args.Name))
	faults.Join("tags", validateTags(args.Tags))
	return faults.Err()
}

// The longest suffix of a rule's name has 13 of its 64 characters.
var queueNamePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,51}$`)

func validateQueueName(name string) error {
	switch {
	case name == "":
		return &fault.Fault{Problem: "is missing", Remedy: "set a name for the queue"}
	case !queueNamePattern.MatchString(name):
		return &fault.Fault{
			Value: name, Problem: "is not a name for the queue and its rules", Remedy: "use at most 51 letters, digits, - and _",
		}
	}
	return nil
}

// validateQueueIn returns a fault if HyperShift would refuse the queue's URL.
func validateQueueIn(name string, in location.Location) error {
	if in.DNSSuffix == "amazonaws.com" {
		return nil
	}
	return &fault.Fault{
		Value: name, Problem: "would be a queue under " + in.DNSSuffix +
			", but a HostedCluster only accepts queues under amazonaws.com",
		Remedy: "leave it out in partition " + in.Partition,
	}
}

// interruption is a kind of event, by its detail-type, and the suffix of the name of its rule.
type interruption struct{ suffix, detailType string }

// interruptions returns the events that HyperShift's termination handler handles.
func interruptions() []interruption {
	return []interruption{
		{"interruption", "EC2 Spot Instance Interruption Warning"},
		{"rebalance", "EC2 Instance Rebalance Recommendation"},
	}
}

// messageSeconds is the retention of a message: it is useless after the instance was terminated.
const messageSeconds = 300

// NewInterruptionQueue registers the queue and the rules that send events to it. The error lists every fault in args.
// It also fails in a partition whose queues HyperShift does not accept.
func NewInterruptionQueue(
	ctx *pulumi.Context,
	name string,
	args *InterruptionQueueArgs,
	opts ...pulumi.ResourceOption,
) (*InterruptionQueue, error) {
	return component.New(ctx, interruptionQueueType, "interruption queue", name, args, opts, func(q *InterruptionQueue, args *InterruptionQueueArgs) error {
		place := args.Location
		if place == nil {
			found, err := location.Lookup(ctx, pulumi.Parent(q))
			if err != nil {
				return err
			}
			place = &found
		}
		var faults fault.Faults
		faults.Join("name", validateQueueIn(args.Name, *place))
		if err := faults.Err(); err != nil {
			return err
		}
		return q.build(ctx, name, args, *place)
	})
}

func (q *InterruptionQueue) build(
	ctx *pulumi.Context,
	name string,
	args *InterruptionQueueArgs,
	in location.Location,
) error {
	queue, err := sqs.NewQueue(ctx, name+"-queue", &sqs.QueueArgs{
		Name:                    pulumi.String(args.Name),
		MessageRetentionSeconds: pulumi.Int(messageSeconds),
		SqsManagedSseEnabled:    pulumi.Bool(true),
		Tags:                    pulumi.ToStringMap(args.Tags),
	}, pulumi.Parent(q))
	if err != nil {
		return err
	}
	q.URL, q.ARN = queue.Url, queue.Arn
	var ruleARNs []string
	for _, interruption := range interruptions() {
		ruleARNs = append(ruleARNs, ruleARN(in, args.Name+"-"+interruption.suffix))
	}
	policy, err := sqs.NewQueuePolicy(ctx, name+"-queue", &sqs.QueuePolicyArgs{
		QueueUrl: queue.Url,
		Policy:   pulumi.String(queuePolicy(queueARN(in, args.Name), ruleARNs).JSON()),
	}, pulumi.Parent(q))
	if err != nil {
		return err
	}
	for _, interruption := range interruptions() {
		child := name + "-" + interruption.suffix
		rule, err := cloudwatch.NewEventRule(ctx, child, &cloudwatch.EventRuleArgs{
			Name:         pulumi.String(args.Name + "-" + interruption.suffix),
			Description:  pulumi.String(interruption.detailType + " to queue " + args.Name),
			EventPattern: pulumi.String(eventPattern(interruption.detailType)),
			Tags:         pulumi.ToStringMap(args.Tags),
		}, pulumi.Parent(q))
		if err != nil {
			return err
		}
		// EventBridge drops an event silently if the queue refuses it.
		if _, err := cloudwatch.NewEventTarget(ctx, child, &cloudwatch.EventTargetArgs{
			Rule:     rule.Name,
			TargetId: pulumi.String("queue"),
			Arn:      queue.Arn,
		}, pulumi.Parent(q), pulumi.DependsOn([]pulumi.Resource{policy})); err != nil {
			return err
		}
	}
	return nil
}

// eventPattern matches the events of one kind.
func eventPattern(detailType string) string {
	text, _ := json.Marshal(map[string][]string{ // strings can always be written
		"source": {"aws.ec2"}, "detail-type": {detailType},
	})
	return string(text)
}

// queuePolicy allows only the rules to send messages to the queue.
func queuePolicy(queueARN string, ruleARNs []string) policy.Document {
	return policy.New(
		policy.Statement{
			Effect:    policy.Allow,
			Principal: &policy.Principal{Service: policy.Names{"events.amazonaws.com"}},
			Action:    []string{"sqs:SendMessage"},
			Resource:  []string{queueARN},
			Condition: policy.Condition{"ArnEquals": {"aws:SourceArn": ruleARNs}},
		},
		policy.Statement{
			Effect:    policy.Deny,
			Principal: &policy.Principal{AWS: policy.Names{"*"}},
			Action:    []string{"sqs:*"},
			Resource:  []string{queueARN},
			Condition: policy.Condition{"Bool": {"aws:SecureTransport": {"false"}}},
		},
	)
}

func queueARN(in location.Location, name string) string { return in.ARN("sqs", name) }

func ruleARN(in location.Location, name string) string { return in.ARN("events", "rule/"+name) }

// interruptionQueue creates the queue of the prerequisites.
func (b *builder) interruptionQueue() error {
	if b.args.InterruptionQueueName == "" {
		return nil
	}
	queue, err := NewInterruptionQueue(b.ctx, b.child("interruptions"), &InterruptionQueueArgs{
		Name: b.args.InterruptionQueueName, Tags: b.tags(), Location: &b.place,
	}, pulumi.Parent(b.made))
	if err != nil {
		return err
	}
	b.made.InterruptionQueueURL = queue.URL
	return nil
}
