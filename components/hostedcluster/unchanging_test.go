package hostedcluster

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
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

// A rule of the whole spec names its field in its message alone: the key is that of the value that has changed.
func TestARefusedChangeOfTheWholeSpecNamesTheKeyThatChanged(t *testing.T) {
	t.Parallel()
	whole := &fault.Fault{Path: "spec", Problem: "is refused by HyperShift's API: Services is immutable. Changes might result in disruption"}
	cluster := func(access, host string) map[string]any {
		return map[string]any{"spec": map[string]any{
			"services": []any{host}, "secretEncryption": map[string]any{"type": host},
			"platform": map[string]any{"aws": map[string]any{"endpointAccess": access}},
		}}
	}
	settings := &Settings{}
	for path, object := range map[string]map[string]any{
		"endpointAccess":    cluster("PublicAndPrivate", "b"),
		"externalDNSDomain": cluster("Public", "b"),
		"spec":              cluster("Public", "a"), // of a rule that this program does not know
	} {
		require.Equal(t, path, settings.ConfigKey(-1, causeOf(whole, cluster("Public", "a"), object)))
	}
	removed := &fault.Fault{Path: "spec", Problem: "secretEncryption cannot be removed once configured"}
	after := cluster("Public", "a")
	delete(after["spec"].(map[string]any), "secretEncryption")
	require.Equal(t, "spec.secretEncryption", causeOf(removed, cluster("Public", "a"), after))
	arch := &fault.Fault{Path: "spec.arch", Problem: "Arch is immutable"}
	require.Equal(t, "spec.arch", causeOf(arch, map[string]any{"spec": map[string]any{"arch": "a"}}, map[string]any{}))
}
