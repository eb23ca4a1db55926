package hostedcluster

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
)

// pool returns a NodePool's inputs.
func pool(change func(spec map[string]any)) resource.PropertyMap {
	spec := map[string]any{
		"arch": "amd64", "clusterName": "acme", "replicas": 2,
		"management": map[string]any{"upgradeType": "Replace"}, "release": map[string]any{"image": "quay.io/release:1"},
		"platform": map[string]any{"type": "AWS", "aws": map[string]any{
			"instanceType": "m5.large", "subnet": map[string]any{"id": "subnet-0123456789abcdef0"},
		}},
	}
	change(spec)
	inputs := resource.NewPropertyMapFromMap(map[string]any{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
		"metadata": map[string]any{"name": "acme-a", "namespace": "clusters"}, "spec": spec, "__fieldManager": "x",
	})
	return inputs
}

func TestAChangeableFieldOfAHostedClusterCanChange(t *testing.T) {
	t.Parallel()
	same := func(map[string]any) {}
	require.NoError(t, new(Settings).judgeUpdate(nil, pool(same), pool(func(spec map[string]any) {
		spec["replicas"] = 3
	}), false))
}

func TestAChangeOfAnImmutableFieldIsRefusedEvenIfOtherValuesAreUnknown(t *testing.T) {
	t.Parallel()
	changed := pool(func(spec map[string]any) { spec["arch"] = "arm64" })
	subnet := changed["spec"].ObjectValue()["platform"].ObjectValue()["aws"].ObjectValue()["subnet"].ObjectValue()
	subnet["id"] = resource.MakeComputed(resource.NewStringProperty(""))
	require.ErrorContains(t, new(Settings).judgeUpdate(nil, pool(func(map[string]any) {}), changed, false),
		"create another node pool")
}

func TestAnUnknownValueCountsAsChanged(t *testing.T) {
	t.Parallel()
	changed := pool(func(map[string]any) {})
	changed["spec"].ObjectValue()["clusterName"] = resource.MakeComputed(resource.NewStringProperty(""))
	require.ErrorContains(t, new(Settings).judgeUpdate(nil, pool(func(map[string]any) {}), changed, false),
		"ClusterName is immutable")
}
