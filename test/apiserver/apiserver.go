// Package apiserver runs a kube-apiserver with an etcd, which make conformance builds, for tests of what speaks to
// Kubernetes' API.
package apiserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Server is a kube-apiserver with an etcd, both on this machine's loopback. No controllers run: nothing collects
// garbage, and no namespace is finalized.
type Server struct {
	// Address is the server's URL.
	Address string

	ctx    context.Context
	dir    string
	client *http.Client
	// token is what Try sends.
	token string
	// ca is the file of the server's certificate.
	ca string
	// etcd is the URL of the server's etcd.
	etcd string
	// command starts kube-apiserver, and process is the one that runs.
	command []string
	process *exec.Cmd
}

const (
	// token is what an administrator sends.
	token = "conformance"
	// strangersToken is that of a caller who may read nothing.
	strangersToken = "stranger"
)

// Start starts both processes from a folder of their executables, kube-apiserver with more flags; they end with the
// test.
func Start(t *testing.T, bin string, flags ...string) *Server {
	t.Helper()
	dir := t.TempDir()
	etcd, peers, address := FreeAddress(t), FreeAddress(t), FreeAddress(t)
	Run(t, exec.Command(filepath.Join(bin, "etcd"), "--data-dir", filepath.Join(dir, "etcd"), "--log-level", "error",
		"--listen-client-urls", "http://"+etcd, "--advertise-client-urls", "http://"+etcd,
		"--listen-peer-urls", "http://"+peers, "--initial-advertise-peer-urls", "http://"+peers, "--initial-cluster",
		"default=http://"+peers))
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	keyFile, tokens := filepath.Join(dir, "service-accounts.key"), filepath.Join(dir, "tokens.csv")
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{
		Type:  "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key),
	}), 0o600))
	require.NoError(t, os.WriteFile(tokens, []byte(token+`,admin,admin,"system:masters"`+"\n"+strangersToken+",stranger,stranger\n"), 0o600))
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	s := &Server{
		Address: "https://" + address,
		ctx:     t.Context(),
		dir:     dir,
		token:   token,
		ca:      filepath.Join(dir, "apiserver.crt"),
		etcd:    "http://" + etcd,
	}
	s.command = append([]string{filepath.Join(bin, "kube-apiserver"), "--etcd-servers", s.etcd, "--bind-address",
		"127.0.0.1", "--secure-port", port,
		"--cert-dir", dir, "--advertise-address", "192.0.2.1", "--token-auth-file", tokens, "--authorization-mode", "RBAC",
		"--service-cluster-ip-range", "10.0.0.0/24",
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", keyFile,
		"--service-account-signing-key-file", keyFile, "--v", "0"}, flags...)
	s.run(t, "/readyz")
	return s
}

// run starts kube-apiserver, and waits until it answers at a path with 200.
func (s *Server) run(t *testing.T, ready string) {
	t.Helper()
	s.process = exec.Command(s.command[0], s.command[1:]...)
	Run(t, s.process)
	require.Eventually(t, func() bool {
		certificates := x509.NewCertPool()
		text, err := os.ReadFile(s.ca)
		if err != nil || !certificates.AppendCertsFromPEM(text) {
			return false
		}
		s.client = &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: certificates, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
		}}
		code, _, err := s.Try(http.MethodGet, ready, "", nil)
		return err == nil && code == http.StatusOK
	}, 2*time.Minute, 200*time.Millisecond, "the API server is ready")
}

// Restart kills kube-apiserver without notice, and starts it again with the same etcd, so that it reads the files of
// its flags. It does not wait until the server has read all objects, because that fails if etcd has some that cannot be
// decrypted.
func (s *Server) Restart(t *testing.T) {
	t.Helper()
	s.Kill(t)
	s.run(t, "/readyz?exclude=informer-sync")
}

// Kill kills kube-apiserver without notice, and returns when nothing listens at its address.
func (s *Server) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, s.process.Process.Kill())
	_ = s.process.Wait() // it was killed
}

// Stored returns what etcd has stored under the keys that begin with a prefix, such as "/registry/secrets/", by key.
func (s *Server) Stored(prefix string) (map[string][]byte, error) {
	end := []byte(prefix)
	end[len(end)-1]++
	question, err := json.Marshal(map[string][]byte{"key": []byte(prefix), "range_end": end})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.etcd+"/v3/kv/range", bytes.NewReader(question))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var found struct {
		Kvs []struct{ Key, Value []byte }
	}
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		return nil, fmt.Errorf("reading etcd's keys %s: %w", prefix, err)
	}
	stored := map[string][]byte{}
	for _, pair := range found.Kvs {
		stored[string(pair.Key)] = pair.Value
	}
	return stored, nil
}

// FreeAddress returns an address of the loopback interface without a listener.
func FreeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// Run starts a process that ends with the test.
func Run(t *testing.T, process *exec.Cmd) {
	t.Helper()
	require.NoError(t, process.Start())
	t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
}

// Signal sends a signal to kube-apiserver: SIGSTOP leaves its address without an answer.
func (s *Server) Signal(signal os.Signal) error { return s.process.Process.Signal(signal) }

// CA returns the file of the server's certificate.
func (s *Server) CA() string { return s.ca }

// As returns the server for requests with another token.
func (s *Server) As(token string) *Server {
	as := *s
	as.token = token
	return &as
}

// WriteKubeconfig writes a kubeconfig with one context, which sends the server's token.
func (s *Server) WriteKubeconfig(path string) error {
	return os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: c, user: {token: %q}}]
contexts: [{name: c, context: {cluster: c, user: c}}]
`, s.Address, s.ca, s.token), 0o600)
}

// Try sends a request, an administrator's unless the server is that of As, and returns the code and the text of the
// answer.
func (s *Server) Try(method, path, contentType string, body any) (code int, text []byte, err error) {
	content, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	if body == nil {
		content = nil
	}
	request, err := http.NewRequestWithContext(s.ctx, method, s.Address+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", contentType)
	response, err := s.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	text, err = io.ReadAll(response.Body)
	return response.StatusCode, text, errors.Join(err, response.Body.Close())
}

// Kubeconfig writes a kubeconfig whose contexts are admin, the current one, and stranger, who may read nothing, and
// returns its path.
func (s *Server) Kubeconfig() (string, error) {
	path := filepath.Join(s.dir, "kubeconfig")
	return path, os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: admin
clusters: [{name: c, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: admin, user: {token: %s}}, {name: stranger, user: {token: %s}}]
contexts:
- {name: admin, context: {cluster: c, user: admin}}
- {name: stranger, context: {cluster: c, user: stranger}}
`, s.Address, s.ca, token, strangersToken), 0o600)
}
