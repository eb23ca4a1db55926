package offline

import (
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
)

// put sets a value within an object; nil takes it away.
func put(object props, value any, path ...string) props {
	at := object
	for _, key := range path[:len(path)-1] {
		if !at.has(key) {
			at[key] = map[string]any{}
		}
		at = at.object(key)
	}
	if value == nil {
		delete(at, path[len(path)-1])
	} else {
		at[path[len(path)-1]] = value
	}
	return object
}

// changing applies a change to what is there and was applied as olds, as the engine does.
func (h *hosted) changing(token string, olds, inputs props, preview bool) (props, error) {
	h.t.Helper()
	given, err := h.kubernetes.valid(token, inputs).marshal()
	require.NoError(h.t, err)
	id := objectKinds()[token].id(inputs)
	_, state, before := h.kubernetes.read(token, id, olds)
	kept, err := state.marshal()
	require.NoError(h.t, err)
	was, err := before.marshal()
	require.NoError(h.t, err)
	updated, err := h.kubernetes.client.Update(h.t.Context(), &pulumirpc.UpdateRequest{Type: token, Name: "it", Id: id, Olds: kept,
		OldInputs: was, News: given, Preview: preview})
	if err != nil {
		return nil, err
	}
	return unmarshal(updated.GetProperties())
}

func TestADefinitionRefusesInThePreviewToo(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	for _, preview := range []bool{true, false} {
		_, _, err := h.kubernetes.try(hostedClusterToken, put(h.hostedCluster("Public"), "Sometimes", "spec", "controllerAvailabilityPolicy"), preview)
		require.ErrorContains(t, err, `resource "clusters/demo" was not successfully created by the Kubernetes API server: `+
			`HostedCluster.hypershift.openshift.io "demo" is invalid: spec.controllerAvailabilityPolicy: Unsupported value: "Sometimes"`)
		_, _, err = h.kubernetes.try(hostedClusterToken, put(h.hostedCluster("Public"), "-x", "spec", "infraID"), preview)
		require.ErrorContains(t, err, "infraID must consist of lowercase alphanumeric")
	}
	require.Nil(t, h.object("HostedCluster", "demo"), "a preview makes nothing")
}

func TestAPreviewBeforeTheNamespaceIsThereIsNoFault(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := put(h.hostedCluster("Public"), "later", "metadata", "namespace")
	_, _, err := h.kubernetes.try(hostedClusterToken, inputs, true)
	require.NoError(t, err)
	_, _, err = h.kubernetes.try(hostedClusterToken, inputs, false)
	require.ErrorContains(t, err, `namespaces "later" not found`)
}

func TestWhatNeverChangesIsRefusedInThePreviewAndNeverReplaces(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.hostedCluster("Public")
	_, made := h.kubernetes.create(hostedClusterToken, inputs)
	changed := put(h.hostedCluster("Public"), "other", "spec", "infraID")
	diff := h.kubernetes.diff(hostedClusterToken, inputs, changed)
	require.Equal(t, pulumirpc.DiffResponse_DIFF_SOME, diff.GetChanges())
	require.Empty(t, diff.GetReplaces())
	for _, preview := range []bool{true, false} {
		_, err := h.changing(hostedClusterToken, inputs, changed, preview)
		require.ErrorContains(t, err, "infraID is immutable")
	}
	require.Equal(t, made.object("spec")["infraID"], h.object("HostedCluster", "demo").object("spec")["infraID"])
	renamed := put(h.hostedCluster("Public"), "else", "metadata", "name")
	require.Equal(t, []string{"metadata"}, h.kubernetes.diff(hostedClusterToken, inputs, renamed).GetReplaces())
}

func TestWhatSomebodyElseManagesIsAConflictUntilItIsForced(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.nodePool(1)
	h.kubernetes.id(nodePoolToken, inputs)
	_, err := h.changing(nodePoolToken, h.nodePool(1), h.nodePool(2), false)
	require.NoError(t, err, "what the creation set is the resource's own")

	require.NoError(t, h.cluster.Edit("NodePool", "clusters", "demo-us-east-1a", "cluster-autoscaler", func(object map[string]any) {
		props(object).object("spec")["replicas"] = 5.0
		props(object).object("spec")["pausedUntil"] = "true"
	}))
	for _, preview := range []bool{true, false} {
		_, err = h.changing(nodePoolToken, h.nodePool(1), h.nodePool(3), preview)
		require.ErrorContains(t, err, "server-side apply field conflict detected")
		require.ErrorContains(t, err, `Apply failed with 1 conflict: conflict with "cluster-autoscaler" using hypershift.openshift.io/v1beta1`)
		require.ErrorContains(t, err, ".spec.replicas")
	}
	require.Equal(t, 5.0, h.object("NodePool", "demo-us-east-1a").object("spec").number("replicas"))

	forced := put(h.nodePool(3), "true", "metadata", "annotations", "pulumi.com/patchForce")
	out, err := h.changing(nodePoolToken, h.nodePool(1), forced, false)
	require.NoError(t, err)
	require.Equal(t, 3.0, out.object("spec").number("replicas"))
	require.Equal(t, "true", out.object("spec").text("pausedUntil"), "what is not applied stays as it is")
	require.Equal(t, 4.0, out.object("metadata").number("generation"))
}

