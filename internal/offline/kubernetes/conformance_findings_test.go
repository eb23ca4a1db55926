package kubernetes

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

// Before an update a management cluster is read and tried. Each subtest does that with a real API server: a row of
// test/ledgers/conformance.md.
func TestARealAPIServersAnswersAreUnderstood(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: what is asked before an update, of a real API server, which make conformance builds and starts")
	}
	server := startAPIServer(t, *apiserver.Folder)
	require.Eventually(t, func() bool {
		return server.get(ObjectKinds()[NamespaceToken], "", "kube-system").Code == http.StatusOK
	},
		time.Minute, 100*time.Millisecond)
	older := crdFile(t, "../../../internal/value/hypershift/crd/hostedclusters.json")
	for _, version := range older.Object("spec").Objects("versions") {
		delete(version.Object("schema").Object("openAPIV3Schema").Object("properties").Object("spec").Object("properties"),
			"additionalTrustBundle")
	}
	server.define(older)
	server.install("../../../internal/value/hypershift/crd/nodepools.json")
	path, err := server.Kubeconfig()
	require.NoError(t, err)
	api, err := kubeapi.Open(path, "admin")
	require.NoError(t, err)
	reader, err := kubeapi.Open(path, "stranger")
	require.NoError(t, err)

	kinds := ObjectKinds()
	clusters, pools, secrets := kinds[HostedClusterToken], kinds[NodePoolToken], kinds["kubernetes:core/v1:Secret"]
	require.Equal(t, http.StatusCreated, server.create(kinds[NamespaceToken],
		named("v1", "Namespace", "", "clusters", nil)).Code)
	cluster, pool := scriptCluster(), scriptPool()
	hosted := &clusterstatus.HostedCluster{Name: "demo", Namespace: "clusters"}
	heldOf := func(t *testing.T, object props.Map) []string {
		t.Helper()
		held, err := clusterstatus.FindConflicts(t.Context(), api, []clusterstatus.Applied{{Object: object,
			Key: func(path string) string {
				return path
			}}})
		require.NoError(t, err)
		var texts []string
		for _, f := range held {
			if !f.Same {
				texts = append(texts, f.String())
			}
		}
		return texts
	}
	ok := func(t *testing.T, a answer) {
		t.Helper()
		require.Contains(t, []int{http.StatusOK, http.StatusCreated}, a.Code, a.Message)
	}

	t.Run("objects that exist are found, and others are not", func(t *testing.T) { // K7
		object, err := api.Get(t.Context(), "Namespace", "", "clusters")
		require.NoError(t, err)
		require.NotNil(t, object)
		object, err = api.Get(t.Context(), "HostedCluster", "clusters", "demo")
		require.NoError(t, err)
		require.Nil(t, object)
	})
	t.Run("a HostedCluster of another tool has no held field, and its infra ID finds it", func(t *testing.T) { // K14b
		applied := server.ask(http.MethodPost,
			server.path(clusters, "clusters", "")+"?fieldManager=kubectl-client-side-apply", "application/json", cluster.Clone())
		ok(t, applied)
		require.Empty(t, heldOf(t, cluster))
		uid, err := clusterstatus.LivingObject(t.Context(), api, "HostedCluster", "demo-x1", "", clusterstatus.ObjectKey{})
		require.NoError(t, err)
		require.NotEmpty(t, uid)
		ok(t, server.apply(clusters, cluster.Clone(), ours, false))
	})
	t.Run("a field that HyperShift of an earlier version lacks", func(t *testing.T) { // K10
		answered, err := clusterstatus.ReadServer(t.Context(), api, "")
		require.NoError(t, err)
		require.NoError(t, answered.CheckFields(cluster, nil))
		newer := within(cluster, map[string]any{"name": "ca"}, "spec", "additionalTrustBundle")
		err = answered.CheckFields(newer, func(path string) string { return "the key of " + path })
		require.ErrorContains(t, err, "the key of spec.additionalTrustBundle")
		require.Equal(t, http.StatusInternalServerError, server.apply(clusters, newer, ours, false).Code,
			"the API server refuses it too")
	})
	t.Run("tags that the operator manages are taken over, once", func(t *testing.T) { // K3
		ok(t, server.edit(clusters, "clusters", "demo", theirs, func(object map[string]any) {
			aws := props.Map(object).Object("spec").Object("platform").Object("aws")
			aws["resourceTags"] = append(aws["resourceTags"].([]any), tag("kubernetes.io/cluster/demo-x1", "owned"))
		}))
		require.NotEmpty(t, heldOf(t, cluster))
		for _, want := range []bool{true, false} {
			taken, err := clusterstatus.TakeOverTags(t.Context(), api, hosted)
			require.NoError(t, err)
			require.Equal(t, want, taken)
		}
		ok(t, server.apply(clusters, cluster.Clone(), ours, false))
	})
	t.Run("a default that the operator manages is named with both values", func(t *testing.T) { // K11
		ok(t, server.edit(clusters, "clusters", "demo", theirs, func(object map[string]any) {
			props.Map(object).Object("spec")["autoscaling"] = map[string]any{}
		}))
		require.Equal(t, []string{`spec.autoscaling.scaling is held by ` + theirs + `: "ScaleUpAndScaleDown"; file: "ScaleUpOnly"`},
			heldOf(t, within(cluster, "ScaleUpOnly", "spec", "autoscaling", "scaling")))
	})
	t.Run("replicas of kubectl scale and of kubectl edit are named, and taken back", func(t *testing.T) { // K12
		ok(t, server.create(pools, pool.Clone()))
		ok(t, server.apply(pools, pool.Clone(), ours, false))
		wanted := within(pool, 3.0, "spec", "replicas")
		require.Empty(t, heldOf(t, wanted))
		ok(t, server.scale(pools, "clusters", "demo-us-east-1a", 5))
		require.Equal(t, []string{"spec.replicas is held by kubectl: 5; file: 3"}, heldOf(t, wanted))
		require.NoError(t, api.OverwriteField(t.Context(), "NodePool", "clusters", "demo-us-east-1a", 3, "spec", "replicas"))
		require.Empty(t, heldOf(t, wanted))
		ok(t, server.apply(pools, wanted, ours, false))
		ok(t, server.edit(pools, "clusters", "demo-us-east-1a", "kubectl-edit", func(object map[string]any) {
			props.Map(object).Object("spec")["replicas"] = 7.0
		}))
		require.Equal(t, []string{"spec.replicas is held by kubectl-edit: 7; file: 3"}, heldOf(t, wanted))
	})
	t.Run("the size of a fresh node pool is held by nobody else", func(t *testing.T) { // K5
		fresh := within(pool, "fresh", "metadata", "name")
		ok(t, server.create(pools, fresh.Clone()))
		scaling := within(within(fresh, nil, "spec", "replicas"), map[string]any{"min": 1.0, "max": 3.0}, "spec",
			"autoScaling")
		require.Empty(t, heldOf(t, scaling))
		require.Equal(t, []string{"fresh"}, clusterstatus.Resizing([]clusterstatus.Applied{{Object: scaling, Inputs: fresh}}))
		ok(t, server.apply(pools, scaling, ours, false))
	})
	t.Run("a Secret that is applied without its type stays", func(t *testing.T) { // K14a
		secret := named("v1", "Secret", "clusters", "demo-pull-secret", props.Map{
			"type": "Opaque",
			"data": map[string]any{".dockerconfigjson": "e30="},
		})
		before := server.create(secrets, secret)
		ok(t, before)
		after := server.apply(secrets, within(secret, nil, "type"), ours, false)
		ok(t, after)
		require.Equal(t, "Opaque", props.Map(after.Object).String("type"))
		require.Equal(t, props.Map(before.Object).Object("metadata").String("uid"),
			props.Map(after.Object).Object("metadata").String("uid"))
	})
	t.Run("a user who may only read is refused with what is missing", func(t *testing.T) { // K19
		const rbac = "/apis/rbac.authorization.k8s.io/v1/"
		ok(t, server.ask(http.MethodPost, rbac+"clusterroles", "application/json",
			map[string]any{"metadata": map[string]any{"name": "reader"},
				"rules": []any{map[string]any{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"get", "list"}}}}))
		ok(t, server.ask(http.MethodPost, rbac+"clusterrolebindings", "application/json",
			map[string]any{"metadata": map[string]any{"name": "reader"},
				"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader"},
				"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "stranger"}}}))
		needed := []clusterstatus.Permission{{
			Verb:      "create",
			Kind:      "HostedCluster",
			Namespace: "clusters",
		}, {Verb: "patch", Kind: "Namespace"}}
		require.NoError(t, clusterstatus.CheckAccess(t.Context(), api, "kubeconfig", needed))
		require.Eventually(t, func() bool { // the authorizer learns of the role a little later
			may, err := reader.Allowed(t.Context(), clusterstatus.Permission{
				Verb:      "get",
				Kind:      "HostedCluster",
				Namespace: "clusters",
			})
			return err == nil && may
		}, time.Minute, 100*time.Millisecond)
		err := clusterstatus.CheckAccess(t.Context(), reader, "kubeconfig", needed)
		require.ErrorContains(t, err, "may not create objects of kind HostedCluster in namespace clusters, patch objects of kind Namespace")
		require.Equal(t, failure.Refused, failure.ReasonOf(err))
	})
	t.Run("a HostedCluster that is being deleted is not changed", func(t *testing.T) {
		require.NoError(t, clusterstatus.CheckNotDeleted(t.Context(), api, hosted, "dev"))
		ok(t, server.edit(clusters, "clusters", "demo", theirs, func(object map[string]any) {
			metadata := props.Map(object).Object("metadata")
			finalizers, _ := metadata["finalizers"].([]any)
			metadata["finalizers"] = slices.Concat(finalizers, []any{"hypershift.openshift.io/finalizer"})
		}))
		ok(t, server.remove(clusters, "clusters", "demo"))
		require.ErrorContains(t, clusterstatus.CheckNotDeleted(t.Context(), api, hosted, "dev"), "has been in deletion since")
	})
}
