package kubeapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// errorOf returns the error with which the UID of an API server's cluster cannot be read.
func errorOf(t *testing.T, server string, authority []byte) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: authority}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: "t"}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, path))
	api, err := Open(path, "")
	require.NoError(t, err)
	_, err = api.ClusterUID(ctx)
	return err
}

func TestEveryAnswerCountsAsAnAnswer(t *testing.T) {
	t.Parallel()
	serve := func(handler http.HandlerFunc) string {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return server.URL
	}
	answers := map[string]string{
		"an HTML page with status 200": serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html><body>It works!</body></html>"))
		}),
		"a server that answers 404 to everything": serve(http.NotFound),
		"a namespace without a UID": serve(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}}`))
		}),
		"a server that asks to try again later": serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1") // as an API server does: the client tries again until its time is up
			w.WriteHeader(http.StatusTooManyRequests)
		}),
		"a connection that is closed": serve(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
		"a server without TLS":        "https" + serve(http.NotFound)[len("http"):],
	}
	for _, status := range []int{http.StatusUnauthorized, http.StatusConflict, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable} {
		answers[http.StatusText(status)] = serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	rotated := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(rotated.Close)
	answers["a certificate of an unknown authority"] = rotated.URL
	for name, address := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := errorOf(t, address, nil)
			require.Error(t, err)
			require.False(t, NoAnswer(err), "%v", err)
		})
	}
	for name, err := range map[string]error{"no error": nil, "a missing kubeconfig": os.ErrNotExist, "anything else": errors.New("boom")} {
		require.False(t, NoAnswer(err), name)
	}
}

func TestSilenceIsNoAnswer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	hanging, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, hanging.Close()) })
	for name, err := range map[string]error{
		"a connection that is refused": errorOf(t, "https://"+address, nil), "a server that accepts connections and is silent": errorOf(t, "https://"+hanging.Addr().String(), nil),
		"a time-out": context.DeadlineExceeded, "an unknown host": &net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true},
	} {
		require.True(t, NoAnswer(err), "%s: %v", name, err)
	}
}
