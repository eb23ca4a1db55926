package management

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// HyperShift's CRD has this pattern for spec.platform.aws.terminationHandlerQueueURL.
const queueURLPattern = `^https://sqs\.[a-z0-9-]+\.amazonaws\.com/[0-9]{12}/[a-zA-Z0-9_-]+(\.fifo)?$`

func TestAQueueCanBeCreatedWithoutTheOtherPrerequisites(t *testing.T) {
	t.Parallel()
	r := newRecorder(commercial())
	var found string
	require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		queue, err := NewInterruptionQueue(ctx, "spot", &InterruptionQueueArgs{Name: "prod_spot-1"})
		if err != nil {
			return err
		}
		queue.URL.ApplyT(func(url string) string {
			found = url
			return url
		})
		return nil
	}, pulumi.WithMocks("project", "stack", r)))
	require.Regexp(t, queueURLPattern, found)
	for _, detail := range []struct{ child, kind string }{
		{"spot-interruption", "EC2 Spot Instance Interruption Warning"},
		{"spot-rebalance", "EC2 Instance Rebalance Recommendation"},
	} {
		rule := r.find(t, "aws:cloudwatch/eventRule:EventRule", detail.child).Inputs.(map[string]any)
		require.Equal(t, map[string]any{"source": []any{"aws.ec2"}, "detail-type": []any{detail.kind}}, rule["eventPattern"])
		target := r.find(t, "aws:cloudwatch/eventTarget:EventTarget", detail.child)
		require.Contains(t, target.Dependencies, "QueuePolicy spot-queue")
	}
}

func TestComponentsWithoutArgsReportWhatIsMissing(t *testing.T) {
	t.Parallel()
	require.Len(t, fault.In((&InterruptionQueueArgs{}).Validate()), 1)
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		_, err := NewInterruptionQueue(ctx, "spot", nil)
		return err
	}, pulumi.WithMocks("project", "stack", newRecorder(commercial())))
	require.ErrorContains(t, err, `interruption queue "spot": name is missing`)
	_, err = newRecorder(commercial()).run(nil)
	require.ErrorContains(t, err, `prerequisites "mgmt": oidcBucket.name is missing`)
}
