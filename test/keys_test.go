package test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
)

// otherKey is another KMS key of the account.
const otherKey = "arn:aws:kms:us-east-1:123456789012:key/aaaaaaaa-12ab-34cd-56ef-1234567890ab"

// refused previews and updates a stack, and fails the test unless both are refused with the text, and the update changes nothing.
func refused(t *testing.T, stack *enginetest.Stack, config string, want ...string) {
	t.Helper()
	before := stack.State()
	stack.Configure(config)
	_, previewed := stack.PreviewErr()
	_, updated := stack.UpErr()
	for _, err := range []error{previewed, updated} {
		require.Error(t, err)
		for _, text := range want {
			require.ErrorContains(t, err, text)
		}
	}
	inputs := map[resource.URN]map[string]any{}
	for _, r := range before {
		inputs[r.URN] = r.Inputs
	}
	require.Len(t, stack.State(), len(before))
	for _, r := range stack.State() {
		require.Contains(t, inputs, r.URN)
		if !strings.HasSuffix(string(r.Type), ":Secret") { // whose ciphertext differs
			require.Equal(t, inputs[r.URN], r.Inputs, r.URN)
		}
	}
}

func TestNoUpdateChangesTheKeyOrDowngradesTheReleaseOfAnExistingCluster(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "etcd.key")
	write := func(text string) {
		require.NoError(t, os.WriteFile(key, []byte(base64.StdEncoding.EncodeToString([]byte(text))), 0o600))
	}
	write("an etcd key of thirty-two bytes!")
	stack := newCluster(t)
	pools := "      nodePools: [{zone: us-east-1a, release: quay.io/openshift-release-dev/ocp-release:4.18.0-x86_64}]\n"
	config := strings.Replace(withHostedCluster(t, "      etcdKey: "+key+"\n"+pools).String(), kmsKeyARN, "none", 1)
	stack.Configure(config)
	stack.Up()

	refused(t, stack, strings.NewReplacer("kmsKeyARN: none", "kmsKeyARN: "+kmsKeyARN, "      etcdKey: "+key+"\n", "").Replace(config),
		"hypershift-aws:cluster.kmsKeyARN", kmsKeyARN, "set kmsKeyARN: none")
	refused(t, stack, strings.Replace(config, "ocp-release:4.19.0", "ocp-release:4.17.9", 1),
		"hypershift-aws:cluster.hostedCluster.release", "ocp-release:4.17.9", "ocp-release:4.19.0")
	refused(t, stack, strings.Replace(config, "ocp-release:4.18.0", "ocp-release:4.17.0", 1),
		"hypershift-aws:cluster.hostedCluster.nodePools", "ocp-release:4.17.0", "ocp-release:4.18.0")
	write("another key of thirty-two bytes!")
	refused(t, stack, config, "hypershift-aws:cluster.hostedCluster.etcdKey", "([secret])")
	stack.Configure(strings.Replace(config, "      etcdKey: "+key+"\n", "", 1))
	require.Empty(t, stack.Preview(), "without the config key, the stack keeps the key in its state")
	write("an etcd key of thirty-two bytes!")
	stack.Configure(config)
	require.Empty(t, stack.Preview(), "nothing was changed")

	_, err := stack.DestroyErr()
	require.ErrorContains(t, err, "cluster-must-be-gone")
	stack.Configure(strings.Replace(config, "    hostedCluster:\n", "    hostedCluster:\n      unprotected: true\n", 1))
	stack.Up()
	stack.Destroy()
	require.Empty(t, stack.Resources(), "what destroy left in the account")
}

func TestTheSecretWithTheKeyOfEtcdIsProtectedUnlessTheClusterIsNot(t *testing.T) {
	t.Parallel()
	stack := newCluster(t)
	secret := func() apitype.ResourceV3 {
		for _, r := range stack.State() {
			if strings.HasSuffix(r.URN.Name(), "-etcd-encryption-key") {
				return r
			}
		}
		require.Fail(t, "the state has no Secret with the key")
		return apitype.ResourceV3{}
	}
	stack.Configure(strings.Replace(withHostedCluster(t, "").String(), kmsKeyARN, "none", 1))
	stack.Up()
	require.True(t, secret().Protect)
	stack.Configure(strings.Replace(withHostedCluster(t, "      unprotected: true\n").String(), kmsKeyARN, "none", 1))
	stack.Up()
	require.False(t, secret().Protect)
	stack.Destroy()
}

// A cluster that GitOps applies has no HostedCluster in the stack: the role's policy alone decides whether its API server can read etcd.
func TestTheKMSKeyOfAStackWithoutAHostedClusterCannotBeChanged(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(seeds(), offline.Seed{Kind: offline.SeedKMSKey, Name: otherKey})})
	config := clusterConfig{zones: zoneNames(1), access: "Public", nat: "Single"}.String()
	stack.Configure(config)
	stack.Up()
	refused(t, stack, strings.Replace(config, kmsKeyARN, otherKey, 1), "hypershift-aws:cluster.kmsKeyARN", kmsKeyARN, otherKey)
	refused(t, stack, strings.Replace(config, kmsKeyARN, "none", 1), "hypershift-aws:cluster.kmsKeyARN", kmsKeyARN)
	stack.Configure(config)
	require.Empty(t, stack.Preview())
	stack.Destroy()

	config = strings.Replace(config, kmsKeyARN, "none", 1)
	stack.Configure(config)
	stack.Up()
	refused(t, stack, strings.Replace(config, "kmsKeyARN: none", "kmsKeyARN: "+kmsKeyARN, 1), "hypershift-aws:cluster.kmsKeyARN", kmsKeyARN)
	stack.Configure(config)
	stack.Destroy()
}

func TestWhatAManagementStackGainsChangesOrLosesIsForNewClusters(t *testing.T) {
	t.Parallel()
	fleet := newFleet(t)
	withKey := fleet.cut("management", "    etcdKey:")
	withZone := fleet.cut("management", "    zone:")
	fleet.run("--offline", "-s", "management", "up", "--yes")
	fleet.run("--offline", "-s", "east", "up", "--yes")

	fleet.edit("management", "    unprotected: true", withKey+withZone+"    unprotected: true")
	fleet.run("--offline", "-s", "management", "up", "--yes")
	fleet.run("--offline", "-s", "east", "preview", "--expect-no-changes")
	fleet.run("--offline", "-s", "east", "up", "--yes", "--expect-no-changes")
	require.Empty(t, fleet.output("east", "externalDNSDomain"))
	fleet.run("--offline", "-s", "west", "up", "--yes")
	require.Equal(t, "clusters.example.com", fleet.output("west", "externalDNSDomain"))

	for _, removed := range []string{withKey, withZone} {
		fleet.edit("management", removed, "")
		for _, command := range [][]string{{"preview"}, {"up", "--yes"}} {
			_, stderr, code := fleet.exit(append([]string{"--offline", "-s", "management"}, command...)...)
			require.Equal(t, 2, code, stderr)
			require.Contains(t, stderr, "is used by west: ")
		}
		fleet.edit("management", "    unprotected: true", removed+"    unprotected: true")
	}
	fleet.run("--offline", "-s", "west", "destroy", "--yes")
	fleet.edit("management", withKey, "")
	fleet.run("--offline", "-s", "management", "up", "--yes")
}
