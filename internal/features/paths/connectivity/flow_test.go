package connectivity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func TestEachStepOfTheNetworkingFlowTakesItsPathsOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	private := []status.Path{
		{
			Name: "node in a -> control plane over PrivateLink",
			Hops: []status.Hop{{Kind: "endpoint", Verdict: status.Breaks, Why: "is rejected"}},
		},
		{Name: "api.demo.hypershift.local -> endpoint"}, {Name: "*.apps.demo.hypershift.local -> endpoint"},
		{Name: "node in a -> internet"},
	}
	flow := Flow(private)
	require.Len(t, flow, 11)
	for i, step := range flow {
		require.Equal(t, i+1, step.Number)
		require.True(t, step.Verdict == status.Beyond && step.Why != "" || len(step.Paths) > 0, "step %d", step.Number)
	}
	require.Equal(t, []string{private[0].Name, private[1].Name}, flow[5].Paths)
	require.Equal(t, status.Breaks, flow[5].Verdict)
	require.Contains(t, flow[5].Why, "at the endpoint: is rejected")
	require.Equal(t, []string{private[0].Name, private[2].Name}, flow[9].Paths)

	public := []status.Path{
		{Name: "node -> control plane over PrivateLink", Absent: "endpointAccess Public"}, {Name: "node in a -> internet"},
	}
	require.Equal(t, []string{"node in a -> internet"}, Flow(public)[5].Paths)
	require.Equal(t, status.Holds, Flow(public)[5].Verdict)
}

func TestAStepWithAHopThatIsNotSeenDoesNotHold(t *testing.T) {
	t.Parallel()
	hops := func(endpoint status.HopVerdict) []status.Path {
		return []status.Path{
			{Name: "node in a -> control plane over PrivateLink", Hops: []status.Hop{
				{Kind: "subnet", Verdict: status.Holds}, {Kind: "endpoint", Verdict: endpoint, Why: "not in the state"},
				{Kind: hop(awstype.LoadBalancer), Verdict: status.Beyond, Why: "of the management account"},
			}},
			{Name: "api.demo.hypershift.local -> endpoint", Hops: []status.Hop{{Kind: "record", Verdict: status.Holds}}},
		}
	}
	step := Flow(hops(status.Beyond))[5]
	require.Equal(t, status.Beyond, step.Verdict)
	require.Contains(t, step.Why, "at the endpoint: not in the state")
	require.Equal(t, status.Holds, Flow(hops(status.Holds))[5].Verdict, "the far end is another account's")
	require.Equal(t, status.Breaks, Flow(hops(status.Breaks))[5].Verdict)
	require.Equal(t, status.NotModelled, Flow(hops(status.NotModelled))[5].Verdict)
}
