package hosted

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// hostedConfig is a cluster with its HostedCluster.
const hostedConfig = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    endpointAccess: PublicAndPrivate
    network: {zones: [us-east-1a], nat: Single}
    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}
    hostedCluster:
      kubeconfig: {context: management}
      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64
      pullSecret: pull-secret.json
      unprotected: true
`

// nearConfig is another cluster in the same account, whose infra ID hostedConfig's begins with.
const nearConfig = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: near
    infraID: demo-x
    baseDomain: example.com
    network: {zones: [us-east-1a], vpcCIDR: 10.1.0.0/16}
    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}
`

// clusterResources returns the files of all that the accounts have.
func clusterResources(e *harness.Stack) map[string]string {
	e.T.Helper()
	dir := filepath.Join(e.OfflineDir(), "accounts")
	files := map[string]string{}
	require.NoError(e.T, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(text)
		return err
	}))
	return files
}

// TestDestroyDeletesWhatOperatorsLeft: each kind of resource alone and in pairs, or two of these. The resources of
// another cluster do not change.
func TestDestroyDeletesWhatOperatorsLeft(t *testing.T) {
	t.Parallel()
	combinations := []string{"instances, records"}
	if sizes.All() {
		combinations = nil
		for i, one := range offline.Leavable() {
			combinations = append(combinations, one)
			for _, other := range offline.Leavable()[i+1:] {
				combinations = append(combinations, one+", "+other)
			}
		}
	}
	up := harness.StackAt(t, t.TempDir())
	require.NoError(t, os.WriteFile(filepath.Join(up.Dir, "pull-secret.json"), []byte(`{"auths": {}}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(up.Dir, "Pulumi.near.yaml"), []byte(nearConfig), 0o600))
	up.Run("--offline", "-s", "near", "up", "--yes")
	before := clusterResources(up)
	up.Configure(hostedConfig)
	up.Run("--offline", "-s", "test", "up", "--yes")
	for _, leave := range combinations {
		t.Run(strings.ReplaceAll(leave, ", ", "-and-"), func(t *testing.T) {
			t.Parallel()
			e := harness.StackAt(t, up.Dir).Copy()
			stdout, said, code := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={operators: {leave: ["+leave+"]}}").
				Exit("--offline", "-s", "test", "destroy", "--yes", "--cluster", "demo", "--data")
			require.Zero(t, code, "%s%s", stdout, said)
			require.Contains(t, said, ", which the hosted cluster left")
			require.Equal(t, before, clusterResources(e), said)
		})
	}
}
