package kubeapi

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	elsewhere := "https://" + refusing(t)
	redirects := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusFound)
	}))
	t.Cleanup(redirects.Close)
	for name, err := range map[string]error{
		"a server that accepts connections and is silent": errorOf(t, "https://"+hanging.Addr().String(), nil),
		"a server that is slow after TLS":                 errorOf(t, slow.URL, authority),
		"a server that redirects to where nothing is":     errorOf(t, redirects.URL, nil),
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
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server, InsecureSkipTLSVerify: true}
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

func TestTheTimeOfAPluginIsNotThatOfTheServerAndItRunsOnce(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "3f1c"}}`))
	}))
	t.Cleanup(server.Close)
	const credentials = `{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "t"}}`
	runs := filepath.Join(t.TempDir(), "runs")
	api, err := Open(plugin(t, server.URL, "sleep 1\necho ran >>"+runs+"\necho '"+credentials+"'\n"), "")
	require.NoError(t, err)
	for range 3 {
		ctx, cancel := Within(t.Context(), 500*time.Millisecond)
		defer cancel()
		uid, err := api.ClusterUID(ctx)
		require.NoError(t, err)
		require.Equal(t, "3f1c", uid)
		<-ctx.Done()
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded, "the time has begun with the request")
	}
	text, err := os.ReadFile(runs)
	require.NoError(t, err)
	require.Equal(t, "ran\n", string(text))
}

// An issuer may take a token back before it says that it ends: kubectl's next command gets another one, and so does the
// next request here, whatever the operation.
func TestARequestWhoseTokenIsNoLongerAcceptedIsSentAgainWithANewOne(t *testing.T) {
	t.Parallel()
	var accepted atomic.Value
	var bodies []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+accepted.Load().(string) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "3f1c"}}`))
	}))
	t.Cleanup(server.Close)
	runs := filepath.Join(t.TempDir(), "runs")
	byPlugin := plugin(t, server.URL, "echo ran >>"+runs+`
printf '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "%s"}}' \
	$(wc -l <`+runs+`)
`)
	tokens := filepath.Join(t.TempDir(), "token")
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server.URL, InsecureSkipTLSVerify: true}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{TokenFile: tokens}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	byFile := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, byFile))
	for name, kubeconfig := range map[string]string{"a plugin": byPlugin, "a file": byFile} {
		accepted.Store("1")
		require.NoError(t, os.WriteFile(tokens, []byte("1"), 0o600))
		api, err := Open(kubeconfig, "")
		require.NoError(t, err)
		_, err = api.ClusterUID(t.Context())
		require.NoError(t, err, name)
		accepted.Store("2")
		require.NoError(t, os.WriteFile(tokens, []byte("2"), 0o600))
		require.NoError(t, api.DryApply(t.Context(), "x", map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "a", "namespace": "b"},
		}), name)
		require.Contains(t, bodies[len(bodies)-1], `"name":"a"`, "the whole request is sent again")
		accepted.Store("none")
		_, err = api.ClusterUID(t.Context())
		require.True(t, apierrors.IsUnauthorized(err), "%s: %v", name, err)
	}
}

func TestAnAuthProviderOfKubectlGetsItsTokenAndKeepsItInItsOwnFile(t *testing.T) {
	t.Parallel()
	token := "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp": 4102444800}`)) + ".c2ln"
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/.well-known/openid-configuration":
			_, _ = w.Write([]byte(`{"token_endpoint": "` + server.URL + `/token"}`))
		case r.URL.Path == "/token":
			time.Sleep(time.Second)
			_, _ = w.Write([]byte(`{"access_token": "a", "token_type": "Bearer", "refresh_token": "second", "id_token": "` + token + `"}`))
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			_, _ = w.Write([]byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "3f1c"}}`))
		}
	})
	path := issued(t, server, server.URL)
	api, err := Open(path, "")
	require.NoError(t, err)
	ctx, cancel := Within(t.Context(), 900*time.Millisecond)
	defer cancel()
	uid, err := api.ClusterUID(ctx)
	require.NoError(t, err)
	require.Equal(t, "3f1c", uid)
	kept, err := clientcmd.LoadFromFile(path)
	require.NoError(t, err)
	require.Equal(t, "second", kept.AuthInfos["u"].AuthProvider.Config["refresh-token"],
		"an issuer may accept the first only once")
}

// issued returns a kubeconfig of a server whose tokens an issuer of OpenID Connect gives.
func issued(t *testing.T, server *httptest.Server, issuer string) string {
	t.Helper()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server.URL, CertificateAuthorityData: authority}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{AuthProvider: &clientcmdapi.AuthProviderConfig{
		Name: "oidc", Config: map[string]string{
			"idp-issuer-url": issuer, "client-id": "kubernetes", "refresh-token": "first",
			"idp-certificate-authority-data": base64.StdEncoding.EncodeToString(authority),
		},
	}}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, path))
	return path
}

func TestCredentialsThatCannotBeGotAreNotTheSilenceOfTheServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	missing := plugin(t, server.URL, "")
	text, err := os.ReadFile(missing)
	require.NoError(t, err)
	absent := strings.ReplaceAll(string(text), "/bin/sh", "no-such-plugin")
	require.NoError(t, os.WriteFile(missing, []byte(absent), 0o600))
	const hint = "installHint: |-\n        get it\n        and log in\n"
	hinted := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(hinted,
		[]byte(strings.Replace(absent, "interactiveMode:", hint+"      interactiveMode:", 1)), 0o600))
	for path, name := range map[string]string{
		missing: "no-such-plugin",
		hinted:  "no-such-plugin: exec: executable no-such-plugin not found; get it and log in",
		plugin(t, server.URL, "echo expired >&2; exit 1\n"): "/bin/sh",
		issued(t, server, "https://"+refusing(t)):           "auth-provider oidc",
	} {
		api, err := Open(path, "")
		require.NoError(t, err, name)
		_, err = api.ClusterUID(t.Context())
		require.ErrorContains(t, err, "reading Namespace kube-system in the management cluster: ")
		require.ErrorContains(t, err, "there are no credentials from "+name)
		require.NotContains(t, err.Error(), "\n")
		require.False(t, NoAnswer(err), name)
	}
}
