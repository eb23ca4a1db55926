package clusterstatus

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// conflicting is a cluster that refuses each server-side apply with these conflicts, by field.
type conflicting struct {
	fixedCluster
	managers map[string]string
}

func (c conflicting) DryApply(context.Context, string, map[string]any) error {
	var causes []metav1.StatusCause
	for field, manager := range c.managers {
		causes = append(causes, metav1.StatusCause{
			Type: metav1.CauseTypeFieldManagerConflict, Field: field, Message: `conflict with "` + manager + `" with subresource "scale" using v1beta1`,
		})
	}
	return apierrors.NewApplyConflict(causes, "conflicts")
}

func TestAHeldFieldHasItsManagerAndBothValues(t *testing.T) {
	t.Parallel()
	object := func(spec map[string]any) map[string]any {
		return map[string]any{
			"kind":     "NodePool",
			"metadata": map[string]any{"name": "a", "namespace": "clusters"},
			"spec":     spec,
		}
	}
	live := object(map[string]any{
		"replicas":   5,
		"arch":       "amd64",
		"nodeLabels": map[string]any{"a.b/c": "x", "d": "y"},
		"taints":     []any{1},
		"key":        map[string]any{"name": ""},
	})
	api := conflicting{fixedCluster{"NodePool a": live}, map[string]string{
		".spec.replicas": "kubectl", ".spec.nodeLabels.a.b/c": "kubectl-label", ".spec.taints[0]": "operator",
		".spec.key": "other", ".spec.arch": "pulumi-kubernetes",
	}}
	file := object(map[string]any{
		"replicas":   3,
		"arch":       "arm64",
		"nodeLabels": map[string]any{"a.b/c": "z"},
		"taints":     []any{2},
		"key":        map[string]any{},
	})
	held, err := FindConflicts(t.Context(), api, []Applied{{Object: file, Key: func(path string) string {
		return "key of " + path
	}}})
	require.NoError(t, err)
	var got [][]any
	for _, f := range held {
		got = append(got, []any{f.Key, f.Manager, f.Same})
	}
	require.Equal(t, [][]any{
		{"key of spec.key", "other", true}, // the same value in another form
		{"key of spec.nodeLabels", "kubectl-label", false},
		{"key of spec.replicas", "kubectl", false},
		{"key of spec.taints", "operator", false},
	}, got, "the field of the creation is the stack's own")
	require.Equal(t, "key of spec.replicas is held by kubectl: 5; file: 3", held[2].String())
}

func TestWhatAnUpdateHasLeftToKubectlStaysHeld(t *testing.T) {
	t.Parallel()
	spec := func(replicas int) map[string]any {
		return map[string]any{
			"kind":     "NodePool",
			"metadata": map[string]any{"name": "a"},
			"spec":     map[string]any{"replicas": replicas},
		}
	}
	for name, c := range map[string]struct {
		inputs, sent, live int
		held               bool
	}{
		"left to it":            {3, 5, 5, true},
		"as the stack sent it":  {3, 3, 3, false},
		"accepted by a refresh": {5, 5, 5, false},
		"changed since":         {3, 5, 6, false}, // the API server then reports a conflict
	} {
		held, err := FindConflicts(t.Context(), fixedCluster{"NodePool a": spec(c.live)}, []Applied{{
			Object: spec(3), Inputs: spec(c.inputs), Sent: spec(c.sent), Key: func(path string) string { return path },
		}})
		require.NoError(t, err)
		require.Equal(t, c.held, len(held) == 1, name)
	}
}

func TestFieldsOfEncryptionAndTagsAreTreatedByThemselves(t *testing.T) {
	t.Parallel()
	require.True(t, FieldConflict{Path: []string{"spec", "secretEncryption", "type"}}.Encrypts())
	require.True(t, FieldConflict{Path: []string{"spec", "etcd"}}.Encrypts())
	require.False(t, FieldConflict{Path: []string{"spec", "replicas"}}.Encrypts())
	tags := FieldConflict{
		Kind:    "HostedCluster",
		Manager: hypershiftManager,
		Path:    []string{"spec", "platform", "aws", "resourceTags"},
	}
	require.True(t, tags.Automatic())
	tags.Manager = "kubectl-edit"
	require.False(t, tags.Automatic())
}

