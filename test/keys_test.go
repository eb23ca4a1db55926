package test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// otherKey is another KMS key of the account.
const otherKey = "arn:aws:kms:us-east-1:123456789012:key/aaaaaaaa-12ab-34cd-a6ef-1234567890ab"

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
	fleet.run("--offline", "-s", "east", "up", "--yes", "--expect-no-changes")
	require.Empty(t, fleet.output("east", "externalDNSDomain"))
	fleet.run("--offline", "-s", "west", "up", "--yes")
	require.Equal(t, "clusters.example.com", fleet.output("west", "externalDNSDomain"))

	for _, removed := range []string{withKey, withZone} {
		fleet.edit("management", removed, "")
		for _, command := range sizes.First(1, [][]string{{"up", "--yes"}, {"preview"}}) {
			_, stderr, code := fleet.exit(append([]string{"--offline", "-s", "management"}, command...)...)
			require.Equal(t, 2, code, stderr)
			require.Contains(t, stderr, "is used by west: ")
		}
		fleet.edit("management", "    unprotected: true", removed+"    unprotected: true")
	}
	fleet.run("--offline", "-s", "west", "destroy", "--yes")
	fleet.edit("management", withKey, "")
	fleet.run("--offline", "-s", "management", "up", "--yes", "--allow", "prerequisites-etcd-key")
}

// withoutInherited removes from a stack's state what an earlier version did not record: the values that the cluster inherited.
func (c *cli) withoutInherited(stack string) {
	c.t.Helper()
	path := filepath.Join(c.offlineDir(), "state", ".pulumi", "stacks", "hypershift-aws", stack+".json")
	text, err := os.ReadFile(path)
	require.NoError(c.t, err)
	var file map[string]any
	require.NoError(c.t, json.Unmarshal(text, &file))
	latest, _ := file["checkpoint"].(map[string]any)["latest"].(map[string]any)
	all, _ := latest["resources"].([]any)
	isStash := func(one any) bool {
		urn, _ := one.(string)
		return strings.HasSuffix(urn, "pulumi:index:Stash::inherited")
	}
	kept := slices.DeleteFunc(all, func(one any) bool { return isStash(one.(map[string]any)["urn"]) })
	require.Len(c.t, all, len(kept)+1)
	for _, one := range kept {
		r, _ := one.(map[string]any)
		if on, depends := r["dependencies"].([]any); depends {
			r["dependencies"] = slices.DeleteFunc(on, isStash)
		}
	}
	latest["resources"] = kept
	text, err = json.Marshal(file)
	require.NoError(c.t, err)
	require.NoError(c.t, os.WriteFile(path, text, 0o600))
}

// The first update of an earlier version's state is killed: the next one takes the values that the cluster has, whatever its management stack
// has gained in the meantime.
func TestAnInterruptedFirstUpdateOfAnEarlierVersionsStateInheritsWhatTheClusterHas(t *testing.T) {
	t.Parallel()
	first := newFleet(t)
	withKey, withZone := first.cut("management", "    etcdKey:"), first.cut("management", "    zone:")
	first.edit("east", "    network:\n", "    hostedCluster:\n      kubeconfig: {context: hub}\n      release: "+release+"\n      pullSecret: pull-secret.json\n    network:\n")
	require.NoError(t, os.WriteFile(filepath.Join(first.dir, "pull-secret.json"), []byte(`{"auths":{}}`), 0o600))
	first.run("--offline", "-s", "management", "up", "--yes")
	first.run("--offline", "-s", "east", "up", "--yes")
	first.edit("management", "    unprotected: true", withKey+withZone+"    unprotected: true")
	first.run("--offline", "-s", "management", "up", "--yes")
	first.edit("east", "    network:\n", "    tags: {team: platform}\n    network:\n")
	for _, when := range sizes.First(1, []string{"before", "after"}) {
		t.Run("killed "+when+" a call", func(t *testing.T) {
			t.Parallel()
			fleet := newCLI(t, t.TempDir())
			require.NoError(t, os.CopyFS(fleet.dir, os.DirFS(first.dir)))
			fleet.withoutInherited("east")
			_, stderr, code := fleet.with("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: 1, kill: engine, when: "+when+"}]}").
				exit("--offline", "-s", "east", "up", "--yes")
			require.Equal(t, 1, code, stderr)
			require.Contains(t, stderr, "the engine exited unexpectedly")
			fleet.run("--offline", "-s", "east", "up", "--yes")
			require.Empty(t, fleet.output("east", "externalDNSDomain"))
			require.NotContains(t, fleet.run("--offline", "-s", "east", "outputs", "iam"), "arn:aws:kms")
			fleet.run("--offline", "-s", "east", "up", "--yes", "--expect-no-changes")
		})
	}
}

