package kubeapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// serve is an API that has one HostedCluster, and a kubeconfig that leads to it under the context "management".
func serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Header.Get("Authorization") != "Bearer t0ken":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"you may not","code":403}`)
		case r.URL.Path == "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/acme":
			fmt.Fprint(w, `{"kind":"HostedCluster","metadata":{"name":"acme"}}`)
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
	return path
}

func TestAnObjectIsReadThroughTheKubeconfigsContext(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	object, err := cluster.Get(t.Context(), "HostedCluster", "clusters", "acme")
	require.NoError(t, err)
	require.Equal(t, "HostedCluster", object["kind"])
}

func TestAnObjectThatIsNotThereIsNil(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "management")
	require.NoError(t, err)
	object, err := cluster.Get(t.Context(), "NodePool", "clusters", "acme")
	require.NoError(t, err)
	require.Nil(t, object)
}

func TestWhatTheAPIRefusesIsToldWithTheObject(t *testing.T) {
	t.Parallel()
	cluster, err := Open(serve(t), "stranger")
	require.NoError(t, err)
	_, err = cluster.Get(t.Context(), "Secret", "clusters", "acme-kubeadmin-password")
	require.ErrorContains(t, err, "reading Secret clusters/acme-kubeadmin-password in the management cluster: 403 Forbidden: you may not")
}

func TestAContextThatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	_, err := Open(serve(t), "nowhere")
	require.ErrorContains(t, err, `context "nowhere" does not exist`)
}
