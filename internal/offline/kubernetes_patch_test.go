package offline

import (
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
)

func TestANamespaceThatIsPatchedStaysWhenThePatchGoes(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	labelled := func(name string, labels map[string]any) props {
		return props{"metadata": map[string]any{"name": name, "labels": labels}}
	}
	require.NoError(t, h.cluster.Edit("Namespace", "", "clusters", "somebody", func(object map[string]any) {
		props(object).object("metadata")["labels"] = map[string]any{"theirs": "x"}
	}))
	for _, name := range []string{"clusters", "new"} {
		first, second := labelled(name, map[string]any{"a": "1", "b": "1"}), labelled(name, map[string]any{"a": "2"})
		id, out := h.kubernetes.create(namespacePatchToken, first)
		require.Equal(t, name, id)
		require.Equal(t, "1", out.object("metadata").object("labels")["a"])
		_, err := h.kubernetes.update(namespacePatchToken, id, first, second)
		require.NoError(t, err)
		inputs := h.kubernetes.valid(namespacePatchToken, second)
		_, _, found := h.kubernetes.read(namespacePatchToken, id, inputs)
		require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, h.kubernetes.diff(namespacePatchToken, inputs, found).GetChanges())

		require.NoError(t, h.gone(namespacePatchToken, inputs))
		object, err := h.cluster.Get("Namespace", "", name)
		require.NoError(t, err)
		labels := props(object).object("metadata").object("labels")
		require.NotContains(t, labels, "a")
		require.NotContains(t, labels, "b")
	}
	object, err := h.cluster.Get("Namespace", "", "clusters")
	require.NoError(t, err)
	require.Equal(t, map[string]any{"theirs": "x"}, props(object).object("metadata")["labels"])
}
