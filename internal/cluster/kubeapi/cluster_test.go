package kubeapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
)

// serve returns an API that has one HostedCluster, and a kubeconfig with the context "management" for it.
func serve(t *testing.T) string {
	t.Helper()
	path, _ := serveAndHear(t)
	return path
}

// serveAndHear returns serve, with the patches that the API is sent.
func serveAndHear(t *testing.T) (string, <-chan string) {
	t.Helper()
	patched := make(chan string, 1)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Header.Get("Authorization") != "Bearer t0ken":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"you may not","code":403}`)
		case r.URL.Path == "/api/v1/namespaces/kube-system":
			fmt.Fprint(w, `{"kind":"Namespace","metadata":{"name":"kube-system","uid":"3f1c"}}`)
		case r.URL.Path == "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/acme":
			fmt.Fprint(w, `{"kind":"HostedCluster","metadata":{"name":"acme"}}`)
		case r.URL.Path == "/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/clusters/awsclusters/acme":
			fmt.Fprint(w, `{"kind":"AWSCluster","metadata":{"name":"acme"}}`)
		case r.URL.Path == "/apis/infrastructure.cluster.x-k8s.io/v1beta2/awsclusterroleidentities/acme":
			fmt.Fprint(w, `{"kind":"AWSClusterRoleIdentity","metadata":{"name":"acme"}}`)
		case r.URL.Path == "/apis/hypershift.openshift.io/v1beta1/hostedclusters":
			fmt.Fprint(w, `{"kind":"HostedClusterList","items":[{"metadata":{"name":"acme","namespace":"clusters"},"spec":{"infraID":"acme-x1"}}]}`)
		case r.URL.Path == "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews":
			body, _ := io.ReadAll(r.Body)
			rules := ""
			if strings.Contains(string(body), `"namespace":"listed"`) {
				rules = `{"verbs":["get","delete"],"apiGroups":["hypershift.openshift.io"],"resources":["hostedclusters"],"resourceNames":["acme"]},
					{"verbs":["*"],"apiGroups":["*"],"resources":["secrets"]}`
			}
			fmt.Fprintf(w, `{"kind":"SelfSubjectRulesReview","status":{"incomplete":true,"resourceRules":[%s],"nonResourceRules":[]}}`, rules)
		case r.URL.Path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, `{"kind":"SelfSubjectAccessReview","status":{"allowed":%t}}`, strings.Contains(string(body), `"verb":"get"`) &&
				strings.Contains(string(body), `"resource":"nodepools"`) && strings.Contains(string(body), `"namespace":"clusters"`))
		case r.URL.Path == "/api/v1/nodes":
			fmt.Fprint(w, `{"kind":"NodeList","items":[{"metadata":{"name":"one"},"spec":{"providerID":"aws:///us-east-1a/i-1"}}]}`)
		case r.URL.Path == "/apis/config.openshift.io/v1/infrastructures/cluster":
			fmt.Fprint(w, `{"kind":"Infrastructure","metadata":{"name":"cluster"},"status":{"infrastructureName":"hub-x2"}}`)
		case r.URL.Path == "/apis/cluster.x-k8s.io/v1beta1/clusters": // this server does not have the newer version
			fmt.Fprint(w, `{"kind":"ClusterList","apiVersion":"cluster.x-k8s.io/v1beta1","items":[
				{"kind":"Cluster","metadata":{"namespace":"clusters-acme","name":"acme-x1"}},
				{"kind":"Cluster","metadata":{"namespace":"capa","name":"self"}}]}`)
		case r.URL.Path == "/apis/hypershift.openshift.io/v1beta1":
			fmt.Fprint(w, `{"kind":"APIResourceList","resources":[{"kind":"HostedCluster"},{"kind":"HostedCluster","name":"hostedclusters/status"}]}`)
		case r.URL.Path == "/openapi/v3/apis/hypershift.openshift.io/v1beta1":
			fmt.Fprint(w, `{"components":{"schemas":{"a":{"x-kubernetes-group-version-kind":[{"kind":"HostedCluster"}],"properties":{"spec":{}}},"b":{}}}}`)
		case r.URL.Path == "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/final":
			if r.Method == http.MethodPatch {
				body, _ := io.ReadAll(r.Body)
				patched <- r.Header.Get("Content-Type") + " " + string(body)
			}
			fmt.Fprint(w, `{"kind":"HostedCluster","metadata":{"name":"final","uid":"u1","resourceVersion":"7","finalizers":["own","added","x"]}}`)
		case r.URL.Path == "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/managed":
			if r.Method == http.MethodPatch {
				body, _ := io.ReadAll(r.Body)
				patched <- r.Header.Get("Content-Type") + " " + string(body)
			}
			fmt.Fprint(w, `{"kind":"HostedCluster","metadata":{"name":"managed","resourceVersion":"7","managedFields":[
				{"manager":"hypershift-aws","operation":"Apply","fieldsV1":{"f:spec":{"f:tags":{}}}},
				{"manager":"operator","operation":"Update","fieldsV1":{"f:spec":{"f:clusterID":{},"f:platform":{"f:tags":{}}}}},
				{"manager":"operator","operation":"Update","subresource":"status",
				"fieldsV1":{"f:spec":{"f:platform":{"f:tags":{}}}}}]}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"none","code":404}`)
		}
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: t0ken}}, {name: stranger, user: {token: other}}]
contexts:
- {name: management, context: {cluster: c, user: u}}
- {name: stranger, context: {cluster: c, user: stranger}}
`, server.URL), 0o600))
	return path, patched
}

