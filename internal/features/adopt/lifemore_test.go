package adopt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// adoptByFile takes back a stack whose state and tags are lost, by its file, and requires that it is as before.
func adoptByFile(e *harness.Stack, text string, flags ...string) string {
	e.T.Helper()
	want, held := e.Graph(), idsIn(e.T, e.OfflineDir())
	forgetStates(e)
	e.Configure(text)
	shown := e.Run(append([]string{"--offline", "adopt", "--yes"}, flags...)...)
	require.Empty(e.T, harness.Differences(want, e.Graph()), "the state")
	require.Equal(e.T, held, idsIn(e.T, e.OfflineDir()), "the resources of the account")
	e.Run("--offline", "preview", "--expect-no-changes")
	require.Contains(e.T, adoptAgain(e), "nothing to do")
	return shown
}

func TestAnAdoptedManagementStackHasTheStateOfTheOneThatWasCreated(t *testing.T) {
	t.Parallel()
	e := harness.StackAt(t, t.TempDir())
	text := stackfile.Management(stackfile.Managements()["whole"])
	e.Configure(text)
	e.Run("--offline", "up", "--yes")
	control := "OriginAccessControl:prerequisites-oidc-bucket=" + e.IDOf("OriginAccessControl",
		"prerequisites-oidc-bucket")
	distribution := "Distribution:prerequisites-oidc-bucket=" + e.IDOf("Distribution", "prerequisites-oidc-bucket")
	shown := adoptByFile(e, text, "--id", control, "--id", distribution)
	require.NotContains(t, shown, "created (")
	require.NotContains(t, shown, "found by its name")
}

// The distribution is found by the policy of the bucket, and its access control by the distribution, without tags and
// IDs: a second distribution would take the bucket from the first one, whose issuer then has no documents.
func TestTheDistributionOfAnExistingBucketIsAdoptedAndNeverCreated(t *testing.T) {
	t.Parallel()
	e := harness.StackAt(t, t.TempDir())
	text := stackfile.Management(stackfile.Managements()["whole"])
	e.Configure(text)
	e.Run("--offline", "up", "--yes")
	tamper(e, "cloudfront.Distribution", func(state map[string]any) bool {
		state["tags"], state["tagsAll"] = map[string]any{}, map[string]any{}
		return true
	})
	require.NotContains(t, adoptByFile(e, text), "created (")

	held := idsIn(t, e.OfflineDir())
	forgetStates(e)
	e.Configure(text)
	tamper(e, "cloudfront.Distribution", func(state map[string]any) bool {
		for _, origin := range state["origins"].([]any) {
			origin.(map[string]any)["originAccessControlId"] = ""
		}
		return true
	})
	_, stderr, code := e.Exit("--offline", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "set its ID with --id OriginAccessControl:prerequisites-oidc-bucket=ID")
	require.Equal(t, held, idsIn(t, e.OfflineDir()), "the resources of the account")
}

func TestTheLetterCaseOfAThumbprintIsNoChange(t *testing.T) {
	t.Parallel()
	e := harness.CreatedStack(t)
	text, err := os.ReadFile(filepath.Join(e.Dir, "Pulumi.test.yaml"))
	require.NoError(t, err)
	tamper(e, "iam.OpenIdConnectProvider", func(state map[string]any) bool {
		for i, print := range state["thumbprintLists"].([]any) {
			state["thumbprintLists"].([]any)[i] = strings.ToUpper(print.(string))
		}
		return true
	})
	forgetStates(e)
	e.Configure(string(text))
	require.NotContains(t, e.Run("--offline", "adopt", "--yes"), "thumbprintLists")
	e.Run("--offline", "preview", "--expect-no-changes")
}

