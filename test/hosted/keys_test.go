package hosted

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// otherKey is another KMS key of the account.
const otherKey = "arn:aws:kms:us-east-1:123456789012:key/aaaaaaaa-12ab-34cd-a6ef-1234567890ab"

func TestNoUpdateChangesTheKeyOrDowngradesTheReleaseOfAnExistingCluster(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "etcd.key")
	write := func(text string) {
		require.NoError(t, os.WriteFile(key, []byte(base64.StdEncoding.EncodeToString([]byte(text))), 0o600))
	}
	write("an etcd key of thirty-two bytes!")
	stack := harness.NewCluster(t)
	pools := "      nodePools: [{zone: us-east-1a, release: quay.io/openshift-release-dev/ocp-release:4.18.0-x86_64}]\n"
	config := strings.Replace(stackfile.WithHostedCluster(t, "      etcdKey: "+key+"\n"+pools).String(),
		stackfile.KMSKeyARN, "none", 1)
	stack.Configure(config)
	stack.Up()

	enginetest.RequireRefused(t, stack, strings.NewReplacer("kmsKeyARN: none", "kmsKeyARN: "+stackfile.KMSKeyARN,
		"      etcdKey: "+key+"\n", "").Replace(config),
		"hypershift-aws:cluster.kmsKeyARN", stackfile.KMSKeyARN, "set kmsKeyARN: none")
	enginetest.RequireRefused(t, stack, strings.Replace(config, "ocp-release:4.19.0", "ocp-release:4.17.9", 1),
		"hypershift-aws:cluster.hostedCluster.release", "ocp-release:4.17.9", "ocp-release:4.19.0")
	enginetest.RequireRefused(t, stack, strings.Replace(config, "ocp-release:4.18.0", "ocp-release:4.17.0", 1),
		"hypershift-aws:cluster.hostedCluster.nodePools", "ocp-release:4.17.0", "ocp-release:4.18.0")
	write("another key of thirty-two bytes!")
	enginetest.RequireRefused(t, stack, config, "hypershift-aws:cluster.hostedCluster.etcdKey", "([secret])")
	stack.Configure(strings.Replace(config, "      etcdKey: "+key+"\n", "", 1))
	require.Empty(t, stack.Preview(), "without the config key, the stack keeps the key in its state")
	write("an etcd key of thirty-two bytes!")
	stack.Configure(config)
	require.Empty(t, stack.Preview(), "nothing was changed")

	_, err := stack.DestroyErr()
	require.ErrorContains(t, err, "use-hypershift-aws-destroy")
	stack.Configure(strings.Replace(config, "    hostedCluster:\n", "    hostedCluster:\n      unprotected: true\n", 1))
	stack.Up()
	stack.Destroy()
	require.Empty(t, stack.Resources(), "what destroy left in the account")
}

func TestTheSecretWithTheKeyOfEtcdIsProtectedUnlessTheClusterIsNot(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	secret := func() apitype.ResourceV3 {
		for _, r := range stack.State() {
			if strings.HasSuffix(r.URN.Name(), "-etcd-encryption-key") {
				return r
			}
		}
		require.Fail(t, "the state has no Secret with the key")
		return apitype.ResourceV3{}
	}
	stack.Configure(strings.Replace(stackfile.WithHostedCluster(t, "").String(), stackfile.KMSKeyARN, "none", 1))
	stack.Up()
	require.True(t, secret().Protect)
	stack.Configure(strings.Replace(stackfile.WithHostedCluster(t, "      unprotected: true\n").String(),
		stackfile.KMSKeyARN, "none", 1))
	stack.Up()
	require.False(t, secret().Protect)
	stack.Destroy()
}

// A cluster that GitOps applies has no HostedCluster in the stack: the role's policy alone decides whether its API
// server can read etcd.
func TestTheKMSKeyOfAStackWithoutAHostedClusterCannotBeChanged(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{
		Seeds: append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedKMSKey, Name: otherKey}),
	})
	config := stackfile.Cluster{Zones: stackfile.ZoneNames(1), Access: "Public", NAT: "Single"}.String()
	stack.Configure(config)
	stack.Up()
	enginetest.RequireRefused(t, stack, strings.Replace(config, stackfile.KMSKeyARN, otherKey, 1),
		"hypershift-aws:cluster.kmsKeyARN", stackfile.KMSKeyARN, otherKey)
	enginetest.RequireRefused(t, stack, strings.Replace(config, stackfile.KMSKeyARN, "none", 1),
		"hypershift-aws:cluster.kmsKeyARN", stackfile.KMSKeyARN)
	stack.Configure(config)
	require.Empty(t, stack.Preview())
	stack.Destroy()

	config = strings.Replace(config, stackfile.KMSKeyARN, "none", 1)
	stack.Configure(config)
	stack.Up()
	enginetest.RequireRefused(
		t,
		stack,
		strings.Replace(config, "kmsKeyARN: none", "kmsKeyARN: "+stackfile.KMSKeyARN, 1),
		"hypershift-aws:cluster.kmsKeyARN",
		stackfile.KMSKeyARN,
	)
	stack.Configure(config)
	stack.Destroy()
}

