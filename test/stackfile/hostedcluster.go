package stackfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// Unprotected adds the key to a config of a cluster or a capa stack.
func Unprotected(config string) string {
	config = strings.Replace(config, "  hypershift-aws:cluster:\n", "  hypershift-aws:cluster:\n    unprotected: true\n",
		1)
	return strings.Replace(config, "capa: {", "capa: {unprotected: true, ", 1)
}

// Release is the release image of hosted clusters.
const Release = "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64"

// HostedCluster returns the keys of a cluster stack that creates its hosted cluster, with a pull secret that is a file.
func HostedCluster(t *testing.T, more string) string {
	t.Helper()
	pullSecret := filepath.Join(t.TempDir(), "pull-secret.json")
	require.NoError(t, os.WriteFile(pullSecret, []byte(`{"auths":{}}`), 0o600))
	return `    hostedCluster:
      kubeconfig: {context: management}
      release: ` + Release + `
      pullSecret: ` + pullSecret + "\n" + more
}

// WithHostedCluster returns a cluster in two zones with its hosted cluster, whose section has more keys.
func WithHostedCluster(t *testing.T, more string) Cluster {
	t.Helper()
	return Cluster{
		Access: hypershift.PublicAndPrivate,
		NAT:    network.PerZone,
		Zones:  ZoneNames(2),
		More:   HostedCluster(t, more),
	}
}

// NodePools returns the config of a stack of kind nodePools for HostedCluster clusters/demo, with the given keys of its
// section.
func NodePools(keys string) string {
	return "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: nodePools\n  hypershift-aws:nodePools:\n    name: demo\n" +
		"    kubeconfig: {context: management}\n" + keys
}

// InNamespaceOfOthers changes the file of a management stack: the namespace of its operator exists.
func InNamespaceOfOthers(text string) string {
	return strings.NewReplacer("operator: {", "operator: {existingNamespace: true, ", "operator:\n",
		"operator:\n      existingNamespace: true\n").Replace(text)
}
