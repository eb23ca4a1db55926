// Package operation opens a stack and runs one operation on it with the real Pulumi engine: preview, up, refresh,
// destroy, and the recovery before them. It joins the packages that it is made of (engine, project, state, plan,
// report, recovery, clusterstatus). It is for the CLI, which adds flags and exit codes.
package plancheck

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
)

// A role may be limited to the names of objects, and the namespace of a new operator is not known before the update.
func TestWhatAPlanDoesInTheManagementClusterIsAskedByNameAndInTheNamespaceThatItCreates(t *testing.T) {
	t.Parallel()
	secret := &changes.Step{Custom: true, Change: changes.Create, Type: "kubernetes:core/v1:Secret",
		New: map[string]any{
			"kind":     "Secret",
			"metadata": map[string]any{"namespace": changes.UnknownValue, "name": "credentials"},
		}}
	namespace := &changes.Step{Custom: true, Change: changes.Create, Type: "kubernetes:core/v1:Namespace",
		New: map[string]any{"kind": "Namespace", "metadata": map[string]any{"name": "hypershift"}}}
	require.Equal(t, []clusterstatus.Permission{
		{Verb: "create", Kind: "Namespace", Name: "hypershift"},
		{Verb: "patch", Kind: "Namespace", Name: "hypershift"},
		{Verb: "create", Kind: "Secret", Namespace: "hypershift", Name: "credentials"},
		{Verb: "patch", Kind: "Secret", Namespace: "hypershift", Name: "credentials"},
	}, neededAccess(&changes.Plan{Steps: []*changes.Step{secret, namespace}}))
	require.Empty(t, neededAccess(&changes.Plan{Steps: []*changes.Step{secret}}))
}

// The namespace of a new operator, which exists already in pods, is an output of the patch of the namespace.
func TestANamespaceThatAPlanAddsToIsKnownBeforeTheUpdate(t *testing.T) {
	t.Parallel()
	object := func(namespace string) map[string]any {
		return map[string]any{"kind": "Secret", "metadata": map[string]any{"namespace": namespace, "name": "credentials"}}
	}
	patch := &changes.Step{Custom: true, Change: changes.Create, Type: "kubernetes:core/v1:NamespacePatch",
		New: map[string]any{"kind": "Namespace", "metadata": map[string]any{"name": "hypershift"}}}
	for name, c := range map[string]struct {
		plan      *changes.Plan
		namespace string
		want      string
		known     bool
	}{
		"known":              {&changes.Plan{}, "clusters", "clusters", true},
		"none":               {&changes.Plan{}, "", "", true},
		"that of the plan":   {&changes.Plan{Steps: []*changes.Step{patch}}, changes.UnknownValue, "hypershift", true},
		"not known anywhere": {&changes.Plan{}, changes.UnknownValue, "", false},
	} {
		namespace, known := namespaceIn(c.plan)(object(c.namespace))
		require.Equal(t, c.want, namespace, name)
		require.Equal(t, c.known, known, name)
	}
}