func TestAnObjectIsReadThroughTheKubeconfigsContext(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	object, err := cluster.Get(t.Context(), "HostedCluster", "clusters", "acme")
	require.NoError(t, err)
	require.Equal(t, "HostedCluster", object["kind"])
}

// Recovery reads each kind that a stack makes.
func TestObjectsOfClusterAPIAreReadInTheirNamespaceOrInNone(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	for kind, namespace := range map[string]string{"AWSCluster": "clusters", "AWSClusterRoleIdentity": ""} {
		object, err := cluster.Get(t.Context(), kind, namespace, "acme")
		require.NoError(t, err)
		require.NotNil(t, object, kind)
	}
}

func TestAMissingObjectIsNil(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	object, err := cluster.Get(t.Context(), "NodePool", "clusters", "acme")
	require.NoError(t, err)
	require.Nil(t, object)
}

func TestAnErrorOfTheAPINamesTheObject(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "stranger")
	require.NoError(t, err)
	_, err = cluster.Get(t.Context(), "Secret", "clusters", "acme-kubeadmin-password")
	require.ErrorContains(t, err, "reading Secret clusters/acme-kubeadmin-password in the management cluster: you may not")
}

func TestNodesAreListedAndADenialIsKnownAsSuch(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	nodes, err := cluster.List(t.Context(), "Node", "")
	require.NoError(t, err)
	require.Len(t, nodes, 1)
	require.Equal(t, map[string]any{"providerID": "aws:///us-east-1a/i-1"}, nodes[0]["spec"])
	stranger, err := Open(serve(t), "stranger")
	require.NoError(t, err)
	_, err = stranger.List(t.Context(), "Node", "")
	require.True(t, apierrors.IsForbidden(err), err)
}

func TestAMissingContextIsRefused(t *testing.T) {
	t.Parallel()
	_, err := Open(serve(t), "nowhere")
	require.ErrorContains(t, err, `context "nowhere" does not exist`)
}

func TestObjectsAreListedInAllNamespaces(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	objects, err := cluster.List(t.Context(), "HostedCluster", "")
	require.NoError(t, err)
	require.Len(t, objects, 1)
}

func TestAKindThatTheClusterDoesNotHaveHasNoObjects(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	objects, err := cluster.List(t.Context(), "NodePool", "")
	require.NoError(t, err)
	require.Empty(t, objects)
	_, err = cluster.List(t.Context(), "Pod", "")
	require.ErrorContains(t, err, "objects of kind Pod cannot be read")
}

