package clusterstatus

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// A paused pool is complete when its machines are gone. A PodDisruptionBudget may keep a node until the time for its
// drain is over.
func TestAPausedPoolWaitsForTheEndOfItsMachines(t *testing.T) {
	t.Parallel()
	const since = "2026-11-28T20:00:00Z"
	reading, api, cluster := demo(condition("Available", "True", ""),
		condition("ClusterVersionAvailable", "False", "ClusterOperatorsNotAvailable"))
	cluster.NodePools = []string{"a"}
	pool := object(crd.NodePool, "clusters", "a", condition("AllMachinesReady", "False", "NotFound"))
	pool["spec"] = map[string]any{"clusterName": "demo", "replicas": int64(0)}
	pool["metadata"].(map[string]any)["annotations"] = map[string]any{
		hypershift.PausedSinceAnnotation: since, hypershift.PausedNodesAnnotation: "3",
	}
	api["NodePool a"] = pool
	draining := condition("DrainingSucceeded", "False", "Draining")
	draining["message"] = "Drain not completed yet: cannot evict pod router-default-1"
	node := object(machine, "clusters-demo", "a-1", draining)
	node["metadata"].(map[string]any)["deletionTimestamp"] = "2026-11-28T20:00:10Z"
	node["metadata"].(map[string]any)["annotations"] = map[string]any{poolAnnotation: "clusters/a"}
	api["Machine a-1"] = node

	read := func() (*Reading, []string) {
		r := &Reading{Cluster: reading.Cluster}
		r.ReadObjects(t.Context(), api, crd.HostedCluster, cluster, HostedClusterParts())
		r.Judge(none)
		w := newReadiness(cluster, api, func(report.Event) {})
		waitsFor, err := w.look(t.Context())
		require.NoError(t, err)
		require.True(t, w.paused)
		return r, waitsFor
	}
	going, waitsFor := read()
	require.Equal(t, []string{"node pool a is paused, and still has 1 node"}, waitsFor)
	require.Equal(t, status.Progressing, going.Verdict)
	require.Len(t, going.Findings, 1)
	require.Equal(t, finding.Warning, going.Findings[0].Severity)
	require.Contains(t, going.Findings[0].Problem, "a-1 in deletion since 2026-11-28T20:00:10Z, Drain not completed yet")

	delete(api, "Machine a-1")
	gone, waitsFor := read()
	require.Empty(t, waitsFor)
	require.Empty(t, gone.Findings)
	require.Equal(t, status.Ready, gone.Verdict)
	require.Equal(t, "its nodes are paused since "+since+"; `hypershift-aws resume -s demo` starts 3 at most", gone.Why)
	require.Equal(t, since, gone.PausedSince)
	require.Equal(t, int64(3), gone.NodesPaused)
}
