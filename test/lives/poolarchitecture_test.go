package lives

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestAPoolOfAnotherArchitectureThanItsInstancesIsRefused(t *testing.T) {
	t.Parallel()
	for want, pool := range map[string]hostedcluster.NodePool{
		"": {InstanceType: "m6g.large", Arch: "arm64"},
		"nodePools[0].instanceType: \"m5.large\" is for x86_64, and the pool's arch is arm64":  {InstanceType: "m5.large", Arch: "arm64"},
		"nodePools[0].instanceType: \"m6g.large\" is for arm64, and the pool's arch is amd64":  {InstanceType: "m6g.large"},
		"nodePools[0].instanceType: \"g5g.xlarge\" is for arm64, and the pool's arch is amd64": {InstanceType: "g5g.xlarge"},
		"nodePools[0].instanceType: \"m5.large\" is for x86_64": {
			Spec: map[string]any{"arch": "arm64", "platform": map[string]any{"aws": map[string]any{"instanceType": "m5.large"}}},
		},
		"nodePools[0].instanceType: \"m5.huge\" cannot be looked up": {InstanceType: "m5.huge"},
	} {
		err := graph.Run(t, func(ctx *pulumi.Context) error {
			return hostedcluster.CheckArchitectures(ctx, []hostedcluster.NodePool{pool})
		}, offline.Options{Dir: t.TempDir()}, map[string]string{"aws:region": "us-east-1"})
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

func TestTheArchitectureOfAClustersPoolIsJudgedInItsPreview(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure(stackfile.WithHostedCluster(t, "      nodePools: [{instanceType: m6g.large}]\n").String())
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, `nodePools[0].instanceType: "m6g.large" is for arm64, and the pool's arch is amd64`)
}

func TestThePreviewRefusesNodesWhichTheReleaseHasNoImagesFor(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure(stackfile.WithHostedCluster(t, "      nodePools: [{arch: arm64}]\n").String())
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, `nodePools[0].arch: "arm64" is the architecture of the nodes, and release `+
		stackfile.Release+` has images for amd64 only`)
}
