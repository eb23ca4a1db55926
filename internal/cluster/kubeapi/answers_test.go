package kubeapi

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const kubeSystemObject = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system","uid":"3f1c"}}`

func TestAServerThatIsTooBusyHasTheTimeThatItAsksForInAddition(t *testing.T) {
	t.Parallel()
	var refusals atomic.Int32
	after := "1"
	api := openAt(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if refusals.Add(-1) >= 0 {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429}`))
			return
		}
		_, _ = w.Write([]byte(kubeSystemObject))
	})
	var told []string
	api.Attend(func(sentence string) { told = append(told, sentence) }, nil)
	const within = 900 * time.Millisecond // less than one of the times that the server asks for
	for range 2 {
		refusals.Store(3)
		ctx, cancel := Within(t.Context(), within)
		uid, err := api.ClusterUID(ctx)
		cancel()
		require.NoError(t, err)
		require.Equal(t, "3f1c", uid)
	}
	require.Equal(t, []string{"the API server of the management cluster is too busy: it is asked again after the time that it names"}, told)

	refusals.Store(1000)
	after = "3600"
	ctx, cancel := Within(t.Context(), within)
	defer cancel()
	_, err := api.ClusterUID(ctx)
	require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
	require.False(t, NoAnswer(err))
	require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
}

func TestAUserWhomTheKubeconfigMayNotActAsIsNotOneWhoMayNotReadANamespace(t *testing.T) {
	t.Parallel()
	for kind, says := range map[string]string{
		"users":      `users "alice" is forbidden: User "bob" cannot impersonate resource "users"`,
		"namespaces": "",
	} {
		api := openAt(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,` +
				`"message":"users \"alice\" is forbidden: User \"bob\" cannot impersonate resource \"users\" in API group \"\"",` +
				`"details":{"name":"alice","kind":"` + kind + `"}}`))
		})
		_, err := api.ClusterUID(t.Context())
		if says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, says)
	}
}

// clientCertificate returns a certificate with its key, valid between two times from now.
func clientCertificate(t *testing.T, serial int64, from, to time.Duration) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	of := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: now.Add(from), NotAfter: now.Add(to)}
	der, err := x509.CreateCertificate(rand.Reader, of, of, private.Public(), private)
	require.NoError(t, err)
	keyDER, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
}

