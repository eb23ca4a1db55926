package connectivity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/status"
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