// oneNamespaceOnly is a cluster whose user may list the objects of one namespace.
type oneNamespaceOnly struct{ conflicting }

func (c oneNamespaceOnly) List(ctx context.Context, kind, namespace string) ([]map[string]any, error) {
	if namespace != "clusters" {
		return nil, apierrors.NewForbidden(schema.GroupResource{Resource: kind}, "", errors.New("at the cluster scope"))
	}
	return c.conflicting.List(ctx, kind, namespace)
}

func TestHeldFieldsAreFoundWithTheRightsOfOneNamespace(t *testing.T) {
	t.Parallel()
	object := func(namespace string, replicas int) map[string]any {
		return map[string]any{
			"kind": "NodePool", "metadata": map[string]any{"name": "a", "namespace": namespace},
			"spec": map[string]any{"replicas": replicas},
		}
	}
	api := oneNamespaceOnly{conflicting{
		fixedCluster{"NodePool a": object("clusters", 5)}, map[string]string{".spec.replicas": "kubectl-edit"},
	}}
	key := func(path string) string { return path }
	held, err := FindConflicts(t.Context(), api, []Applied{{Object: object("clusters", 2), Key: key}})
	require.NoError(t, err)
	require.Len(t, held, 1)
	require.Equal(t, "spec.replicas is held by kubectl-edit: 5; file: 2", held[0].String())
	_, err = FindConflicts(t.Context(), api, []Applied{{Object: object("others", 2), Key: key}})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
}

// refusing is a cluster whose dry runs have one answer.
type refusing struct {
	fixedCluster
	answer error
}

func (c refusing) DryApply(context.Context, string, map[string]any) error { return c.answer }

// TestFieldsOfOthersAreNotTakenForNoneIfTheDryRunWasNotAnswered: the update would take kubectl's fields over.
func TestFieldsOfOthersAreNotTakenForNoneIfTheDryRunWasNotAnswered(t *testing.T) {
	t.Parallel()
	pools := schema.GroupResource{Group: "hypershift.openshift.io", Resource: "nodepools"}
	pool := map[string]any{
		"kind": "NodePool", "metadata": map[string]any{"name": "a", "namespace": "clusters"},
		"spec": map[string]any{"replicas": int64(2)},
	}
	for name, c := range map[string]struct {
		answer   error
		answered bool
	}{
		"no connection":               {errors.New("connection reset by peer"), false},
		"no time":                     {context.DeadlineExceeded, false},
		"too busy":                    {apierrors.NewTooManyRequests("later", 1), false},
		"a server that is starting":   {apierrors.NewServiceUnavailable("later"), false},
		"etcd that is slow":           {apierrors.NewInternalError(errors.New("etcdserver: request timed out")), false},
		"a webhook that is away":      {apierrors.NewInternalError(errors.New(`failed calling webhook "a.example.com"`)), true},
		"a webhook with side effects": {apierrors.NewBadRequest(`admission webhook "a" does not support dry run`), true},
		"a policy":                    {apierrors.NewForbidden(pools, "a", errors.New("denied request")), true},
		"a value":                     {apierrors.NewInvalid(schema.GroupKind{Kind: "NodePool"}, "a", nil), true},
		"accepted":                    {nil, true},
	} {
		api := refusing{fixedCluster{"NodePool a": pool}, c.answer}
		held, err := FindConflicts(t.Context(), api, []Applied{{Object: pool, Key: func(path string) string { return path }}})
		require.Empty(t, held, name)
		if c.answered {
			require.NoError(t, err, name)
		} else {
			require.ErrorIs(t, err, c.answer, name)
		}
	}
}
