package management_test

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/test/exampletest"
)

// What a management cluster needs once: a bucket for OIDC documents, and a user for HyperShift's operator.
func ExampleNewPrerequisites() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		p, err := management.NewPrerequisites(ctx, "management", &management.PrerequisitesArgs{
			OIDCBucket: management.OIDCBucketArgs{Name: "demo-oidc"},
			Operator:   management.OperatorArgs{Identity: management.AccessKeys},
			EtcdKey:    &management.EtcdKeyArgs{Alias: "demo-etcd"},
		})
		if err != nil {
			return err
		}
		ctx.Export("issuerBaseURL", p.IssuerBaseURL)
		return nil
	})
	// Output:
	// IAM user: 2
	// KMS alias: 1
	// KMS key: 1
	// S3 bucket: 1
	// access key: 2
	// bucket encryption: 1
	// bucket lifecycle configuration: 1
	// bucket ownership controls: 1
	// bucket policy: 1
	// bucket public access block: 1
	// bucket versioning: 1
	// user policy: 2
}

// A queue for the spot interruptions of one hosted cluster.
func ExampleNewInterruptionQueue() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		queue, err := management.NewInterruptionQueue(ctx, "queue",
			&management.InterruptionQueueArgs{Name: "demo-interruptions"})
		if err != nil {
			return err
		}
		ctx.Export("queueURL", queue.URL)
		return nil
	})
	// Output:
	// SQS queue: 1
	// event rule: 2
	// event target: 2
	// queue policy: 1
}
