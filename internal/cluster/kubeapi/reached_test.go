package kubeapi

import (
	"cmp"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// join copies between two connections until one ends.
func join(a, b net.Conn) {
	go func() {
		_, _ = io.Copy(a, b)
		_ = a.Close()
	}()
	_, _ = io.Copy(b, a)
	_ = b.Close()
}

// connectProxy is a proxy of HTTP, with or without TLS, that counts its tunnels.
func connectProxy(t *testing.T, tunnels *atomic.Int32, tls bool) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", r.Host)
		if r.Method != http.MethodConnect || err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		from, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		tunnels.Add(1)
		_, _ = fmt.Fprint(from, "HTTP/1.1 200 OK\r\n\r\n")
		join(from, to)
	}))
	if tls {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server.URL
}

// socksProxy is a proxy of SOCKS 5 without authentication, that counts its tunnels.
func socksProxy(t *testing.T, tunnels *atomic.Int32) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	serve := func(from net.Conn) {
		greeting := make([]byte, 2)
		if _, err := io.ReadFull(from, greeting); err != nil {
			return
		}
		_, _ = io.CopyN(io.Discard, from, int64(greeting[1]))
		_, _ = from.Write([]byte{5, 0})
		head := make([]byte, 10) // a request for an IPv4 address
		if _, err := io.ReadFull(from, head); err != nil || head[3] != 1 {
			_ = from.Close()
			return
		}
		to, err := net.DialTCP("tcp", nil, &net.TCPAddr{IP: head[4:8], Port: int(binary.BigEndian.Uint16(head[8:]))})
		if err != nil {
			_ = from.Close()
			return
		}
		tunnels.Add(1)
		_, _ = from.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		join(from, to)
	}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(from)
		}
	}()
	return "socks5://" + listener.Addr().String()
}

func TestAClusterIsReachedAsItsKubeconfigSays(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		uid := strings.Join([]string{r.Header.Get("Authorization"), r.Header.Get("Impersonate-User"),
			strings.Join(r.Header.Values("Impersonate-Group"), "+")}, "|")
		uid += r.Header.Get("Impersonate-Uid") + strings.Join(r.Header.Values("Impersonate-Extra-Scopes"), "+")
		uid += strings.TrimSuffix(r.URL.Path, "/api/v1/namespaces/kube-system")
		_, _ = fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system","uid":%q}}`, uid)
	}))
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	var tunnels, none atomic.Int32
	tokenFile := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(tokenFile, []byte("from-file\n"), 0o600))
	for name, c := range map[string]struct {
		cluster clientcmdapi.Cluster
		user    clientcmdapi.AuthInfo
		uid     string
		tunnels *atomic.Int32
		fails   string
	}{
		"directly":      {uid: "Bearer t||", tunnels: &none},
		"an HTTP proxy": {cluster: clientcmdapi.Cluster{ProxyURL: connectProxy(t, &tunnels, false)}, uid: "Bearer t||", tunnels: &tunnels},
		"a SOCKS proxy": {
			cluster: clientcmdapi.Cluster{ProxyURL: socksProxy(t, &tunnels)},
			uid:     "Bearer t||",
			tunnels: &tunnels,
		},
		"a name of TLS": {cluster: clientcmdapi.Cluster{TLSServerName: "example.com"}, uid: "Bearer t||", tunnels: &none},
		"another name": {
			cluster: clientcmdapi.Cluster{TLSServerName: "other.invalid"},
			fails:   "other.invalid",
			tunnels: &none,
		},
		"no verification": {
			cluster: clientcmdapi.Cluster{InsecureSkipTLSVerify: true}, uid: "Bearer t||", tunnels: &none,
		},
		"a path of a gateway": {
			cluster: clientcmdapi.Cluster{Server: server.URL + "/k8s/clusters/c-1/"}, uid: "Bearer t||/k8s/clusters/c-1",
			tunnels: &none,
		},
		"a name and a password": {
			user: clientcmdapi.AuthInfo{Username: "alice", Password: "secret"}, uid: "Basic YWxpY2U6c2VjcmV0||", tunnels: &none,
		},
		"a token with its file": {
			user: clientcmdapi.AuthInfo{Token: "old", TokenFile: tokenFile}, uid: "Bearer from-file||", tunnels: &none,
		},
		"impersonation with a UID and more": {
			user: clientcmdapi.AuthInfo{
				Token: "t", Impersonate: "alice", ImpersonateUID: "u-1",
				ImpersonateUserExtra: map[string][]string{"scopes": {"a", "b"}},
			},
			uid: "Bearer t|alice|u-1a+b", tunnels: &none,
		},
		"a plugin of an older version, which writes to stderr": {
			user: clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
				APIVersion: "client.authentication.k8s.io/v1beta1", Command: "/bin/sh",
				InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode,
				Env:             []clientcmdapi.ExecEnvVar{{Name: "OF", Value: "beta"}},
				Args: []string{"-c", `echo "logging in" >&2; read -r answer
echo '{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {"token": "'$OF'"}}'`},
			}},
			uid: "Bearer beta||", tunnels: &none,
		},
		"an HTTPS proxy": {cluster: clientcmdapi.Cluster{ProxyURL: connectProxy(t, &tunnels, true)}, uid: "Bearer t||", tunnels: &tunnels},
		"impersonation": {
			user: clientcmdapi.AuthInfo{Impersonate: "alice", ImpersonateGroups: []string{"admins", "developers"}},
			uid:  "Bearer t|alice|admins+developers", tunnels: &none,
		},
		"a plugin that is told the cluster": {
			cluster: clientcmdapi.Cluster{Extensions: map[string]runtime.Object{
				"client.authentication.k8s.io/exec": &runtime.Unknown{Raw: []byte(`{"audience":"management"}`), ContentType: "application/json"},
			}},
			user: clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
				APIVersion: "client.authentication.k8s.io/v1", Command: "/bin/sh", ProvideClusterInfo: true,
				InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode,
				Args: []string{"-c", `case "$KUBERNETES_EXEC_INFO" in *'"server":"` + server.URL + `"'*'"audience":"management"'*) t=told;; esac
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "'$t'"}}'`},
			}},
			uid: "Bearer told||", tunnels: &none,
		},
	} {
		config := clientcmdapi.NewConfig()
		c.cluster.Server = cmp.Or(c.cluster.Server, "https://"+address.Host)
		if !c.cluster.InsecureSkipTLSVerify {
			c.cluster.CertificateAuthorityData = authority
		}
		if c.user.Exec == nil && c.user.Username == "" && c.user.Token == "" {
			c.user.Token = "t"
		}
		config.Clusters["c"], config.AuthInfos["u"] = &c.cluster, &c.user
		config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
		config.CurrentContext = "x"
		path := filepath.Join(t.TempDir(), "kubeconfig")
		require.NoError(t, clientcmd.WriteToFile(*config, path))
		before := c.tunnels.Load()
		api, err := Open(path, "")
		require.NoError(t, err, name)
		uid, err := api.ClusterUID(t.Context())
		if c.fails != "" {
			require.ErrorContains(t, err, c.fails, name)
			require.False(t, NoAnswer(err), name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.uid, uid, name)
		if c.tunnels == &tunnels {
			require.Greater(t, tunnels.Load(), before, name)
		}
	}
	require.Zero(t, none.Load())
}
