package offline

import (
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// put sets a value within an object; nil takes it away.
func put(object props.Map, value any, path ...string) props.Map {
	at := object
	for _, key := range path[:len(path)-1] {
		if !at.Has(key) {
			at[key] = map[string]any{}
		}
		at = at.Object(key)
	}
	if value == nil {
		delete(at, path[len(path)-1])
	} else {
		at[path[len(path)-1]] = value
	}
	return object
}

// changing applies a change to what is there and was applied as olds, as the engine does.
func (h *hosted) changing(token string, olds, inputs props.Map, preview bool) (props.Map, error) {
	h.t.Helper()
	given, err := props.Marshal(h.kubernetes.valid(token, inputs))
	require.NoError(h.t, err)
	id := kubernetes.ObjectKinds()[token].ID(inputs)
	_, state, before := h.kubernetes.read(token, id, olds)
	kept, err := props.Marshal(state)
	require.NoError(h.t, err)
	was, err := props.Marshal(before)
	require.NoError(h.t, err)
	updated, err := h.kubernetes.client.Update(h.t.Context(), &pulumirpc.UpdateRequest{Type: token, Name: "it", Id: id,
		Olds:      kept,
		OldInputs: was, News: given, Preview: preview})
	if err != nil {
		return nil, err
	}
	return props.Unmarshal(updated.GetProperties())
}

func TestADefinitionRefusesInThePreviewToo(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	for _, preview := range []bool{true, false} {
		_, _, err := h.kubernetes.try(kubernetes.HostedClusterToken,
			put(h.hostedCluster("Public"), "Sometimes", "spec", "controllerAvailabilityPolicy"), preview)
		require.ErrorContains(t, err, `resource "clusters/demo" was not successfully created by the Kubernetes API server: `+
			`HostedCluster.hypershift.openshift.io "demo" is invalid: [spec.controllerAvailabilityPolicy: Unsupported value: "Sometimes": `+
			`supported values: "HighlyAvailable", "SingleReplica", <nil>: Invalid value: null: some validation rules were not checked`)
		_, _, err = h.kubernetes.try(kubernetes.HostedClusterToken, put(h.hostedCluster("Public"), "-x", "spec", "infraID"),
			preview)
		require.ErrorContains(t, err, "infraID must consist of lowercase alphanumeric")
	}
	require.Nil(t, h.object("HostedCluster", "demo"), "a preview makes nothing")
}

func TestAPreviewSucceedsBeforeTheNamespaceExists(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := put(h.hostedCluster("Public"), "later", "metadata", "namespace")
	_, _, err := h.kubernetes.try(kubernetes.HostedClusterToken, inputs, true)
	require.NoError(t, err)
	_, _, err = h.kubernetes.try(kubernetes.HostedClusterToken, inputs, false)
	require.ErrorContains(t, err, `namespaces "later" not found`)
}

func TestAChangeOfAnImmutableFieldIsRefusedInThePreviewAndNeverReplaces(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.hostedCluster("Public")
	_, made := h.kubernetes.create(kubernetes.HostedClusterToken, inputs)
	changed := put(h.hostedCluster("Public"), "other", "spec", "infraID")
	diff := h.kubernetes.diff(kubernetes.HostedClusterToken, inputs, changed)
	require.Equal(t, pulumirpc.DiffResponse_DIFF_SOME, diff.GetChanges())
	require.Empty(t, diff.GetReplaces())
	for _, preview := range []bool{true, false} {
		_, err := h.changing(kubernetes.HostedClusterToken, inputs, changed, preview)
		require.ErrorContains(t, err, "infraID is immutable")
	}
	require.Equal(t, made.Object("spec")["infraID"], h.object("HostedCluster", "demo").Object("spec")["infraID"])
	renamed := put(h.hostedCluster("Public"), "else", "metadata", "name")
	require.Equal(t, []string{"metadata"}, h.kubernetes.diff(kubernetes.HostedClusterToken, inputs, renamed).GetReplaces())
}

func TestAFieldOfAnotherManagerIsAConflictUntilItIsForced(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.nodePool(1)
	h.kubernetes.id(kubernetes.NodePoolToken, inputs)
	_, err := h.changing(kubernetes.NodePoolToken, h.nodePool(1), h.nodePool(2), false)
	require.NoError(t, err, "what the creation set is the resource's own")

	require.NoError(t, h.cluster.Edit("NodePool", "clusters", "demo-us-east-1a", "cluster-autoscaler",
		func(object map[string]any) {
			props.Map(object).Object("spec")["replicas"] = 5.0
			props.Map(object).Object("spec")["pausedUntil"] = "true"
		}))
	for _, preview := range []bool{true, false} {
		_, err = h.changing(kubernetes.NodePoolToken, h.nodePool(1), h.nodePool(3), preview)
		require.ErrorContains(t, err, "server-side apply field conflict detected")
		require.ErrorContains(t, err, `Apply failed with 1 conflict: conflict with "cluster-autoscaler" using hypershift.openshift.io/v1beta1`)
		require.ErrorContains(t, err, ".spec.replicas")
	}
	require.Equal(t, 5.0, h.object("NodePool", "demo-us-east-1a").Object("spec").Number("replicas"))

	forced := put(h.nodePool(3), "true", "metadata", "annotations", "pulumi.com/patchForce")
	out, err := h.changing(kubernetes.NodePoolToken, h.nodePool(1), forced, false)
	require.NoError(t, err)
	require.Equal(t, 3.0, out.Object("spec").Number("replicas"))
	require.Equal(t, "true", out.Object("spec").String("pausedUntil"), "what is not applied stays as it is")
	require.Equal(t, 4.0, out.Object("metadata").Number("generation"))
}

func TestAFieldThatIsNoLongerAppliedIsRemoved(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.kubernetes.id(kubernetes.NodePoolToken, put(h.nodePool(1), "10m", "spec", "nodeDrainTimeout"))
	_, err := h.changing(kubernetes.NodePoolToken, h.nodePool(1), h.nodePool(1), false)
	require.NoError(t, err)
	require.NotContains(t, h.object("NodePool", "demo-us-east-1a").Object("spec"), "nodeDrainTimeout")
}

func TestDriftShowsInARefreshAndDefaultsDoNot(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.kubernetes.valid(kubernetes.NodePoolToken, put(h.nodePool(1), nil, "spec", "arch"))
	id := h.kubernetes.id(kubernetes.NodePoolToken, inputs)
	require.Equal(t, "amd64", h.object("NodePool", "demo-us-east-1a").Object("spec").String("arch"),
		"the definition's default")
	_, _, found := h.kubernetes.read(kubernetes.NodePoolToken, id, inputs)
	require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE,
		h.kubernetes.diff(kubernetes.NodePoolToken, found, inputs).GetChanges())

	require.NoError(t, h.cluster.Edit("NodePool", "clusters", "demo-us-east-1a", "kubectl-edit",
		func(object map[string]any) {
			props.Map(object).Object("spec")["replicas"] = 4.0
		}))
	_, _, found = h.kubernetes.read(kubernetes.NodePoolToken, id, inputs)
	require.Contains(t, h.kubernetes.diff(kubernetes.NodePoolToken, found, inputs).GetDetailedDiff(), "spec.replicas")

	_, _, imported := h.kubernetes.read(kubernetes.NodePoolToken, id, nil)
	require.ElementsMatch(t, []string{"apiVersion", "kind", "metadata", "spec"}, imported.Keys())
	require.ElementsMatch(t, []string{"name", "namespace"}, imported.Object("metadata").Keys())
}