// A connection keeps the certificate that it began with, which an API server judges with each request. client-go looks
// at the file every five minutes.
func TestARequestWhoseCertificateHasExpiredIsSentAgainWithThatOfTheFile(t *testing.T) {
	t.Parallel()
	var accepted atomic.Int64
	accepted.Store(1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS.PeerCertificates[0].SerialNumber.Int64() != accepted.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "3f1c"}}`))
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	dir := t.TempDir()
	files := [2]string{filepath.Join(dir, "crt"), filepath.Join(dir, "key")}
	rotate := func(serial int64) {
		certificate, key := clientCertificate(t, serial, -time.Hour, time.Hour)
		require.NoError(t, os.WriteFile(files[0], certificate, 0o600))
		require.NoError(t, os.WriteFile(files[1], key, 0o600))
	}
	rotate(1)
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server.URL, InsecureSkipTLSVerify: true}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{ClientCertificate: files[0], ClientKey: files[1]}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, path))
	api, err := Open(path, "")
	require.NoError(t, err)
	_, err = api.ClusterUID(t.Context())
	require.NoError(t, err)
	rotate(2)
	accepted.Store(2)
	time.Sleep(1100 * time.Millisecond) // client-go reads the files at most once a second
	_, err = api.ClusterUID(t.Context())
	require.NoError(t, err)
}

func TestAnExpiredClientCertificateIsNamed(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized) // as kube-apiserver, which asks for a certificate and verifies it later
	}))
	t.Cleanup(server.Close)
	for name, c := range map[string]struct {
		from, to time.Duration
		says     string
	}{
		"expired": {-2 * time.Hour, -time.Hour, "the client certificate of the kubeconfig expired on "},
		"later":   {time.Hour, 2 * time.Hour, "the client certificate of the kubeconfig is not valid before "},
		"valid":   {-time.Hour, time.Hour, ""},
	} {
		certificate, key := clientCertificate(t, 1, c.from, c.to)
		config := clientcmdapi.NewConfig()
		config.Clusters["c"] = &clientcmdapi.Cluster{Server: server.URL, InsecureSkipTLSVerify: true}
		config.AuthInfos["u"] = &clientcmdapi.AuthInfo{
			ClientCertificateData: certificate, ClientKeyData: key,
		}
		config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
		config.CurrentContext = "x"
		path := filepath.Join(t.TempDir(), "kubeconfig")
		require.NoError(t, clientcmd.WriteToFile(*config, path))
		api, err := Open(path, "")
		require.NoError(t, err)
		_, err = api.ClusterUID(t.Context())
		require.True(t, apierrors.IsUnauthorized(err), "%s: %v", name, err)
		if c.says == "" {
			require.NotContains(t, err.Error(), "certificate", name)
			continue
		}
		require.ErrorContains(t, err, c.says, name)
	}
}

func TestTheUserIsToldOnceWhatAServerWarnsOfInADryRun(t *testing.T) {
	t.Parallel()
	api := openAt(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Add("Warning", `299 - "would violate PodSecurity \"restricted:latest\": runAsNonRoot != true"`)
		if r.Method == http.MethodPatch {
			_, _ = w.Write([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"operator"}}`))
			return
		}
		_, _ = w.Write([]byte(kubeSystemObject))
	})
	var told []string
	api.Attend(func(sentence string) { told = append(told, sentence) }, nil)
	_, err := api.ClusterUID(t.Context())
	require.NoError(t, err)
	require.Empty(t, told)
	for range 2 {
		require.NoError(t, api.DryApply(t.Context(), "x", map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": map[string]any{"name": "operator", "namespace": "hypershift"},
		}))
	}
	require.Equal(t, []string{`the management cluster warns of Deployment operator: would violate PodSecurity ` +
		`"restricted:latest": runAsNonRoot != true`}, told)
}

// TestAKubeconfigThatIsNoClientNamesItsContext: the libraries' errors of certificates, plugins and addresses do not.
func TestAKubeconfigThatIsNoClientNamesItsContext(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	certificate, _ := clientCertificate(t, 1, -time.Hour, time.Hour)
	_, other := clientCertificate(t, 2, -time.Hour, time.Hour)
	for says, c := range map[string]struct {
		cluster clientcmdapi.Cluster
		user    clientcmdapi.AuthInfo
	}{
		"specifying a root certificates file with the insecure flag is not allowed": {
			cluster: clientcmdapi.Cluster{InsecureSkipTLSVerify: true, CertificateAuthorityData: certificate},
		},
		"unable to load root certificates": {cluster: clientcmdapi.Cluster{CertificateAuthorityData: []byte("a")}},
		"private key does not match public key": {
			user: clientcmdapi.AuthInfo{ClientCertificateData: certificate, ClientKeyData: other},
		},
		"The gcp auth plugin has been removed. Please": {
			user: clientcmdapi.AuthInfo{AuthProvider: &clientcmdapi.AuthProviderConfig{Name: "gcp"}},
		},
		`invalid apiVersion "client.authentication.k8s.io/v1alpha1"`: {
			user: clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
				APIVersion: "client.authentication.k8s.io/v1alpha1", Command: "x",
				InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
			}},
		},
		"the server of the kubeconfig is http://": {
			cluster: clientcmdapi.Cluster{Server: strings.Replace(server.URL, "https", "http", 1)},
		},
	} {
		config := clientcmdapi.NewConfig()
		c.cluster.Server = cmp.Or(c.cluster.Server, server.URL)
		config.Clusters["c"], config.AuthInfos["u"] = &c.cluster, &c.user
		config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
		config.CurrentContext = "x"
		path := filepath.Join(t.TempDir(), "kubeconfig")
		require.NoError(t, clientcmd.WriteToFile(*config, path), says)
		api, err := Open(path, "")
		if err == nil {
			_, err = api.ClusterUID(t.Context())
		} else {
			require.ErrorContains(t, err, "context x of the kubeconfig "+path+": ", says)
		}
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "\n", says)
		require.False(t, NoAnswer(err), says)
	}
}
