package clusterstatus

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

func TestOnlyAPauseWithoutAnEndIsAPause(t *testing.T) {
	t.Parallel()
	for until, want := range map[string]bool{
		"": false, "true": true, "True": true, "TRUE": true, "t": true, "1": true, "false": false, "False": false, "0": false,
		// it ends, by another clock than this machine's
		"2026-03-01T12:00:00Z": false, "2099-03-01T12:00:00Z": false, "2099-03-01T14:00:01+02:00": false,
		"2099-01-01": false, "2099-01-01 00:00:00Z": false, "2099-01-01T00:00:00": false, "yes": false, " true": false,
	} {
		require.Equal(t, want, paused(until), "%q", until)
	}
}

// objects is a management cluster with the objects of each kind.
type objects map[string][]map[string]any

func (o objects) Get(_ context.Context, kind, _, name string) (map[string]any, error) {
	for _, object := range o[kind] {
		if textAt(object, "metadata", "name") == name {
			return object, nil
		}
	}
	return nil, nil
}

func (o objects) List(_ context.Context, kind, _ string) ([]map[string]any, error) {
	return o[kind], nil
}

func (objects) Schemas(context.Context) (map[string]map[string]any, error) { return nil, nil }

func TestANodePoolRunsUntilItIsPausedItself(t *testing.T) {
	t.Parallel()
	object := func(name string, spec map[string]any) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": name}, "spec": spec}
	}
	for _, c := range []struct {
		cluster, pool any
		want          []string
	}{
		{"true", "true", nil},
		{"1", "True", nil},
		{"true", nil, []string{"NodePool clusters/a"}},
		{"true", "2026-01-02T03:04:05Z", []string{`NodePool clusters/a with spec.pausedUntil: "2026-01-02T03:04:05Z"`}},
		{"2099-01-02T03:04:05Z", "true", []string{`HostedCluster clusters/demo with spec.pausedUntil: "2099-01-02T03:04:05Z"`}},
		{"false", "true", []string{`HostedCluster clusters/demo with spec.pausedUntil: "false"`}},
		{nil, "off", []string{"HostedCluster clusters/demo", `NodePool clusters/a with spec.pausedUntil: "off"`}},
	} {
		spec, pool := map[string]any{}, map[string]any{"clusterName": "demo"}
		if c.cluster != nil {
			spec["pausedUntil"] = c.cluster
		}
		if c.pool != nil {
			pool["pausedUntil"] = c.pool
		}
		got, err := Running(t.Context(), objects{
			crd.HostedCluster: {object("demo", spec)},
			crd.NodePool:      {object("a", pool), object("of-another", map[string]any{"clusterName": "other"})},
		}, "clusters", "demo")
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	none, err := Running(t.Context(), objects{
		crd.NodePool: {object("a", map[string]any{"clusterName": "demo"})},
	}, "clusters", "demo")
	require.NoError(t, err)
	require.Empty(t, none)
}
