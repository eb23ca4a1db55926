package capi

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

// manager is a process that serves webhooks and reconciles objects.
type manager struct {
	name string
	// contract is the label of its definitions with the versions that implement a contract of Cluster API.
	contract map[string]string
	args     []string
	environ  []string
}

// certificate writes a self-signed certificate of the loopback interface into a folder and returns it.
func certificate(t *testing.T, dir string) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tls.crt"), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tls.key"), pem.EncodeToMemory(&pem.Block{
		Type:  "EC PRIVATE KEY",
		Bytes: private,
	}), 0o600))
	return text
}

// documents returns the objects of a file of YAML.
func documents(t *testing.T, path string) (all []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, part := range bytes.Split(text, []byte("\n---\n")) {
		var object map[string]any
		require.NoError(t, yaml.Unmarshal(part, &object))
		if object != nil {
			all = append(all, object)
		}
	}
	return all
}

// webhook returns how an API server reaches a manager's webhook.
func webhook(address, path string, ca []byte) map[string]any {
	return map[string]any{"url": "https://" + address + path, "caBundle": ca}
}

// start installs the manager's definitions, starts it, and installs its webhooks when it serves them.
func (m manager) start(t *testing.T, server *apiserver.Server, bin string) {
	t.Helper()
	dir := t.TempDir()
	ca, hooks, health := certificate(t, dir), apiserver.FreeAddress(t), apiserver.FreeAddress(t)
	config := filepath.Join(bin, "capi", m.name+".config")
	create := func(path string, object map[string]any) {
		t.Helper()
		code, text, err := server.Try(http.MethodPost, path, "application/json", object)
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, code, "%s", text)
	}
	definitions, err := filepath.Glob(filepath.Join(config, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, definitions)
	for _, path := range definitions {
		if filepath.Base(path) == "manifests.yaml" {
			continue
		}
		for _, definition := range documents(t, path) {
			spec, metadata := definition["spec"].(map[string]any), definition["metadata"].(map[string]any)
			labels := map[string]any{}
			for key, versions := range m.contract {
				labels[key] = versions
			}
			metadata["labels"] = labels
			if len(spec["versions"].([]any)) > 1 {
				spec["conversion"] = map[string]any{"strategy": "Webhook", "webhook": map[string]any{
					"conversionReviewVersions": []any{"v1", "v1beta1"}, "clientConfig": webhook(hooks, "/convert", ca)}}
			}
			create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
			requireServed(t, server, spec)
		}
	}

	kubeconfig, err := server.Kubeconfig()
	require.NoError(t, err)
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(hooks)
	require.NoError(t, err)
	process := exec.Command(filepath.Join(bin, "capi", m.name), append([]string{"--webhook-port=" + port,
		"--webhook-cert-dir=" + dir,
		"--health-addr=" + health, "--diagnostics-address=" + apiserver.FreeAddress(t),
		"--insecure-diagnostics=true"}, m.args...)...)
	process.Stdout, process.Stderr = log, log
	process.Env = append(os.Environ(), append([]string{"KUBECONFIG=" + kubeconfig}, m.environ...)...)
	apiserver.Run(t, process)
	t.Cleanup(func() {
		text, _ := os.ReadFile(log.Name())
		if t.Failed() {
			t.Logf("the log of %s ends with\n%s", m.name, tail(string(text), 60))
		}
		if folder := os.Getenv("CAPI_LOGS"); folder != "" {
			_ = os.WriteFile(filepath.Join(folder, m.name+".log"), text, 0o600)
		}
	})
	require.Eventually(t, func() bool {
		answer, err := http.Get("http://" + health + "/readyz")
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	}, time.Minute, 200*time.Millisecond, "%s is ready", m.name)
	for _, configuration := range documents(t, filepath.Join(config, "manifests.yaml")) {
		kind := configuration["kind"].(string)
		configuration["metadata"].(map[string]any)["name"] = m.name + "-" + strings.ToLower(kind)
		for _, hook := range configuration["webhooks"].([]any) {
			hook := hook.(map[string]any)
			service := hook["clientConfig"].(map[string]any)["service"].(map[string]any)
			hook["clientConfig"] = webhook(hooks, service["path"].(string), ca)
		}
		create("/apis/admissionregistration.k8s.io/v1/"+strings.ToLower(kind)+"s", configuration)
	}
}

// requireServed waits until an API server serves all versions of a definition.
func requireServed(t *testing.T, server *apiserver.Server, spec map[string]any) {
	t.Helper()
	plural := spec["names"].(map[string]any)["plural"].(string)
	for _, version := range spec["versions"].([]any) {
		version := version.(map[string]any)
		if version["served"] != true {
			continue
		}
		path := fmt.Sprintf("/apis/%s/%s", spec["group"], version["name"])
		require.Eventually(t, func() bool {
			code, text, err := server.Try(http.MethodGet, path, "", nil)
			return err == nil && code == http.StatusOK && strings.Contains(string(text), fmt.Sprintf("%q", plural))
		}, time.Minute, 100*time.Millisecond, "%s serves %s", path, plural)
	}
}

// tail returns the last lines of a text.
func tail(text string, lines int) string {
	all := strings.Split(text, "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// startManagers starts Cluster API's managers, and its AWS provider against an address of AWS's API.
func startManagers(t *testing.T, server *apiserver.Server, bin, aws string) {
	t.Helper()
	both := map[string]string{"cluster.x-k8s.io/v1beta1": "v1beta1", "cluster.x-k8s.io/v1beta2": "v1beta2"}
	core := []string{"--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields"}
	var endpoints []string
	for _, service := range []string{"ec2", "elasticloadbalancing", "tagging", "sts", "secretsmanager", "s3", "ssm", "sqs",
		"events", "eks"} {
		endpoints = append(endpoints, service+"="+aws)
	}
	for _, m := range []manager{
		{name: "core", contract: both, args: core},
		{name: "bootstrap", contract: both, args: core},
		{name: "control-plane", contract: both, args: core},
		{name: "aws", contract: map[string]string{"cluster.x-k8s.io/v1beta1": "v1beta1_v1beta2"},
			args: []string{"--service-endpoints=us-east-1:" + strings.Join(endpoints, ","), "--wait-infra-period=5s", "--v=2"},
			environ: []string{"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_REGION=us-east-1",
				"AWS_EC2_METADATA_DISABLED=true",
				fmt.Sprintf("AWS_ENDPOINT_URL=%s", aws)}},
	} {
		m.start(t, server, bin)
	}
}
