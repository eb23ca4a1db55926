package main

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/sqs"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// toy is the section of a kind of stack that only tests have: one option and one resource.
type toy struct {
	// Queue is the name of the queue. Required.
	Queue string `yaml:"queue" pulumi:"queue"`
}

var _ config.Section = (*toy)(nil)

func (t *toy) Resolve(config.Source) {}

func (t *toy) Validate(string) error {
	if t.Queue == "" {
		return &fault.Fault{Path: "queue", Problem: "is missing", Remedy: "set a name"}
	}
	return nil
}

func (t *toy) ManagementCluster() *config.Kubeconfig { return nil }

func (t *toy) Existing(*config.ManagementOutputs) []config.Existing { return nil }

func (t *toy) NoEffect() fault.Faults { return nil }

// toyOutputs are the outputs of a stack of kind toy.
type toyOutputs struct {
	Kind pulumi.StringInput `pulumi:"kind"`
	URL  pulumi.StringInput `pulumi:"url"`
}

// toyKind returns the kind, by the one registration that a kind needs.
func toyKind() stacks.Kind {
	return stacks.NewKind("toy", "use queue", func(ctx *pulumi.Context, section *toy) (*toyOutputs, error) {
		queue, err := sqs.NewQueue(ctx, "queue", &sqs.QueueArgs{Name: pulumi.String(section.Queue)})
		if err != nil {
			return nil, err
		}
		return &toyOutputs{Kind: pulumi.String("toy"), URL: queue.Url}, nil
	})
}