func TestInfrastructuresAreTheHostedClustersTheClustersAndTheManagementClusterItself(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	found, err := cluster.Infrastructures(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"acme-x1": "HostedCluster clusters/acme",
		"self":    "Cluster capa/self",
		"hub-x2":  "the management cluster itself",
	}, found)
}

// An API server answers a path of an unknown group with a text.
func TestAClusterWithoutHyperShiftIsNotAManagementCluster(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps"}]}`))
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q}}]
contexts: [{name: plain, context: {cluster: c}}]
`, server.URL), 0o600))
	cluster, err := Open(path, "plain")
	require.NoError(t, err)
	_, err = cluster.Infrastructures(t.Context())
	require.ErrorContains(t, err, "the cluster has neither HostedClusters nor Clusters: it is not a management cluster")
	schemas, err := cluster.Schemas(t.Context())
	require.NoError(t, err)
	require.Empty(t, schemas)
}

func TestTheSchemasAreThoseThatTheServerPublishes(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	schemas, err := cluster.Schemas(t.Context())
	require.NoError(t, err)
	require.Len(t, schemas, 1, "the server has no NodePool")
	require.Contains(t, schemas["HostedCluster"], "properties")
}

func TestAManagerLosesOneFieldAndNothingElse(t *testing.T) {
	t.Parallel()
	path, patched := serveAndHear(t)
	cluster, err := Open(path, "management")
	require.NoError(t, err)
	removed, err := cluster.Disown(t.Context(), "HostedCluster", "clusters", "managed", "operator", "spec", "platform",
		"tags")
	require.NoError(t, err)
	require.True(t, removed)
	require.Equal(t, `application/json-patch+json [{"op":"test","path":"/metadata/resourceVersion","value":"7"},`+
		`{"op":"replace","path":"/metadata/managedFields/1/fieldsV1","value":{"f:spec":{"f:clusterID":{}}}}]`, <-patched)
	for manager, field := range map[string]string{"somebody": "tags", "operator": "region"} {
		removed, err = cluster.Disown(t.Context(), "HostedCluster", "clusters", "managed", manager, "spec", "platform", field)
		require.NoError(t, err)
		require.False(t, removed, "%s does not manage %s", manager, field)
	}
	require.Empty(t, patched)
}

// A destroy distinguishes a management cluster that no longer exists from one that refuses the request.
func TestARefusalIsDistinguishedFromAServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	stranger, err := Open(serve(t), "stranger")
	require.NoError(t, err)
	_, err = stranger.Get(t.Context(), "HostedCluster", "clusters", "acme")
	require.True(t, apierrors.IsForbidden(err), err)

	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q}}]
contexts: [{name: gone, context: {cluster: c}}]
`, server.URL), 0o600))
	gone, err := Open(path, "gone")
	require.NoError(t, err)
	_, err = gone.Get(t.Context(), "HostedCluster", "clusters", "acme")
	require.ErrorContains(t, err, "connection refused")
	require.False(t, apierrors.IsForbidden(err), err)
}

func TestPermissionsAreAskedOfTheServer(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	for needed, want := range map[clusterstatus.Permission]bool{
		{Verb: "get", Kind: "NodePool", Namespace: "clusters"}:    true,
		{Verb: "create", Kind: "NodePool", Namespace: "clusters"}: false,
		{Verb: "get", Kind: "NodePool"}:                           false,
		// by the rules that the server lists in a namespace, which are not all
		{Verb: "get", Kind: "HostedCluster", Namespace: "listed", Name: "acme"}:   true,
		{Verb: "get", Kind: "HostedCluster", Namespace: "listed", Name: "other"}:  false,
		{Verb: "get", Kind: "HostedCluster", Namespace: "listed"}:                 false,
		{Verb: "patch", Kind: "HostedCluster", Namespace: "listed", Name: "acme"}: false,
		{Verb: "create", Kind: "Secret", Namespace: "listed"}:                     true,
		{Verb: "create", Kind: "ConfigMap", Namespace: "listed"}:                  false,
		{Verb: "create", Kind: "Secret"}:                                          false,
	} {
		allowed, err := cluster.Allowed(t.Context(), needed)
		require.NoError(t, err)
		require.Equal(t, want, allowed, needed)
	}
}