func TestAdoptRefusesWhileAnotherStackCannotBeRead(t *testing.T) {
	t.Parallel()
	e := harness.CreatedStack(t)
	text, err := os.ReadFile(filepath.Join(e.Dir, "Pulumi.test.yaml"))
	require.NoError(t, err)
	other := filepath.Join(e.Dir, "Pulumi.other.yaml")
	require.NoError(t, os.WriteFile(other, text, 0o600))
	states, err := filepath.Glob(filepath.Join(e.OfflineDir(), "state", ".pulumi", "stacks", "*", "test.json"))
	require.NoError(t, err)
	require.Len(t, states, 1)
	state, err := os.ReadFile(states[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(states[0], state[:len(state)/2], 0o600))
	require.NoError(t, os.RemoveAll(states[0]+".bak"))
	_, stderr, code := e.Exit("--offline", "-s", "other", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "stack test: its state cannot be read: ")

	require.NoError(t, os.WriteFile(states[0], state, 0o600))
	e.Run("--offline", "-s", "test", "forget", "--yes")
	require.NoError(t, os.WriteFile(filepath.Join(e.Dir, "Pulumi.test.yaml"),
		[]byte("config: {hypershift-aws:kind: cluster, hypershift-aws:cluster: {nam: x}}\n"), 0o600))
	_, stderr, code = e.Exit("--offline", "-s", "other", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "stack test: its file cannot be read: ")
}

// A queue, its rules and its policy that something else made have the names of the stack's, and no tags.
func TestAQueueAndRulesWithoutTagsAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	e := harness.StackAt(t, t.TempDir())
	text := stackfile.Management(stackfile.Managements()["least"] + "    interruptionQueueName: demo-interruptions\n")
	e.Configure(text)
	e.Run("--offline", "up", "--yes")
	for _, token := range []string{"sqs.Queue", "cloudwatch.EventRule"} {
		tamper(e, token, func(state map[string]any) bool {
			state["tags"], state["tagsAll"] = map[string]any{}, map[string]any{}
			return true
		})
	}
	shown := adoptByFile(e, text)
	require.NotContains(t, shown, "created (")
	for _, line := range []string{
		"SQS queue prerequisites-interruptions-queue https://sqs.us-east-1.amazonaws.com/123456789012/demo-interruptions  [found by its name;",
		"event rule prerequisites-interruptions-interruption demo-interruptions-interruption  [found by its name;",
		"tags[hypershift-aws/stack]: (none) -> hypershift-aws/test/demo-oidc",
	} {
		require.Contains(t, shown, line)
	}
}

func TestAnAdoptedCAPAStackHasTheStateOfTheOneThatWasCreated(t *testing.T) {
	t.Parallel()
	e := harness.StackAt(t, t.TempDir())
	text := `config:
  aws:region: us-east-1
  hypershift-aws:kind: capa
  hypershift-aws:capa:
    name: demo
    kubernetesVersion: v1.33.4
    topology: Private
    network:
      zones: [us-east-1a]
      bastion: {sshCIDRs: [203.0.113.0/24], sshKey: ` + stackfile.SSHKey + `}
      flowLogs: {}
    kubeconfig: {}
    unprotected: true
`
	e.Configure(text)
	e.Run("--offline", "up", "--yes")
	recorded := recordedResources(e)
	tamper(e, "cloudwatch.LogGroup", func(state map[string]any) bool {
		state["tags"], state["tagsAll"] = map[string]any{}, map[string]any{}
		return true
	})
	shown := adoptByFile(e, text)
	_, created, _ := strings.Cut(shown, "created (1)\n")
	require.Regexp(t, `^  namespace patch cluster-namespace  \[it sets values that the object has\]\n1 created`, created)
	require.Regexp(t, `log group capa-network-flow-logs \S+  \[found by its name;`, shown)
	require.Equal(t, recorded, recordedResources(e), "the main route table association and the key pair")
	e.Run("--offline", "destroy", "--yes")
	require.Empty(t, harness.MadeIn(t, e.OfflineDir()), "what destroy left in the account")
}

// objectsOf returns the specs and the content of the objects in the offline clusters.
func objectsOf(t *testing.T, dir string) map[string]any {
	t.Helper()
	clusters, err := offline.Clusters(dir)
	require.NoError(t, err)
	objects := map[string]any{}
	for _, cluster := range clusters {
		for _, o := range enginetest.ObjectsOf(t, cluster) {
			objects[o.Kind+" "+o.ID] = []any{o.Properties["spec"], o.Properties["data"]}
		}
		require.NoError(t, cluster.Close())
	}
	return objects
}

func TestALiveHostedClusterIsAdoptedAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	e := harness.StackAt(t, t.TempDir())
	config := stackfile.WithHostedCluster(t, "")
	e.Configure(config.String())
	e.Run("--offline", "up", "--yes")
	// HyperShift's CLI applied the HostedCluster: its fields have another owner, also the reference to an SSH key that the
	// cluster lacks.
	tamper(e, "hypershift.openshift.io.HostedCluster", func(state map[string]any) bool {
		for _, entry := range state["metadata"].(map[string]any)["managedFields"].([]any) {
			entry.(map[string]any)["manager"] = "hypershift"
		}
		return true
	})
	before := objectsOf(t, e.OfflineDir())
	require.Greater(t, len(before), 3)
	forgetStates(e)

	// Without its state, the stack would create what exists: up says so before it creates anything in AWS.
	e.Configure(config.String())
	held := idsIn(t, e.OfflineDir())
	_, stderr, code := e.Exit("--offline", "preview")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "HostedCluster clusters/demo, ")
	require.Contains(t, stderr, "`hypershift-aws --offline adopt -s test --preview`")
	_, stderr, code = e.Exit("--offline", "up", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "HostedCluster clusters/demo, ")
	require.Equal(t, held, idsIn(t, e.OfflineDir()), "the resources of the account")

	// A Secret with another content is not overwritten.
	e.Configure(config.String())
	_, path, _ := strings.Cut(config.More, "pullSecret: ")
	path, _, _ = strings.Cut(path, "\n")
	require.NoError(t, os.WriteFile(path, []byte(`{"auths":{"other":{}}}`), 0o600))
	_, stderr, code = e.Exit("--offline", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "has different content from the stack's file: adopt does not overwrite Secrets")
	require.Equal(t, before, objectsOf(t, e.OfflineDir()))

	require.NoError(t, os.WriteFile(path, []byte(`{"auths":{}}`), 0o600))
	e.Run("--offline", "adopt", "--yes")
	require.Equal(t, before, objectsOf(t, e.OfflineDir()), "the objects")
	e.Run("--offline", "preview", "--expect-no-changes")
}

