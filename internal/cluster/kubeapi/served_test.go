package kubeapi

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// openAt opens a server with a user without credentials.
func openAt(t *testing.T, handler http.HandlerFunc) *Cluster {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	api, err := Open(plugin(t, server.URL, `echo '{"apiVersion": "client.authentication.k8s.io/v1", `+
		`"kind": "ExecCredential", "status": {"token": "t"}}'`), "")
	require.NoError(t, err)
	return api
}

// The answers are those of kube-apiserver 1.34: TestARealAPIServerHasWhatItDoesNotServe.
func TestOnlyAServerThatServesNoVersionOfAKindHasNoneOfItsObjects(t *testing.T) {
	t.Parallel()
	const group = "/apis/hypershift.openshift.io"
	answers := func(ready int, versions ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch r.URL.Path {
			case "/readyz":
				w.WriteHeader(ready)
			case "/apis":
				var listed []string
				for _, version := range versions {
					listed = append(listed, fmt.Sprintf(`{"groupVersion":"hypershift.openshift.io/%s","version":%[1]q}`, version))
				}
				_, _ = fmt.Fprintf(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps"},{"name":"hypershift.openshift.io",
					"versions":[%s]}]}`, strings.Join(listed, ","))
			case "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
				body, _ := io.ReadAll(r.Body)
				_, _ = fmt.Fprintf(w, `{"kind":"SelfSubjectAccessReview","status":{"allowed":%t}}`,
					strings.Contains(string(body), `"resource":"customresourcedefinitions"`) && strings.Contains(string(body), "nodepools"))
			case "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.hypershift.openshift.io":
				_, _ = w.Write([]byte(`{"kind":"CustomResourceDefinition"}`))
			case group + "/v1":
				_, _ = w.Write([]byte(`{"kind":"APIResourceList","groupVersion":"g/v1","resources":[{"name":"hostedclusters"},{"name":"nodepools"}]}`))
			case group + "/v1alpha1":
				_, _ = w.Write([]byte(`{"kind":"APIResourceList","groupVersion":"g/v1alpha1","resources":[{"name":"certificatesigningrequestapprovals"}]}`))
			default:
				w.Header().Set("Content-Type", "text/plain")
				http.NotFound(w, r)
			}
		}
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"no group":                    {answers(200), ""},
		"no such kind in the group":   {answers(200, "v1alpha1"), ""},
		"a server without /readyz":    {answers(404), ""},
		"a user who may not ask that": {answers(403), ""},
		"another version": {answers(200, "v1alpha1", "v1"),
			"the server has hostedclusters.hypershift.openshift.io in hypershift.openshift.io/v1, and not in hypershift.openshift.io/v1beta1"},
		"a version that is removed": {answers(200, "v1alpha1", "v1beta1"), "in versions that are changing, and not in"},
		"a server that starts":      {answers(500), "the API server has not started completely"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := openAt(t, c.handler)
			object, err := api.Get(t.Context(), crd.HostedCluster, "clusters", "demo")
			_, listed := api.List(t.Context(), crd.HostedCluster, "")
			require.Nil(t, object)
			if c.says == "" {
				_, defined := api.Get(t.Context(), crd.NodePool, "clusters", "a")
				require.ErrorContains(t, defined, "nodepools.hypershift.openshift.io in another version, or in none yet")
				require.NoError(t, err)
				require.NoError(t, listed)
				return
			}
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, listed, c.says)
			require.False(t, NoAnswer(err))
		})
	}
}

func TestAKindThatIsServedByNowIsReadAgainAndAMissingObjectIsAskedForOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var paths []string
	const object = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/"
	api := openAt(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case object + "demo":
			if len(paths) == 1 {
				w.Header().Set("Content-Type", "text/plain")
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write([]byte(`{"apiVersion":"hypershift.openshift.io/v1beta1","kind":"HostedCluster","metadata":{"name":"demo"}}`))
		case object + "other":
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,` +
				`"details":{"name":"other","group":"hypershift.openshift.io","kind":"hostedclusters"}}`))
		case "/apis":
			_, _ = w.Write([]byte(`{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"hypershift.openshift.io",
				"versions":[{"groupVersion":"hypershift.openshift.io/v1beta1"}]}]}`))
		case "/apis/hypershift.openshift.io/v1beta1":
			_, _ = w.Write([]byte(`{"kind":"APIResourceList","groupVersion":"g/v1beta1","resources":[{"name":"hostedclusters"}]}`))
		default:
			http.NotFound(w, r)
		}
	})
	read, err := api.Get(t.Context(), crd.HostedCluster, "clusters", "demo")
	require.NoError(t, err)
	require.NotNil(t, read)
	before := len(paths)
	read, err = api.Get(t.Context(), crd.HostedCluster, "clusters", "other")
	require.NoError(t, err)
	require.Nil(t, read)
	require.Len(t, paths, before+1)
}

// TestWhatAGatewayAnswersForAnAPIServerIsNoAbsence: a gateway in front of an API server has pages of its own while that
// is away, after it has said which cluster it is.
func TestWhatAGatewayAnswersForAnAPIServerIsNoAbsence(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"a page for a path that is unknown": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("<html>default backend - 404</html>"))
		},
		"a text for a path that is unknown": http.NotFound,
		"a status for everything": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))
		},
	} {
		api := openAt(t, handler)
		for _, kind := range []string{crd.HostedCluster, "Secret"} {
			_, err := api.Get(t.Context(), kind, "clusters", "demo")
			require.ErrorIs(t, err, errNoServer, "%s: %s", name, kind)
			_, err = api.List(t.Context(), kind, "clusters")
			require.ErrorIs(t, err, errNoServer, "%s: %s", name, kind)
			if !strings.Contains(name, "status") {
				require.ErrorIs(t, api.Delete(t.Context(), kind, "clusters", "demo", "u"), errNoServer, "%s: %s", name, kind)
			}
		}
		_, err := api.ClusterUID(t.Context())
		require.ErrorIs(t, err, errNoServer, name)
		require.False(t, NoAnswer(err), name)
		if !strings.Contains(name, "status") {
			_, err = api.Schemas(t.Context())
			require.ErrorIs(t, err, errNoServer, name)
		}
		_, err = api.Infrastructures(t.Context())
		require.Error(t, err, name)
	}
}