// A question whose answer is late holds up no other one.
func TestRightsAreAskedOfSeveralNamespacesAtOnce(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "selfsubjectrulesreviews") {
			asked <- struct{}{}
			for len(asked) < 2 { // until the other one is asked, too
				time.Sleep(time.Millisecond)
			}
		}
		fmt.Fprint(w, `{"kind":"SelfSubjectAccessReview","status":{"allowed":true}}`)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `{apiVersion: v1, kind: Config, current-context: x,
		clusters: [{name: c, cluster: {server: "%s"}}], contexts: [{name: x, context: {cluster: c}}]}`, server.URL), 0o600))
	cluster, err := Open(path, "")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var all sync.WaitGroup
	for _, namespace := range []string{"one", "two"} {
		all.Go(func() {
			allowed, err := cluster.Allowed(ctx, clusterstatus.Permission{Verb: "get", Kind: "Secret", Namespace: namespace})
			require.NoError(t, err)
			require.True(t, allowed)
		})
	}
	all.Wait()
}

func TestAFieldIsTakenBackInOneRequestOnTheVersionThatWasRead(t *testing.T) {
	t.Parallel()
	path, patched := serveAndHear(t)
	cluster, err := Open(path, "management")
	require.NoError(t, err)
	require.NoError(t, cluster.OverwriteField(t.Context(), "HostedCluster", "clusters", "managed", "a", "spec",
		"clusterID"))
	require.Equal(t, `application/json-patch+json [{"op":"test","path":"/metadata/resourceVersion","value":"7"},`+
		`{"op":"replace","path":"/spec/clusterID","value":"a"}]`, <-patched)
	require.NoError(t, cluster.OverwriteField(t.Context(), "HostedCluster", "clusters", "managed", nil, "spec",
		"clusterID"))
	owned := <-patched
	require.Contains(t, owned, `{"manager":"operator","operation":"Update","fieldsV1":{"f:spec":{"f:platform":{"f:tags":{}}}}}`, "without the field")
	require.Contains(t, owned, `"manager":"pulumi-kubernetes","operation":"Update"`)
	require.Contains(t, owned, `{"f:spec":{"f:clusterID":{}}}`)
	require.Equal(t, 1, strings.Count(owned, "f:clusterID"))
}

// The finalizers are those of the object at the time of the request, not those that were read before a question.
func TestAFinalizerIsRemovedAndAllOthersStay(t *testing.T) {
	t.Parallel()
	path, patched := serveAndHear(t)
	cluster, err := Open(path, "management")
	require.NoError(t, err)
	require.NoError(t, cluster.RemoveFinalizer(t.Context(), "HostedCluster", "clusters", "final", "u1", "own"))
	require.Equal(t, `application/json-patch+json [{"op":"test","path":"/metadata/uid","value":"u1"},`+
		`{"op":"test","path":"/metadata/finalizers","value":["own","added","x"]},{"op":"replace","path":"/metadata/finalizers","value":["added","x"]}]`, <-patched)
	require.NoError(t, cluster.RemoveFinalizer(t.Context(), "HostedCluster", "clusters", "final", "u1", "none"))
	require.ErrorContains(t, cluster.RemoveFinalizer(t.Context(), "HostedCluster", "clusters", "final", "u2", "own"),
		"deleted since it was read")
	require.ErrorContains(t, cluster.RemoveFinalizer(t.Context(), "HostedCluster", "clusters", "none", "u1", "own"),
		"deleted since it was read")
	require.Empty(t, patched)
}
