package kubeapi

import (
	"context"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// errorOf returns the error with which the UID of an API server's cluster cannot be read.
func errorOf(t *testing.T, server string, authority []byte) error {
	t.Helper()
	return errorThrough(t, "", server, authority)
}

// errorThrough is errorOf through a proxy, "" for none.
func errorThrough(t *testing.T, proxy, server string, authority []byte) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: authority, ProxyURL: proxy}
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
	for _, status := range []int{http.StatusUnauthorized, http.StatusConflict, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable} {
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
	for name, err := range map[string]error{
		"no error":             nil,
		"a missing kubeconfig": os.ErrNotExist,
		"anything else":        errors.New("boom"),
	} {
		require.False(t, NoAnswer(err), name)
	}
}

// refusing returns an address at which nothing listens.
func refusing(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

func TestSilenceIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"a connection that is refused": errorOf(t, "https://"+refusing(t), nil),
		"a dial that times out":        &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded},
		"an unknown host":              &net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true},
		"a host without a route": &net.OpError{
			Op:  "dial",
			Net: "tcp",
			Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH),
		},
	} {
		require.True(t, NoAnswer(err), "%s: %v", name, err)
	}
}

func TestWhatAcceptsAConnectionAndWhatIsBetweenIsSomethingThatIsThere(t *testing.T) {
	t.Parallel()
	hanging, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, as for a server that is stopped
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, hanging.Close()) })
	release := make(chan struct{})
	slow := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(release) })
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: slow.Certificate().Raw})
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	for name, err := range map[string]error{
		"a server that accepts connections and is silent": errorOf(t, "https://"+hanging.Addr().String(), nil),
		"a server that is slow after TLS":                 errorOf(t, slow.URL, authority),
		"a proxy that is down": errorThrough(t, "http://"+refusing(t), "https://"+refusing(t),
			nil),
		"a SOCKS proxy that is down": errorThrough(t, "socks5://"+refusing(t), "https://"+refusing(t),
			nil),
		"a proxy's refusal by its error": &net.OpError{
			Op:  "proxyconnect",
			Net: "tcp",
			Err: &net.OpError{Op: "dial", Err: refused},
		},
		"a SOCKS proxy's refusal by its error": &net.OpError{
			Op:  "socks connect",
			Net: "tcp",
			Err: &net.OpError{Op: "dial", Err: refused},
		},
		"a resolver that fails for a time": &net.DNSError{Err: "server misbehaving", IsTemporary: true},
		"a resolver that does not answer": &net.DNSError{
			Err:        "i/o timeout",
			IsTimeout:  true,
			IsNotFound: true,
		},
		"a resolver that refuses": &net.DNSError{Err: "refused", UnwrapErr: refused},
		"a machine without a network": &net.OpError{
			Op:  "dial",
			Err: os.NewSyscallError("connect", syscall.ENETUNREACH),
		},
		"time that ends before a request is sent": context.DeadlineExceeded,
	} {
		require.Error(t, err, name)
		require.False(t, NoAnswer(err), "%s: %v", name, err)
	}
}

// plugin returns a kubeconfig of a server whose credentials a script gets.
func plugin(t *testing.T, server, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin.sh")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o600))
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: "/bin/sh", Args: []string{path},
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, kubeconfig))
	return kubeconfig
}

func TestAPluginThatDoesNotEndEndsWithTheContextAndIsNamed(t *testing.T) {
	t.Parallel()
	api, err := Open(plugin(t, "https://"+refusing(t), "exec sleep 8\n"), "")
	require.NoError(t, err)
	told := make(chan string, 1)
	api.Attend(func(sentence string) { told <- sentence }, nil)
	ctx, cancel := context.WithTimeout(t.Context(), tellAfter+time.Second)
	defer cancel()
	began := time.Now()
	_, err = api.ClusterUID(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "/bin/sh")
	require.False(t, NoAnswer(err), "nothing was sent")
	require.Less(t, time.Since(began), 20*time.Second)
	require.Contains(t, <-told, "waiting for /bin/sh")

	stopped := make(chan struct{})
	close(stopped)
	api.Attend(func(string) {}, stopped)
	_, err = api.ClusterUID(t.Context())
	require.ErrorContains(t, err, "the command is stopped")
}

func TestTheTimeOfAPluginIsNotThatOfTheServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "3f1c"}}`))
	}))
	t.Cleanup(server.Close)
	const credentials = `{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "t"}}`
	api, err := Open(plugin(t, server.URL, "sleep 1\necho '"+credentials+"'\n"), "")
	require.NoError(t, err)
	ctx, cancel := Within(t.Context(), 500*time.Millisecond)
	defer cancel()
	uid, err := api.ClusterUID(ctx)
	require.NoError(t, err)
	require.Equal(t, "3f1c", uid)
	<-ctx.Done()
	require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded, "the time has begun with the request")
}