func TestAFieldThatIsNoLongerAppliedGoes(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.kubernetes.id(nodePoolToken, put(h.nodePool(1), "10m", "spec", "nodeDrainTimeout"))
	_, err := h.changing(nodePoolToken, h.nodePool(1), h.nodePool(1), false)
	require.NoError(t, err)
	require.NotContains(t, h.object("NodePool", "demo-us-east-1a").object("spec"), "nodeDrainTimeout")
}

func TestDriftShowsInARefreshAndDefaultsDoNot(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.kubernetes.valid(nodePoolToken, put(h.nodePool(1), nil, "spec", "arch"))
	id := h.kubernetes.id(nodePoolToken, inputs)
	require.Equal(t, "amd64", h.object("NodePool", "demo-us-east-1a").object("spec").text("arch"), "the definition's default")
	_, _, found := h.kubernetes.read(nodePoolToken, id, inputs)
	require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, h.kubernetes.diff(nodePoolToken, found, inputs).GetChanges())

	require.NoError(t, h.cluster.Edit("NodePool", "clusters", "demo-us-east-1a", "kubectl-edit", func(object map[string]any) {
		props(object).object("spec")["replicas"] = 4.0
	}))
	_, _, found = h.kubernetes.read(nodePoolToken, id, inputs)
	require.Contains(t, h.kubernetes.diff(nodePoolToken, found, inputs).GetDetailedDiff(), "spec.replicas")

	_, _, imported := h.kubernetes.read(nodePoolToken, id, nil)
	require.ElementsMatch(t, []string{"apiVersion", "kind", "metadata", "spec"}, imported.keys())
	require.ElementsMatch(t, []string{"name", "namespace"}, imported.object("metadata").keys())
}

func TestACreationCanWaitForACondition(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	waiting := func(expression string) props {
		return put(h.hostedCluster("Public"), expression, "metadata", "annotations", "pulumi.com/waitFor")
	}
	_, out := h.kubernetes.create(hostedClusterToken, waiting(`["condition=Available", "jsonpath={.status.kubeconfig.name}=demo-admin-kubeconfig"]`))
	require.True(t, conditionsOf(out).is("Available"))
	require.NoError(t, h.gone(hostedClusterToken, waiting("condition=Available")))

	_, _, err := h.kubernetes.try(hostedClusterToken, waiting("condition=Paused"), false)
	require.ErrorContains(t, err, "was successfully created, but the Kubernetes API server reported that it failed to fully initialize "+
		"or become live: timed out waiting for the condition")
	require.NotNil(t, h.object("HostedCluster", "demo"))
}

func TestANamespaceGoesWhenWhatIsInItHasGone(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.kubernetes.id(hostedClusterToken, h.hostedCluster("Public"))
	require.NoError(t, h.cluster.SetOperators(Operators{Killed: true}))
	namespace := props{"metadata": map[string]any{"name": "clusters"}}
	require.ErrorContains(t, h.gone(namespaceToken, namespace), "timed out waiting for the condition")
	_, _, err := h.kubernetes.try(configMapToken, inNamespace("clusters", "late", nil), false)
	require.ErrorContains(t, err, `configmaps "late" is forbidden: unable to create new content in namespace clusters because it is being terminated`)
	require.NoError(t, h.cluster.SetOperators(Operators{}))
	require.NoError(t, h.gone(namespaceToken, namespace))
	require.Empty(t, h.cluster.Objects())
	require.Empty(t, h.made())
}

func TestACancelledEngineIsNotKeptWaiting(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.kubernetes.id(hostedClusterToken, h.hostedCluster("Public"))
	require.NoError(t, h.cluster.SetOperators(Operators{Killed: true, Scale: 1}))
	_, err := h.kubernetes.client.Cancel(t.Context(), nil)
	require.NoError(t, err)
	require.ErrorContains(t, h.gone(hostedClusterToken, h.hostedCluster("Public")), "context canceled")
}

func TestANewManagerForcesItsWayAndTheFormerOneLetsGo(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	as := func(manager string) props {
		return put(h.nodePool(1), manager, "metadata", "annotations", "pulumi.com/patchFieldManager")
	}
	first, second := put(as("one"), "10m", "spec", "nodeDrainTimeout"), as("two")
	h.kubernetes.id(nodePoolToken, first)
	_, err := h.changing(nodePoolToken, first, first, false)
	require.NoError(t, err)
	_, err = h.changing(nodePoolToken, first, second, false)
	require.ErrorContains(t, err, `conflict with "one": .metadata.annotations.pulumi.com/patchFieldManager`)
	out, err := h.changing(nodePoolToken, first, put(second, "true", "metadata", "annotations", "pulumi.com/patchForce"), false)
	require.NoError(t, err)
	require.Equal(t, "two", out[managerKey])
	require.NotContains(t, out.object("spec"), "nodeDrainTimeout")
}