func TestAdoptRefusesResourcesOfOtherStacksAndHalfDeletedClusters(t *testing.T) {
	t.Parallel()
	e := harness.CreatedStack(t)
	text, err := os.ReadFile(filepath.Join(e.Dir, "Pulumi.test.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(e.Dir, "Pulumi.other.yaml"), text, 0o600))
	_, stderr, code := e.Exit("--offline", "-s", "other", "adopt", "--preview")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "is in the state of stack test; forget it there first: `hypershift-aws --offline forget -s test`")
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "Pulumi.other.yaml")))

	// The stack of one cluster cannot adopt another one, and gets no file for it. Nor can a stack of another kind.
	e.Configure(strings.Replace(string(text), "demo-x1", "demo-x2", 1))
	_, stderr, code = e.Exit("--offline", "adopt", "--preview")
	require.Equal(t, 4, code, stderr)
	require.Contains(t, stderr, "error: stack test has cluster demo-x1, and cannot adopt cluster demo-x2 too\n  adopt it into another stack: use another name with -s")
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "Pulumi.test.yaml")))
	_, stderr, code = e.Exit("--offline", "-s", "test", "adopt", "--preview", "--infra-id", "demo-x2", "--region",
		"us-east-1")
	require.Equal(t, 4, code, stderr)
	require.NoFileExists(t, filepath.Join(e.Dir, "Pulumi.test.yaml"))
	e.Configure(stackfile.Management(stackfile.Managements()["least"]))
	_, stderr, code = e.Exit("--offline", "adopt", "--preview")
	require.Equal(t, 4, code, stderr)
	require.Contains(t, stderr, "error: stack test is of kind cluster and has resources, and what its file describes is to be adopted into a stack of kind management")

	e.Configure(string(text))
	require.Contains(t, e.Run("--offline", "-s", "test", "forget", "--yes"), "vpc-")
	accounts, err := offline.Accounts(e.OfflineDir())
	require.NoError(t, err)
	require.NoError(t, accounts[0].Remove("demo-x1-node-pool"))
	_, stderr, code = e.Exit("--offline", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "IAM role roles-node-pool does not exist, and every existing cluster has one: correct infraID or iam, or set its ID "+
		"with --id Role:roles-node-pool=ID, or have it created with --allow-create roles-node-pool")
	e.Run("--offline", "adopt", "--yes", "--allow-create", "roles-node-pool")
	e.RequireTrue()
	e.Run("--offline", "preview", "--expect-no-changes")
}

func TestAnAdoptThatWasKilledIsRunAgainAndComesToTheSameEnd(t *testing.T) {
	t.Parallel()
	base := harness.NewStack(t)
	base.Configure(stackfile.Cluster{
		Access: hypershift.PublicAndPrivate,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(1),
	}.String())
	base.Run("--offline", "up", "--yes")
	want := base.Graph()
	base.Run("--offline", "-s", "test", "forget", "--yes")
	held := idsIn(t, base.OfflineDir())
	kills := []string{"call: 40, kill: both, when: before"}
	if sizes.All() {
		kills = nil
		calls := callsOfAdopt(base)
		for _, victim := range []string{"engine", "cli", "both"} {
			for call := range calls {
				kills = append(kills, fmt.Sprintf("call: %d, kill: %s", call+1, victim))
			}
		}
	}
	for _, kill := range kills {
		t.Run(kill, func(t *testing.T) {
			t.Parallel()
			e := harness.StackAt(t, base.Dir).Copy()
			e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{"+kill+"}]}").Exit("--offline", "adopt", "--yes")
			e.UntilFree("--offline", "adopt", "--yes")
			require.Empty(t, harness.Differences(want, e.Graph()), "the end state")
			require.Equal(t, held, idsIn(t, e.OfflineDir()), "the resources of the account")
			e.Run("--offline", "up", "--yes", "--expect-no-changes")
		})
	}
}

// callsOfAdopt returns the number of calls to AWS by adopt.
func callsOfAdopt(e *harness.Stack) int {
	e.T.Helper()
	refused := func(call int) bool {
		fault := fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: %d, kill: cli}]}", call)
		_, _, code := e.Copy().With(fault).Exit("--offline", "adopt", "--yes")
		return code != 0
	}
	low, high := 1, 512
	for low < high {
		if middle := (low + high + 1) / 2; refused(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	e.T.Logf("adopt makes %d calls", low)
	return low
}