func TestACreationCanWaitForACondition(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	waiting := func(expression string) props.Map {
		return put(h.hostedCluster("Public"), expression, "metadata", "annotations", "pulumi.com/waitFor")
	}
	_, out := h.kubernetes.create(kubernetes.HostedClusterToken, waiting(`["condition=Available", "jsonpath={.status.kubeconfig.name}=demo-admin-kubeconfig"]`))
	require.True(t, kubernetes.ConditionsOf(out).Is("Available"))
	require.NoError(t, h.gone(kubernetes.HostedClusterToken, waiting("condition=Available")))

	_, _, err := h.kubernetes.try(kubernetes.HostedClusterToken, waiting("condition=Paused"), false)
	require.ErrorContains(t, err, "was successfully created, but the Kubernetes API server reported that it failed to fully initialize "+
		"or become live: timed out waiting for the condition")
	require.NotNil(t, h.object("HostedCluster", "demo"))
}

func TestANamespaceIsDeletedAfterItsObjects(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.kubernetes.id(kubernetes.HostedClusterToken, h.hostedCluster("Public"))
	require.NoError(t, h.cluster.SetOperators(faults.Operators{Killed: true}))
	namespace := props.Map{"metadata": map[string]any{"name": "clusters"}}
	require.ErrorContains(t, h.gone(kubernetes.NamespaceToken, namespace), "timed out waiting for the condition")
	_, _, err := h.kubernetes.try(configMapToken, inNamespace("clusters", "late", nil), false)
	require.ErrorContains(t, err, `configmaps "late" is forbidden: unable to create new content in namespace clusters because it is being terminated`)
	require.NoError(t, h.cluster.SetOperators(faults.Operators{}))
	require.NoError(t, h.gone(kubernetes.NamespaceToken, namespace))
	require.Empty(t, objectsOf(t, h.cluster))
	require.Empty(t, h.made())
}