func TestWhatAManagementStackGainsChangesOrLosesIsForNewClusters(t *testing.T) {
	t.Parallel()
	fleet := harness.NewFleet(t)
	withKey := fleet.Cut("management", "    etcdKey:")
	withZone := fleet.Cut("management", "    zone:")
	fleet.Run("--offline", "-s", "management", "up", "--yes")
	fleet.Run("--offline", "-s", "east", "up", "--yes")

	fleet.Edit("management", "    unprotected: true", withKey+withZone+"    unprotected: true")
	fleet.Run("--offline", "-s", "management", "up", "--yes")
	fleet.Run("--offline", "-s", "east", "up", "--yes", "--expect-no-changes")
	require.Empty(t, fleet.Output("east", "externalDNSDomain"))
	fleet.Run("--offline", "-s", "west", "up", "--yes")
	require.Equal(t, "clusters.example.com", fleet.Output("west", "externalDNSDomain"))

	for _, removed := range []string{withKey, withZone} {
		fleet.Edit("management", removed, "")
		for _, command := range sizes.First(1, [][]string{{"up", "--yes"}, {"preview"}}) {
			_, stderr, code := fleet.Exit(append([]string{"--offline", "-s", "management"}, command...)...)
			require.Equal(t, 2, code, stderr)
			require.Contains(t, stderr, "is used by west: ")
		}
		fleet.Edit("management", "    unprotected: true", removed+"    unprotected: true")
	}
	fleet.Run("--offline", "-s", "west", "destroy", "--yes")
	fleet.Edit("management", withKey, "")
	fleet.Run("--offline", "-s", "management", "up", "--yes", "--allow", "prerequisites-etcd-key")
}

// withoutInherited removes from a stack's state what an earlier version did not record: the values that the cluster
// inherited.
func withoutInherited(c *harness.CLI, stack string) {
	c.T.Helper()
	path := filepath.Join(c.OfflineDir(), "state", ".pulumi", "stacks", "hypershift-aws", stack+".json")
	text, err := os.ReadFile(path)
	require.NoError(c.T, err)
	var file map[string]any
	require.NoError(c.T, json.Unmarshal(text, &file))
	latest, _ := file["checkpoint"].(map[string]any)["latest"].(map[string]any)
	all, _ := latest["resources"].([]any)
	isStash := func(one any) bool {
		urn, _ := one.(string)
		return strings.HasSuffix(urn, "pulumi:index:Stash::inherited")
	}
	kept := slices.DeleteFunc(all, func(one any) bool { return isStash(one.(map[string]any)["urn"]) })
	require.Len(c.T, all, len(kept)+1)
	for _, one := range kept {
		r, _ := one.(map[string]any)
		if on, depends := r["dependencies"].([]any); depends {
			r["dependencies"] = slices.DeleteFunc(on, isStash)
		}
	}
	latest["resources"] = kept
	text, err = json.Marshal(file)
	require.NoError(c.T, err)
	require.NoError(c.T, os.WriteFile(path, text, 0o600))
}

// The first update of an earlier version's state is killed: the next one takes the values that the cluster has,
// whatever its management stack has gained in the meantime.
func TestAnInterruptedFirstUpdateOfAnEarlierVersionsStateInheritsWhatTheClusterHas(t *testing.T) {
	t.Parallel()
	first := harness.NewFleet(t)
	withKey, withZone := first.Cut("management", "    etcdKey:"), first.Cut("management", "    zone:")
	first.Edit(
		"east",
		"    network:\n",
		"    hostedCluster:\n      kubeconfig: {context: hub}\n      release: "+stackfile.Release+
			"\n      pullSecret: pull-secret.json\n    network:\n",
	)
	require.NoError(t, os.WriteFile(filepath.Join(first.Dir, "pull-secret.json"), []byte(`{"auths":{}}`), 0o600))
	first.Run("--offline", "-s", "management", "up", "--yes")
	first.Run("--offline", "-s", "east", "up", "--yes")
	first.Edit("management", "    unprotected: true", withKey+withZone+"    unprotected: true")
	first.Run("--offline", "-s", "management", "up", "--yes")
	first.Edit("east", "    network:\n", "    tags: {team: platform}\n    network:\n")
	for _, when := range sizes.First(1, []string{"before", "after"}) {
		t.Run("killed "+when+" a call", func(t *testing.T) {
			t.Parallel()
			fleet := harness.NewCLI(t, t.TempDir())
			require.NoError(t, os.CopyFS(fleet.Dir, os.DirFS(first.Dir)))
			withoutInherited(fleet, "east")
			_, stderr, code := fleet.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: 1, kill: engine, when: "+when+"}]}").
				Exit("--offline", "-s", "east", "up", "--yes")
			require.Equal(t, 1, code, stderr)
			require.Contains(t, stderr, "the engine exited unexpectedly")
			fleet.Run("--offline", "-s", "east", "up", "--yes")
			require.Empty(t, fleet.Output("east", "externalDNSDomain"))
			require.NotContains(t, fleet.Run("--offline", "-s", "east", "outputs", "iam"), "arn:aws:kms")
			fleet.Run("--offline", "-s", "east", "up", "--yes", "--expect-no-changes")
		})
	}
}

