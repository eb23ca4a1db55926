package stackfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// Installer returns the config of a management stack that installs a render, and its other keys of management.
func Installer(manifests, keys string) string {
	return Management(`    oidcBucket: {name: demo-oidc}
    zone: {domain: clusters.example.com}
    kubeconfig: {context: management}
    operator:
      identity: InstanceRole
      instanceRoleARN: arn:aws:iam::123456789012:role/nodes
      install: {manifests: ` + manifests + `}
` + keys)
}

// RenderOf returns the path of a render, which is changed by replacing pairs of texts in it.
func RenderOf(t *testing.T, pairs ...string) string {
	t.Helper()
	text, err := os.ReadFile(repo.Path("components", "management", "kubernetes", "testdata", "render.yaml"))
	require.NoError(t, err)
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, string(text), pairs[i])
	}
	path := filepath.Join(t.TempDir(), "hypershift.yaml")
	require.NoError(t, os.WriteFile(path, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o600))
	return path
}

// LaterVersion returns the changes of a later version: another image, a rule more, a definition without an old version,
// and no monitor.
func LaterVersion() []string {
	return []string{
		"hypershift-operator:latest", "hypershift-operator:later",
		`verbs: ["*"]}`, `verbs: ["*"]}` + "\n- {apiGroups: [\"\"], resources: [pods], verbs: [get]}",
		"  - name: v1alpha1\n    schema:\n      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}\n    served: true\n    storage: false\n", "",
		"apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: operator, namespace: hypershift}\nspec:\n  endpoints:\n" +
			"  - {interval: 30s, port: metrics}\n  selector:\n    matchLabels: {name: operator}\n", "# no monitor\n",
	}
}

// RecordedRender returns the path of a render that was recorded with HyperShift's CLI.
func RecordedRender(t *testing.T, name string) string {
	t.Helper()
	return repo.Path("test", "stackfile", "testdata", "operatorrenders", name+".yaml.gz")
}