func TestACancelledEngineIsNotKeptWaiting(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.kubernetes.id(kubernetes.HostedClusterToken, h.hostedCluster("Public"))
	require.NoError(t, h.cluster.SetOperators(faults.Operators{Killed: true, Scale: 1}))
	_, err := h.kubernetes.client.Cancel(t.Context(), nil)
	require.NoError(t, err)
	require.ErrorContains(t, h.gone(kubernetes.HostedClusterToken, h.hostedCluster("Public")), "context canceled")
}

func TestANewManagerTakesTheFieldsByForceFromTheFormerOne(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	as := func(manager string) props.Map {
		return put(h.nodePool(1), manager, "metadata", "annotations", "pulumi.com/patchFieldManager")
	}
	first, second := put(as("one"), "10m", "spec", "nodeDrainTimeout"), as("two")
	h.kubernetes.id(kubernetes.NodePoolToken, first)
	_, err := h.changing(kubernetes.NodePoolToken, first, first, false)
	require.NoError(t, err)
	_, err = h.changing(kubernetes.NodePoolToken, first, second, false)
	require.ErrorContains(t, err, `conflict with "one": .metadata.annotations.pulumi.com/patchFieldManager`)
	out, err := h.changing(kubernetes.NodePoolToken, first,
		put(second, "true", "metadata", "annotations", "pulumi.com/patchForce"), false)
	require.NoError(t, err)
	require.Equal(t, "two", out[kubernetes.ManagerKey])
	require.NotContains(t, out.Object("spec"), "nodeDrainTimeout")
}

// What HyperShift's operators write is theirs: the list of tags that lacks the owner's, and a duration that is not as a
// Go type writes it. hypershift-operator/controllers: hostedcluster_controller.go (reconcileAWSResourceTags),
// nodepool_controller.go.
func TestOperatorsOwnTheFieldsOfASpecThatTheyWrite(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	tags := func(values ...string) []any {
		var list []any
		for i := 0; i < len(values); i += 2 {
			list = append(list, map[string]any{"key": values[i], "value": values[i+1]})
		}
		return list
	}
	with := func(list []any) props.Map {
		return put(h.hostedCluster("Public"), list, "spec", "platform", "aws", "resourceTags")
	}
	owner := []string{"kubernetes.io/cluster/demo-x1", "owned"}
	without := with(tags("team", "platform"))
	h.kubernetes.id(kubernetes.HostedClusterToken, without)
	is := h.object("HostedCluster", "demo")
	require.Equal(t, tags("team", "platform", owner[0], owner[1]),
		is.Object("spec").Object("platform").Object("aws")["resourceTags"])
	require.NotEmpty(t, is.Object("spec")["clusterID"])

	_, err := h.changing(kubernetes.HostedClusterToken, without, with(tags("team", "other")), true)
	require.NoError(t, err, "a preview is forced as long as nothing but the creation has been applied")
	_, err = h.changing(kubernetes.HostedClusterToken, without, with(tags("team", "other")), false)
	require.ErrorContains(t, err, `conflict with "hypershift-operator-manager" using hypershift.openshift.io/v1beta1`)
	require.ErrorContains(t, err, ".spec.platform.aws.resourceTags")

	complete := with(tags("team", "platform", owner[0], owner[1]))
	_, err = h.changing(kubernetes.HostedClusterToken, without, complete, false)
	require.NoError(t, err, "the list as the operator wrote it")

	pool := put(h.nodePool(1), "10m", "spec", "nodeDrainTimeout")
	h.kubernetes.id(kubernetes.NodePoolToken, pool)
	require.Equal(t, "10m0s", h.object("NodePool", "demo-us-east-1a").Object("spec")["nodeDrainTimeout"])
	_, err = h.changing(kubernetes.NodePoolToken, pool, put(h.nodePool(2), "10m", "spec", "nodeDrainTimeout"), false)
	require.ErrorContains(t, err, ".spec.nodeDrainTimeout")
	_, err = h.changing(kubernetes.NodePoolToken, pool, put(h.nodePool(2), "10m0s", "spec", "nodeDrainTimeout"), false)
	require.NoError(t, err)
}

func TestAListOfTagsWithTheOwnersStaysTheAppliers(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	with := func(team string) props.Map {
		return put(h.hostedCluster("Public"), []any{map[string]any{"key": "team", "value": team},
			map[string]any{"key": "kubernetes.io/cluster/demo-x1", "value": "owned"}}, "spec", "platform", "aws", "resourceTags")
	}
	h.kubernetes.id(kubernetes.HostedClusterToken, with("platform"))
	was := with("platform")
	for _, team := range []string{"one", "two"} {
		_, err := h.changing(kubernetes.HostedClusterToken, was, with(team), false)
		require.NoError(t, err, team)
		was = with(team)
	}
}