// An earlier version's first update was killed after it had created the HostedCluster, and before the state had
// outputs: the cluster keeps what its HostedCluster has, whatever its management stack has gained in the meantime, and
// the management stack does not lose what the cluster uses.
func TestAnInterruptedFirstUpdateByAnEarlierVersionInheritsWhatTheHostedClusterHas(t *testing.T) {
	t.Parallel()
	for name, had := range sizes.Only(t, map[string]bool{
		"nothing, which it gains later": false,
		"a key and a domain":            true,
	}, "a key and a domain") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet := harness.NewFleet(t)
			more := []string{fleet.Cut("management", "    etcdKey:"), fleet.Cut("management", "    zone:")}
			gain := func() {
				fleet.Edit("management", "    unprotected: true", strings.Join(more, "")+"    unprotected: true")
				fleet.Run("--offline", "-s", "management", "up", "--yes")
			}
			if had {
				gain()
			}
			fleet.Edit("east", "    network:\n", "    hostedCluster:\n      kubeconfig: {context: hub}\n      release: "+
				stackfile.Release+
				"\n      pullSecret: pull-secret.json\n      nodePools: [{zone: us-east-1a}]\n    network:\n")
			require.NoError(t, os.WriteFile(filepath.Join(fleet.Dir, "pull-secret.json"), []byte(`{"auths":{}}`), 0o600))
			fleet.Run("--offline", "-s", "management", "up", "--yes")
			_, stderr, code := fleet.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{creates: \"kubernetes:hypershift.openshift.io/v1beta1:NodePool\", kill: engine, when: before}]}").
				Exit("--offline", "-s", "east", "up", "--yes")
			require.Equal(t, 1, code, stderr)
			withoutInherited(fleet, "east")
			if had {
				for _, withdrawn := range more {
					fleet.Edit("management", withdrawn, "")
					_, stderr, code := fleet.Exit("--offline", "-s", "management", "up", "--yes")
					require.Equal(t, 2, code, stderr)
					require.Contains(t, stderr, "is used by east")
					fleet.Edit("management", "    unprotected: true", withdrawn+"    unprotected: true")
				}
			} else {
				gain()
			}
			fleet.Run("--offline", "-s", "east", "up", "--yes")
			domain, key := fleet.Output("east", "externalDNSDomain"), fleet.Run("--offline", "-s", "east", "outputs", "iam")
			if had {
				require.Equal(t, "clusters.example.com", domain)
				require.Contains(t, key, "arn:aws:kms")
			} else {
				require.Empty(t, domain)
				require.NotContains(t, key, "arn:aws:kms")
			}
			fleet.Run("--offline", "-s", "east", "up", "--yes", "--expect-no-changes")
		})
	}
}

// Only the state of a cluster that GitOps applies says which key its API server has. An update that fails, or is
// killed, loses nothing of that.
func TestAnInterruptedUpdateDoesNotAllowAnotherKeyOfAClusterThatGitOpsApplies(t *testing.T) {
	t.Parallel()
	e := harness.NewStack(t)
	config := stackfile.Cluster{Zones: stackfile.ZoneNames(1), Access: "Public", NAT: "Single"}.String()
	e.Configure(config)
	e.Run("--offline", "up", "--yes")
	tagged := strings.Replace(config, "team: platform", "team: network", 1)
	e.Configure(tagged)
	_, stderr, code := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: 3, kill: both}]}").Exit("--offline", "up",
		"--yes")
	require.NotZero(t, code, stderr)
	for _, other := range []string{"none", otherKey} {
		e.Configure(strings.Replace(tagged, stackfile.KMSKeyARN, other, 1))
		for _, command := range [][]string{{"preview"}, {"up", "--yes"}} {
			_, stderr, code := e.Exit(append([]string{"--offline"}, command...)...)
			require.NotZero(t, code, stderr)
			require.Contains(t, stderr, "hypershift-aws:cluster.kmsKeyARN")
			require.Contains(t, stderr, stackfile.KMSKeyARN)
		}
	}
	e.Configure(tagged)
	e.UntilFree("--offline", "up", "--yes")
	e.RequireTrue()
}