// An earlier version's first update was killed after it had created the HostedCluster, and before the state had outputs: the cluster keeps what
// its HostedCluster has, whatever its management stack has gained in the meantime, and the management stack does not lose what the cluster uses.
func TestAnInterruptedFirstUpdateByAnEarlierVersionInheritsWhatTheHostedClusterHas(t *testing.T) {
	t.Parallel()
	for name, had := range sizes.Only(t, map[string]bool{"nothing, which it gains later": false, "a key and a domain": true}, "a key and a domain") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet := newFleet(t)
			more := []string{fleet.cut("management", "    etcdKey:"), fleet.cut("management", "    zone:")}
			gain := func() {
				fleet.edit("management", "    unprotected: true", strings.Join(more, "")+"    unprotected: true")
				fleet.run("--offline", "-s", "management", "up", "--yes")
			}
			if had {
				gain()
			}
			fleet.edit("east", "    network:\n", "    hostedCluster:\n      kubeconfig: {context: hub}\n      release: "+release+
				"\n      pullSecret: pull-secret.json\n      nodePools: [{zone: us-east-1a}]\n    network:\n")
			require.NoError(t, os.WriteFile(filepath.Join(fleet.dir, "pull-secret.json"), []byte(`{"auths":{}}`), 0o600))
			fleet.run("--offline", "-s", "management", "up", "--yes")
			_, stderr, code := fleet.with("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{creates: \"kubernetes:hypershift.openshift.io/v1beta1:NodePool\", kill: engine, when: before}]}").
				exit("--offline", "-s", "east", "up", "--yes")
			require.Equal(t, 1, code, stderr)
			fleet.withoutInherited("east")
			if had {
				for _, withdrawn := range more {
					fleet.edit("management", withdrawn, "")
					_, stderr, code := fleet.exit("--offline", "-s", "management", "up", "--yes")
					require.Equal(t, 2, code, stderr)
					require.Contains(t, stderr, "is used by east")
					fleet.edit("management", "    unprotected: true", withdrawn+"    unprotected: true")
				}
			} else {
				gain()
			}
			fleet.run("--offline", "-s", "east", "up", "--yes")
			domain, key := fleet.output("east", "externalDNSDomain"), fleet.run("--offline", "-s", "east", "outputs", "iam")
			if had {
				require.Equal(t, "clusters.example.com", domain)
				require.Contains(t, key, "arn:aws:kms")
			} else {
				require.Empty(t, domain)
				require.NotContains(t, key, "arn:aws:kms")
			}
			fleet.run("--offline", "-s", "east", "up", "--yes", "--expect-no-changes")
		})
	}
}

// Only the state of a cluster that GitOps applies says which key its API server has. An update that fails, or is killed, loses nothing of that.
func TestAnInterruptedUpdateDoesNotAllowAnotherKeyOfAClusterThatGitOpsApplies(t *testing.T) {
	t.Parallel()
	e := newCLIStack(t)
	config := clusterConfig{zones: zoneNames(1), access: "Public", nat: "Single"}.String()
	e.configure(config)
	e.run("--offline", "up", "--yes")
	tagged := strings.Replace(config, "team: platform", "team: network", 1)
	e.configure(tagged)
	_, stderr, code := e.with("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: 3, kill: both}]}").exit("--offline", "up", "--yes")
	require.NotZero(t, code, stderr)
	for _, other := range []string{"none", otherKey} {
		e.configure(strings.Replace(tagged, kmsKeyARN, other, 1))
		for _, command := range [][]string{{"preview"}, {"up", "--yes"}} {
			_, stderr, code := e.exit(append([]string{"--offline"}, command...)...)
			require.NotZero(t, code, stderr)
			require.Contains(t, stderr, "hypershift-aws:cluster.kmsKeyARN")
			require.Contains(t, stderr, kmsKeyARN)
		}
	}
	e.configure(tagged)
	e.untilFree("--offline", "up", "--yes")
	e.requireTrue()
}
