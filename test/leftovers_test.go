package test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

var leftoverPairs = flag.Bool("chaos.leftovers", false, "whether TestDestroyLeavesNothingOfWhatOperatorsLeaveBehind tries each kind and each pair of kinds")

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

// TestDestroyLeavesNothingOfWhatOperatorsLeaveBehind: each kind of thing alone and in pairs, or three of these.
func TestDestroyLeavesNothingOfWhatOperatorsLeaveBehind(t *testing.T) {
	t.Parallel()
	combinations := []string{"instances, records", "endpoints, securityGroups", "classicLoadBalancers, networkInterfaces"}
	if *leftoverPairs {
		combinations = nil
		for i, one := range offline.Leavable() {
			combinations = append(combinations, one)
			for _, other := range offline.Leavable()[i+1:] {
				combinations = append(combinations, one+", "+other)
			}
		}
	}
	up := estateAt(t, t.TempDir())
	require.NoError(t, os.WriteFile(filepath.Join(up.dir, "pull-secret.json"), []byte(`{"auths": {}}`), 0o600))
	up.configure(hostedConfig)
	up.run("--offline", "up", "--yes")
	for _, leave := range combinations {
		t.Run(strings.ReplaceAll(leave, ", ", "-and-"), func(t *testing.T) {
			t.Parallel()
			e := estateAt(t, up.dir).copy()
			stdout, said, code := e.with("HYPERSHIFT_AWS_OFFLINE_FAULTS={operators: {leave: ["+leave+"]}}").
				exit("--offline", "destroy", "--yes", "--cluster", "demo", "--data")
			require.Zero(t, code, "%s%s", stdout, said)
			require.Contains(t, said, ", which the hosted cluster left behind")
			accounts, err := offline.Accounts(e.offlineDir())
			require.NoError(t, err)
			for _, account := range accounts {
				for _, resource := range account.Resources() {
					require.True(t, resource.Seed, "%s %s is still there:\n%s", resource.Type, resource.ID, said)
				}
			}
		})
	}
}
