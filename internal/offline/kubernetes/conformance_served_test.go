package kubernetes

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

// A HostedCluster is not absent from an API server that has just started, or that serves another version of its kind.
func TestARealAPIServerHasWhatItDoesNotServe(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: kinds that a real API server does not serve, which make conformance builds and starts")
	}
	server := startAPIServer(t, *apiserver.Folder)
	definition := crdFile(t, "../../../internal/value/hypershift/crd/hostedclusters.json")
	versions := definition.Object("spec").Objects("versions")
	require.Len(t, versions, 1)
	anything := map[string]any{
		"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	}
	versions[0]["schema"] = anything
	definition.Object("spec")["versions"] = []any{map[string]any(versions[0])}
	server.define(definition)
	namespace := server.create(ObjectKinds()[NamespaceToken], named("v1", "Namespace", "", "clusters", nil))
	require.Equal(t, http.StatusCreated, namespace.Code, namespace.Message)
	const path = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters"
	require.Eventually(t, func() bool {
		return server.ask(http.MethodPost, path, "application/json",
			named("hypershift.openshift.io/v1beta1", crd.HostedCluster, "clusters", "demo", nil)).Code == http.StatusCreated
	}, time.Minute, 100*time.Millisecond)
	kubeconfig, err := server.Kubeconfig()
	require.NoError(t, err)
	api, err := kubeapi.Open(kubeconfig, "admin")
	require.NoError(t, err)
	object, err := api.Get(t.Context(), crd.HostedCluster, "clusters", "other")
	require.NoError(t, err)
	require.Nil(t, object)

	restarted := make(chan bool)
	go func() {
		defer close(restarted)
		server.Restart(t)
	}()
	for reads := 0; reads < 20; { // whenever it answers, it has the object
		select {
		case <-restarted:
			reads++
		default:
		}
		object, err := api.Get(t.Context(), crd.HostedCluster, "clusters", "demo")
		require.True(t, object != nil || err != nil, "it has started, and does not serve the kind yet")
	}

	newer := props.Map{"name": "v1", "served": true, "storage": true, "schema": anything}
	versions[0]["served"], versions[0]["storage"] = false, false
	changed := server.ask(http.MethodPatch, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hostedclusters.hypershift.openshift.io",
		"application/merge-patch+json", map[string]any{"spec": map[string]any{
			"versions": []any{map[string]any(newer), map[string]any(versions[0])},
		}})
	require.Equal(t, http.StatusOK, changed.Code, changed.Message)
	refused := 0
	for refused < 50 {
		object, err := api.Get(t.Context(), crd.HostedCluster, "clusters", "demo")
		require.True(t, object != nil || err != nil, "the object is there in another version")
		if err != nil {
			refused++
		}
	}
	_, err = api.List(t.Context(), crd.HostedCluster, "")
	require.ErrorContains(t, err, "the server has hostedclusters.hypershift.openshift.io in hypershift.openshift.io/v1, and not in")

	deleted := server.ask(http.MethodDelete,
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hostedclusters.hypershift.openshift.io", "", nil)
	require.Equal(t, http.StatusOK, deleted.Code, deleted.Message)
	require.Eventually(t, func() bool {
		object, err := api.Get(t.Context(), crd.HostedCluster, "clusters", "demo")
		return object == nil && err == nil
	}, time.Minute, 100*time.Millisecond, "without its definition, no object is left")
}
