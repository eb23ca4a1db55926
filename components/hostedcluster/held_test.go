package hostedcluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func TestAFieldOfAnObjectHasAConfigKey(t *testing.T) {
	t.Parallel()
	settings := Settings{
		Spec: map[string]any{
			"autoscaling": map[string]any{"scaling": "ScaleUpOnly"},
			"release":     map[string]any{"image": "x"},
		},
		NodePools: []NodePool{{Name: "a"}, {Name: "b", Spec: map[string]any{"replicas": 3}}},
	}
	for _, c := range []struct {
		pool       int
		path, want string
	}{
		{-1, "spec.fips", "fips"},
		{-1, "spec.autoscaling.scaling", "spec.autoscaling.scaling"},
		{-1, "spec.release.image", "spec.release.image"}, // set by the patch of the spec
		{-1, "metadata.annotations", "annotations"},
		{0, "spec.replicas", "nodePools[0].replicas"},
		{0, "metadata.annotations", "nodePools[0].annotations"},
		{1, "spec.replicas", "nodePools[1].spec.replicas"},
		{2, "spec.replicas", "nodePools[2].replicas"}, // a default pool
	} {
		require.Equal(t, c.want, settings.ConfigKey(c.pool, c.path), c.path)
	}
}

func TestARefusedChangeNamesTheConfigKeyAndTheValue(t *testing.T) {
	t.Parallel()
	before := pool(func(map[string]any) {})
	changed := pool(func(spec map[string]any) { spec["arch"] = "arm64" })
	settings := Settings{NodePools: []NodePool{{Name: "other"}, {Name: "acme-a"}}}
	faults := fault.In(settings.judgeUpdate(nil, before, changed, false))
	require.Len(t, faults, 1)
	require.Equal(t, "nodePools[1].arch", faults[0].Path)
	require.Equal(t, "arm64", faults[0].Value)
	require.NoError(t, settings.judgeUpdate(nil, before, before, false))
}
