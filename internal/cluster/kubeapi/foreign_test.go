package kubeapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// pool returns a NodePool whose fields have these managers, in Kubernetes' notation of fields.
func pool(entries ...map[string]any) *unstructured.Unstructured {
	list := make([]any, len(entries))
	for i, entry := range entries {
		entry["apiVersion"], entry["fieldsType"] = "hypershift.openshift.io/v1beta1", "FieldsV1"
		list[i] = entry
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
		"metadata": map[string]any{"name": "a", "managedFields": list},
	}}
}

func managed(manager, operation string, fields map[string]any) map[string]any {
	return map[string]any{"manager": manager, "operation": operation, "fieldsV1": fields}
}

func TestWhatKubectlHasSetAndTheStackHasNotGetsAManagerOfItsOwn(t *testing.T) {
	t.Parallel()
	none := map[string]any{}
	edited := managed("kubectl-edit", "Update", map[string]any{
		"f:metadata": map[string]any{"f:labels": map[string]any{".": none, "f:example.com/team": none}},
		"f:spec": map[string]any{
			"f:pausedUntil": none, "f:replicas": none, "f:arch": none,
			"f:conditions": map[string]any{`k:{"type":"a"}`: map[string]any{".": none, "f:x": none}, `k:{"type":"b"}`: map[string]any{".": none}},
			"f:names":      map[string]any{`v:"mine"`: none, `v:"theirs"`: none},
		},
	})
	object := pool(edited, managed("hypershift-aws", "Apply", map[string]any{"f:spec": map[string]any{"f:own": none}}),
		managed("operator", "Update", map[string]any{"f:spec": map[string]any{"f:operated": none}}))
	applied := map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"own": "x"}},
		"spec": map[string]any{
			"replicas":   3,
			"conditions": []any{map[string]any{"type": "a", "x": 1}},
			"names":      []any{"mine"},
		},
	}
	former := map[string]any{"spec": map[string]any{"arch": "arm64"}}
	_, left, err := LeaveFields(object, applied, former)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		"metadata.labels.example.com/team", "spec.pausedUntil", `spec.conditions[type="b"]`, `spec.names[="theirs"]`,
	}, left)
	managers := map[string]string{}
	for _, entry := range object.GetManagedFields() {
		managers[entry.Manager] = entry.FieldsV1.GetRawString()
	}
	require.JSONEq(t, `{"f:metadata":{"f:labels":{"f:example.com/team":{}}},`+
		`"f:spec":{"f:pausedUntil":{},"f:conditions":{"k:{\"type\":\"b\"}":{}},"f:names":{"v:\"theirs\"":{}}}}`, managers[Others])
	require.JSONEq(t, `{"f:metadata":{"f:labels":{}},"f:spec":{"f:replicas":{},"f:arch":{},`+
		`"f:conditions":{"k:{\"type\":\"a\"}":{".":{},"f:x":{}}},"f:names":{"v:\"mine\"":{}}}}`, managers["kubectl-edit"],
		"what the file sets or has set stays the stack's to change")
	require.JSONEq(t, `{"f:spec":{"f:own":{}}}`, managers["hypershift-aws"])
	require.JSONEq(t, `{"f:spec":{"f:operated":{}}}`, managers["operator"])

	_, left, err = LeaveFields(object, applied, former)
	require.NoError(t, err)
	require.Empty(t, left, "there is nothing more to do")
}

func TestFieldsThatPulumiTakesOverFromNobodyElseAreLeftAlone(t *testing.T) {
	t.Parallel()
	field := func() map[string]any { return map[string]any{"f:spec": map[string]any{"f:arch": map[string]any{}}} }
	for _, manager := range []string{"pulumi-kubernetes", "operator", "argocd-controller"} {
		_, left, err := LeaveFields(pool(managed(manager, "Update", field())), nil, nil)
		require.NoError(t, err)
		require.Empty(t, left, manager)
	}
	scaled := managed("kubectl", "Update", field())
	scaled["subresource"] = "scale"
	_, left, err := LeaveFields(pool(scaled), nil, nil)
	require.NoError(t, err)
	require.Empty(t, left, "a subresource")
	_, left, err = LeaveFields(pool(managed("kubectl-edit", "Update", field())), map[string]any{
		"spec": "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
	}, nil)
	require.NoError(t, err)
	require.Empty(t, left, "a value that is not known yet")
}

func TestTheContentOfASecretIsTheStacks(t *testing.T) {
	t.Parallel()
	object := pool(managed("kubectl-edit", "Update", map[string]any{
		"f:data":     map[string]any{"f:key": map[string]any{}},
		"f:metadata": map[string]any{"f:labels": map[string]any{"f:team": map[string]any{}}},
	}))
	object.SetKind("Secret")
	_, left, err := LeaveFields(object, nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"metadata.labels.team"}, left)
}

// HyperShift's CLI creates objects and never changes them again: what it has set is the stack's once they are adopted.
func TestWhatTheMakerOfAnAdoptedObjectHasSetIsTheStacks(t *testing.T) {
	t.Parallel()
	object := pool(managed("hypershift", "Update", map[string]any{
		"f:spec": map[string]any{"f:replicas": map[string]any{}, "f:taints": map[string]any{}},
	}))
	changed, left, err := LeaveFields(object, map[string]any{"spec": map[string]any{"replicas": 3}}, nil)
	require.NoError(t, err)
	require.False(t, changed)
	require.Empty(t, left)
	changed, left, err = LeaveFields(object, map[string]any{"spec": map[string]any{"replicas": 3}}, nil, "hypershift")
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, []string{"spec.taints"}, left)
	managers := map[string]string{}
	for _, entry := range object.GetManagedFields() {
		managers[entry.Manager] = entry.FieldsV1.GetRawString()
	}
	require.Equal(t, map[string]string{Others: `{"f:spec":{"f:taints":{}}}`, Creator: `{"f:spec":{"f:replicas":{}}}`}, managers)
}
