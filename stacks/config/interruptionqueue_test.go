package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpotPoolsAreDrainedOnlyWithAQueue(t *testing.T) {
	t.Parallel()
	file, err := load(t, withHostedCluster)
	require.NoError(t, err)
	require.Equal(t, []string{"spot"}, As[*Cluster](file).UndrainedSpotPools())
	require.Empty(t, As[*Cluster](file).InterruptionQueueURL("us-east-1", "123456789012"))

	file, err = load(t, strings.Replace(withHostedCluster, "    iam:", "    interruptionQueue: true\n    iam:", 1))
	require.NoError(t, err)
	require.Empty(t, As[*Cluster](file).UndrainedSpotPools())
	require.Regexp(t, `^https://sqs\.us-east-1\.amazonaws\.com/123456789012/demo-[a-z2-7]{5}-interruptions$`, As[*Cluster](file).InterruptionQueueURL("us-east-1", "123456789012"))

	const own = "        platform: {aws: {terminationHandlerQueueURL: 'https://sqs.us-east-1.amazonaws.com/123456789012/own'}}\n"
	file, err = load(t, withHostedCluster+own)
	require.NoError(t, err)
	require.Empty(t, As[*Cluster](file).UndrainedSpotPools(), "the queue of the spec")
}

func TestAQueueThatHyperShiftDoesNotAcceptIsRefused(t *testing.T) {
	t.Parallel()
	const own = "        platform: {aws: {terminationHandlerQueueURL: 'https://sqs.us-east-1.amazonaws.com/123456789012/own'}}\n"
	withQueue := strings.Replace(withHostedCluster, "    iam:", "    interruptionQueue: true\n    iam:", 1)
	_, err := load(t, withQueue+own)
	require.ErrorContains(t, err, "cluster.interruptionQueue: \"true\" conflicts with hostedCluster.spec.platform.aws.terminationHandlerQueueURL, https://sqs.us-east-1.amazonaws.com/123456789012/own; set only one of the two")
	_, err = load(t, strings.NewReplacer("us-east-1", "cn-north-1").Replace(withQueue))
	require.ErrorContains(t, err, "cluster.interruptionQueue: \"true\" would be a queue under amazonaws.com.cn")
}
