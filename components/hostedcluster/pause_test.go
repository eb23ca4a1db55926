package hostedcluster

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func TestAPausedNodePoolHasNoNodesAndRecordsHowManyItHas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec         map[string]any
		nodes, drain string
	}{
		"replicas":     {map[string]any{"replicas": int64(3)}, "3", "15m0s"},
		"none":         {map[string]any{"replicas": int64(0)}, "0", "15m0s"},
		"auto scaling": {map[string]any{"autoScaling": map[string]any{"min": int64(1), "max": int64(5)}}, "5", "15m0s"},
		"a limit":      {map[string]any{"replicas": int64(3), "nodeDrainTimeout": "1h0m0s"}, "3", "1h0m0s"},
		"no limit":     {map[string]any{"replicas": int64(3), "nodeDrainTimeout": "0s"}, "3", "15m0s"},
	} {
		object := map[string]any{"metadata": map[string]any{"name": "demo"}, "spec": c.spec}
		pausePool(object, "2026-11-28T20:00:00Z")
		replicas, _, _ := unstructured.NestedInt64(object, "spec", "replicas")
		require.Zero(t, replicas, name)
		require.NotContains(t, object["spec"], "autoScaling", name)
		require.Equal(t, c.nodes, textAt(object, "metadata", "annotations", "hypershift-aws/paused-nodes"), name)
		require.Equal(t, "2026-11-28T20:00:00Z", textAt(object, "metadata", "annotations", "hypershift-aws/paused-since"),
			name)
		require.Equal(t, c.drain, textAt(object, "spec", "nodeDrainTimeout"), name)
		require.Equal(t, "15m0s", textAt(object, "spec", "nodeVolumeDetachTimeout"), name)
	}
}

func TestNodesAreNotPausedWhileSomethingNeedsThemToEnd(t *testing.T) {
	t.Parallel()
	s := &Settings{NodesPausedSince: "2026-11-28T20:00:00Z"}
	pool := func(since string) map[string]any {
		object := withRelease("NodePool", "pool", image("4.20.1"))
		if since != "" {
			_ = unstructured.SetNestedField(object, since, "metadata", "annotations", "hypershift-aws/paused-since")
		}
		return object
	}
	live := func(change func(l *Live)) *Live {
		l := at("4.20.1", "4.20.1", [2]string{"Completed", "4.20.1"})
		change(l)
		return l
	}
	condition := func(of string) func(l *Live) {
		return func(l *Live) {
			l.NodePools["pool"]["status"] = map[string]any{
				"conditions": []any{map[string]any{"type": of, "status": "True", "message": "1 of 2"}},
			}
		}
	}
	inDeletion := func(of func(l *Live) map[string]any) func(l *Live) {
		return func(l *Live) {
			_ = unstructured.SetNestedField(of(l), "2026-11-28T19:00:00Z", "metadata", "deletionTimestamp")
		}
	}
	for name, c := range map[string]struct {
		live *Live
		// why is a part of the refusal, "" for none.
		why string
	}{
		"ready":           {live(func(*Live) {}), ""},
		"not read":        {nil, ""},
		"healthy":         {live(condition("Ready")), ""},
		"a new version":   {live(condition("UpdatingVersion")), "UpdatingVersion is True: 1 of 2"},
		"a new config":    {live(condition("UpdatingConfig")), "UpdatingConfig"},
		"another machine": {live(condition("UpdatingPlatformMachineTemplate")), "UpdatingPlatformMachineTemplate"},
		"an upgrade":      {at("4.20.1", "4.20.1", [2]string{"Partial", "4.20.1"}), "is rolling out release"},
		"a pool in deletion": {live(inDeletion(func(l *Live) map[string]any {
			return l.NodePools["pool"]
		})), "NodePool pool has been in deletion since"},
		"the cluster's deletion": {live(inDeletion(func(l *Live) map[string]any {
			return l.HostedCluster
		})), "HostedCluster demo has been in deletion"},
	} {
		err := s.judgePause(c.live, pool(""), pool(s.NodesPausedSince))
		require.NoError(t, s.judgePause(c.live, pool("2026-11-27T20:00:00Z"), pool(s.NodesPausedSince)), "%s: paused already",
			name)
		require.NoError(t, new(Settings).judgePause(c.live, pool(s.NodesPausedSince), pool("")), "%s: resumed", name)
		if c.why == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.why, name)
		require.Equal(t, "nodesPausedSince", fault.In(err)[0].Path, name)
	}
}

func TestAReleaseIsNotRolledOutWithoutNodes(t *testing.T) {
	t.Parallel()
	before, after := withRelease("HostedCluster", "demo",
		image("4.20.1")), withRelease("HostedCluster", "demo", image("4.20.2"))
	paused := &Settings{NodesPausedSince: "2026-11-28T20:00:00Z"}
	require.ErrorContains(t, paused.judgePause(nil, before, after), "ends only with nodes")
	require.NoError(t, paused.judgePause(nil, before, before))
	require.NoError(t, new(Settings).judgePause(nil, before, after))
}
