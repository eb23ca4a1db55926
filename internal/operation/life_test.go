package operation

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

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
)

// errorOf returns the error with which a HostedCluster cannot be read from an API server.
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
	api, err := kubeapi.Open(path, "")
	require.NoError(t, err)
	_, err = api.Get(ctx, crd.HostedCluster, "clusters", "demo")
	return err
}

func TestEveryAnswerOfAnAPIServerCountsAsAlive(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(server.Close)
		err := errorOf(t, server.URL, nil)
		require.Error(t, err, status)
		require.True(t, answers(err), "%d: %v", status, err)
	}
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1") // as an API server does: the client tries again until its time is up
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(busy.Close)
	throttled := errorOf(t, busy.URL, nil)
	require.True(t, answers(throttled), "%v", throttled)
	rotated := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(rotated.Close)
	require.True(t, answers(errorOf(t, rotated.URL, nil)), "a certificate of an unknown authority")
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	require.True(t, answers(errorOf(t, "https"+plain.URL[len("http"):], nil)), "a server without TLS")
}

func TestSilenceIsNoAnswer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	refused := errorOf(t, "https://"+address, nil)
	require.Error(t, refused)
	for name, err := range map[string]error{
		"a connection that is refused": refused, "a time-out": context.DeadlineExceeded, "no error": nil,
		"an unknown host": &net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true}, "a missing kubeconfig": os.ErrNotExist,
		"anything else": errors.New("boom"),
	} {
		require.False(t, answers(err), "%s: %v", name, err)
	}
}
