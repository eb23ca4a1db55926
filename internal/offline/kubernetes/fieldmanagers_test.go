package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// pooled returns a cluster with a NodePool of one node, and a function that applies the pool.
func pooled(t *testing.T) (*Cluster, func(change func(spec props.Map), how WriteOptions) (props.Map, error)) {
	t.Helper()
	cluster, err := Open(t.TempDir(), "fields", idle{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = cluster.Close() })
	namespace := cluster.kinds[NamespaceToken]
	_, _, err = cluster.create(namespace, named("v1", "Namespace", "", "clusters", nil), WriteOptions{})
	require.NoError(t, err)
	pools := cluster.kinds[NodePoolToken]
	_, _, err = cluster.create(pools, scriptPool(), WriteOptions{})
	require.NoError(t, err)
	return cluster, func(change func(props.Map), how WriteOptions) (props.Map, error) {
		pool := scriptPool()
		change(pool.Object("spec"))
		how.manager = ours
		return cluster.update(pools, pools.ID(pool), pool, how)
	}
}

func replicas(n float64) func(props.Map) {
	return func(spec props.Map) { spec["replicas"] = n }
}

func TestASubresourceIsAManagerThatTheProviderDoesNotTakeOver(t *testing.T) {
	t.Parallel()
	cluster, apply := pooled(t)
	require.NoError(t, cluster.Scale("NodePool", "clusters", "demo-us-east-1a", 5))
	_, err := apply(replicas(2), WriteOptions{})
	require.True(t, apierrors.IsConflict(err), err)
	require.ErrorContains(t, err, `conflict with "kubectl" with subresource "scale"`)
	_, err = apply(replicas(5), WriteOptions{})
	require.NoError(t, err, "the same value is shared")
}

func TestWhatKubectlEditedIsTakenOverByUpdatesButNotByDryRuns(t *testing.T) {
	t.Parallel()
	cluster, apply := pooled(t)
	_, err := apply(replicas(1), WriteOptions{})
	require.NoError(t, err)
	require.NoError(t, cluster.Edit("NodePool", "clusters", "demo-us-east-1a", "kubectl-edit",
		func(object map[string]any) {
			props.Map(object).Object("spec")["replicas"] = 5.0
		}))
	_, err = apply(replicas(2), WriteOptions{dry: true})
	require.True(t, apierrors.IsConflict(err), err)
	out, err := apply(replicas(2), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, 2.0, out.Object("spec").Number("replicas"))
}

func TestADryRunRemovesNoFieldOfTheCreation(t *testing.T) {
	t.Parallel()
	_, apply := pooled(t)
	scaling := func(spec props.Map) {
		delete(spec, "replicas")
		spec["autoScaling"] = map[string]any{"min": 1.0, "max": 3.0}
	}
	_, err := apply(scaling, WriteOptions{dry: true})
	require.ErrorContains(t, err, "Both replicas or autoScaling should not be set")
	out, err := apply(scaling, WriteOptions{})
	require.NoError(t, err)
	require.False(t, out.Object("spec").Has("replicas"))
}

func TestAnIgnoredFieldOfAnotherManagerIsNotSent(t *testing.T) {
	t.Parallel()
	cluster, apply := pooled(t)
	require.NoError(t, cluster.Scale("NodePool", "clusters", "demo-us-east-1a", 5))
	out, err := apply(func(spec props.Map) {
		spec["replicas"], spec["arch"] = 2.0, "amd64"
	}, WriteOptions{ignored: []string{"spec.replicas"}})
	require.NoError(t, err)
	require.Equal(t, 5.0, out.Object("spec").Number("replicas"))
	require.Error(t, cluster.DryApply(ours, within(scriptPool(), 2.0, "spec", "replicas")))
	require.NoError(t, cluster.DryApply(ours, within(scriptPool(), 5.0, "spec", "replicas")))
}

// TestAFieldOfANewerVersionIsKept: the definitions here are those of a date, and HyperShift's API goes on.
func TestAFieldOfANewerVersionIsKept(t *testing.T) {
	t.Parallel()
	cluster, apply := pooled(t)
	newer := func(spec props.Map) { spec["osImageStream"] = map[string]any{"name": "rhel-10"} }
	_, err := apply(newer, WriteOptions{})
	require.NoError(t, err)
	require.NoError(t, cluster.Edit("NodePool", "clusters", "demo-us-east-1a", "kubectl-edit",
		func(object map[string]any) {
			props.Map(object).Object("spec").Object("osImageStream")["name"] = "rhel-9"
		}))
	object, err := cluster.Get("NodePool", "clusters", "demo-us-east-1a")
	require.NoError(t, err)
	require.Equal(t, "rhel-9", props.Map(object).Object("spec").Object("osImageStream").String("name"))
	_, err = apply(newer, WriteOptions{dry: true})
	require.True(t, apierrors.IsConflict(err), err)
	_, err = apply(func(spec props.Map) { spec["arch"] = "vax" }, WriteOptions{})
	require.ErrorContains(t, err, "Unsupported value", "a wrong value of a field that is known")
}
