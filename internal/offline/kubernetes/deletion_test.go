package kubernetes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// idle is a cluster without operators.
type idle struct{}

func (idle) Reconcile(*store.Tx, faults.Operators, time.Time) error { return nil }
func (idle) Close() error                                           { return nil }

func TestAForegroundDeletionWaitsForDependents(t *testing.T) {
	t.Parallel()
	c, err := Open(t.TempDir(), "test", idle{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	kind := c.kinds["kubernetes:core/v1:ConfigMap"]
	object := func(name string, more props.Map) props.Map {
		metadata := map[string]any{"name": name, "namespace": "default"}
		for key, value := range more {
			metadata[key] = value
		}
		return props.Map{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
	}
	_, owner, err := c.create(kind, object("owner", nil), WriteOptions{})
	require.NoError(t, err)
	uid := owner.Object("metadata").String("uid")
	_, _, err = c.create(kind, object("owned", props.Map{"finalizers": props.List("example.com/held"),
		"ownerReferences": []any{map[string]any{
			"apiVersion":         "v1",
			"kind":               "ConfigMap",
			"name":               "owner",
			"uid":                uid,
			"blockOwnerDeletion": true,
		}}}), WriteOptions{})
	require.NoError(t, err)

	require.NoError(t, c.remove(kind, "default/owner"))
	for name, finalizer := range map[string]string{"owner": "foregroundDeletion", "owned": "example.com/held"} {
		left, err := c.Get("ConfigMap", "default", name)
		require.NoError(t, err)
		metadata := props.Map(left).Object("metadata")
		require.True(t, metadata.Has("deletionTimestamp"), name)
		require.Equal(t, []string{finalizer}, metadata.Strings("finalizers"), name)
	}
	require.NoError(t, c.Edit("ConfigMap", "default", "owned", "somebody", func(object map[string]any) {
		delete(object["metadata"].(map[string]any), "finalizers")
	}))
	for _, name := range []string{"owner", "owned"} {
		left, err := c.Get("ConfigMap", "default", name)
		require.NoError(t, err)
		require.Nil(t, left, name)
	}
}
