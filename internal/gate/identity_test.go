package gate

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

func TestIdentityRefusesTheOperationsThatWouldHarm(t *testing.T) {
	t.Parallel()
	recorded := Identity{ManagementCluster: "mc-1", Object: "hc-1"}
	only := Identity{Object: "hc-1"} // of an earlier version, or where the namespace may not be read
	every := []gates.Operation{gates.Up, gates.Preview, gates.Adopt, gates.Refresh, gates.Drift, gates.Forget,
		gates.Destroy, gates.Status, gates.Access}
	for name, c := range map[string]struct {
		identity Identity
		reading  Reading
		refused  []gates.Operation
		warned   []gates.Operation
	}{
		"no management cluster": {recorded, Reading{}, nil, nil},
		"the recorded one": {recorded, Reading{
			Configured:        true,
			ManagementCluster: "mc-1",
			Object:            "hc-1",
		}, nil, nil},
		"the first update": {Identity{}, Reading{Configured: true, ManagementCluster: "mc-1"}, nil, nil},
		"another one":      {recorded, Reading{Configured: true, ManagementCluster: "mc-2"}, every, nil},
		"another one with an equal name": {recorded, Reading{
			Configured:        true,
			ManagementCluster: "mc-2",
			Object:            "hc-2",
		}, every, nil},
		"another object": {recorded, Reading{
			Configured:        true,
			ManagementCluster: "mc-1",
			Object:            "hc-2",
		}, every, nil},
		"another object, namespace unread": {only, Reading{Configured: true, Object: "hc-2"}, every, nil},
		"the object deleted there": {recorded, Reading{Configured: true, ManagementCluster: "mc-1"},
			[]gates.Operation{gates.Up, gates.Preview, gates.Adopt, gates.Access}, nil},
		"the object missing, never recorded": {only, Reading{Configured: true, ManagementCluster: "mc-2"}, []gates.Operation{gates.Up, gates.Preview, gates.Adopt, gates.Refresh, gates.Drift, gates.Status, gates.Access}, nil},
		"the object missing, unread":         {recorded, Reading{Configured: true}, []gates.Operation{gates.Up, gates.Preview, gates.Adopt, gates.Refresh, gates.Drift, gates.Status, gates.Access}, nil},
		"unreachable": {recorded, Reading{Configured: true, Err: errors.New("i/o timeout")}, []gates.Operation{gates.Up, gates.Adopt, gates.Refresh, gates.Drift, gates.Access},
			[]gates.Operation{gates.Preview, gates.Forget, gates.Destroy}},
	} {
		for _, operation := range every {
			verdict := JudgeIdentity(operation, Subject{
				Stack:  "demo",
				Object: "HostedCluster clusters/demo",
				Key:    "capa.kubeconfig",
			}, c.identity, c.reading)
			if slices.Contains(c.refused, operation) {
				require.Error(t, verdict.Refused, "%s, %s", name, operation)
				require.NotContains(t, verdict.Refused.Error(), "delete it", "%s, %s", name, operation)
				want := failure.Refused
				if c.reading.Err != nil {
					want = failure.Failed
				}
				require.Equal(t, want, failure.ReasonOf(verdict.Refused), "%s, %s", name, operation)
			} else {
				require.NoError(t, verdict.Refused, "%s, %s", name, operation)
			}
			require.Equal(t, slices.Contains(c.warned, operation), len(verdict.Warnings) > 0, "%s, %s", name, operation)
		}
	}
}

func TestTheIdentityGateIsAskedByEveryOperationThatHasIt(t *testing.T) {
	t.Parallel()
	recorded, other := Identity{ManagementCluster: "mc-1"}, Reading{Configured: true, ManagementCluster: "mc-2"}
	operations := IdentityGate().Operations
	require.NotContains(t, operations, gates.Sweep)
	for _, operation := range operations {
		require.Error(t, JudgeIdentity(operation, Subject{Stack: "demo"}, recorded, other).Refused, operation)
	}
}

func TestARestoredClusterIsContinuedFromWhereItsLossIsSeen(t *testing.T) {
	t.Parallel()
	subject := Subject{Stack: "demo", Object: "HostedCluster clusters/demo", Key: "cluster.hostedCluster.kubeconfig"}
	for _, operation := range []gates.Operation{gates.Up, gates.Preview, gates.Status} {
		refused := JudgeIdentity(operation, subject, Identity{ManagementCluster: "mc-1"}, Reading{
			Configured:        true,
			ManagementCluster: "mc-2",
		}).Refused
		require.ErrorContains(t, refused, "hypershift-aws relocate -s demo", operation)
	}
}
