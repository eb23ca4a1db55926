package offline

import (
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestANamespaceThatIsPatchedStaysWhenThePatchIsDeleted(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	labelled := func(name string, labels map[string]any) props.Map {
		return props.Map{"metadata": map[string]any{"name": name, "labels": labels}}
	}
	require.NoError(t, h.cluster.Edit("Namespace", "", "clusters", "somebody", func(object map[string]any) {
		props.Map(object).Object("metadata")["labels"] = map[string]any{"theirs": "x"}
	}))
	for _, name := range []string{"clusters", "new"} {
		first, second := labelled(name, map[string]any{"a": "1", "b": "1"}), labelled(name, map[string]any{"a": "2"})
		id, out := h.kubernetes.create(kubernetes.NamespacePatchToken, first)
		require.Equal(t, name, id)
		require.Equal(t, "1", out.Object("metadata").Object("labels")["a"])
		_, err := h.kubernetes.update(kubernetes.NamespacePatchToken, id, first, second)
		require.NoError(t, err)
		inputs := h.kubernetes.valid(kubernetes.NamespacePatchToken, second)
		_, _, found := h.kubernetes.read(kubernetes.NamespacePatchToken, id, inputs)
		require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE,
			h.kubernetes.diff(kubernetes.NamespacePatchToken, inputs, found).GetChanges())

		require.NoError(t, h.gone(kubernetes.NamespacePatchToken, inputs))
		object, err := h.cluster.Get("Namespace", "", name)
		require.NoError(t, err)
		labels := props.Map(object).Object("metadata").Object("labels")
		require.NotContains(t, labels, "a")
		require.NotContains(t, labels, "b")
	}
	object, err := h.cluster.Get("Namespace", "", "clusters")
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"theirs":                      "x",
		"kubernetes.io/metadata.name": "clusters",
	}, props.Map(object).Object("metadata")["labels"])
}
