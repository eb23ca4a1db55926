package test

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
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// adoptByFile takes back a stack whose state and tags are lost, by its file, and requires that it is as before.
func (e *cliStack) adoptByFile(text string, flags ...string) string {
	e.t.Helper()
	want, held := e.graph(), idsIn(e.t, e.offlineDir())
	e.forget()
	e.configure(text)
	shown := e.run(append([]string{"--offline", "adopt", "--yes"}, flags...)...)
	require.Empty(e.t, differences(want, e.graph()), "the state")
	require.Equal(e.t, held, idsIn(e.t, e.offlineDir()), "the resources of the account")
	e.run("--offline", "preview", "--expect-no-changes")
	require.Contains(e.t, e.adoptAgain(), "nothing to do")
	return shown
}

// idOf returns the ID of a resource in the state, by its type's last part and its name.
func (e *cliStack) idOf(token, name string) string {
	e.t.Helper()
	for _, r := range e.state() {
		if strings.HasSuffix(string(r.Type), ":"+token) && r.URN.Name() == name {
			return string(r.ID)
		}
	}
	require.Fail(e.t, "the state has no such resource", "%s %s", token, name)
	return ""
}

func TestAnAdoptedManagementStackHasTheStateOfTheOneThatWasCreated(t *testing.T) {
	t.Parallel()
	e := cliStackAt(t, t.TempDir())
	text := managementConfig(managements()["whole"])
	e.configure(text)
	e.run("--offline", "up", "--yes")
	control := "OriginAccessControl:prerequisites-oidc-bucket=" + e.idOf("OriginAccessControl", "prerequisites-oidc-bucket")
	distribution := "Distribution:prerequisites-oidc-bucket=" + e.idOf("Distribution", "prerequisites-oidc-bucket")
	shown := e.adoptByFile(text, "--id", control, "--id", distribution)
	require.NotContains(t, shown, "created (")
	require.NotContains(t, shown, "found by its name")
}

// The distribution is found by the policy of the bucket, and its access control by the distribution, without tags and IDs: a second
// distribution would take the bucket from the first one, whose issuer then has no documents.
func TestTheDistributionOfAnExistingBucketIsAdoptedAndNeverCreated(t *testing.T) {
	t.Parallel()
	e := cliStackAt(t, t.TempDir())
	text := managementConfig(managements()["whole"])
	e.configure(text)
	e.run("--offline", "up", "--yes")
	e.tamper("cloudfront.Distribution", func(state map[string]any) bool {
		state["tags"], state["tagsAll"] = map[string]any{}, map[string]any{}
		return true
	})
	require.NotContains(t, e.adoptByFile(text), "created (")

	held := idsIn(t, e.offlineDir())
	e.forget()
	e.configure(text)
	e.tamper("cloudfront.Distribution", func(state map[string]any) bool {
		for _, origin := range state["origins"].([]any) {
			origin.(map[string]any)["originAccessControlId"] = ""
		}
		return true
	})
	_, stderr, code := e.exit("--offline", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "set its ID with --id OriginAccessControl:prerequisites-oidc-bucket=ID")
	require.Equal(t, held, idsIn(t, e.offlineDir()), "the resources of the account")
}

func TestTheLetterCaseOfAThumbprintIsNoChange(t *testing.T) {
	t.Parallel()
	e := createdCLIStack(t)
	text, err := os.ReadFile(filepath.Join(e.dir, "Pulumi.test.yaml"))
	require.NoError(t, err)
	e.tamper("iam.OpenIdConnectProvider", func(state map[string]any) bool {
		for i, print := range state["thumbprintLists"].([]any) {
			state["thumbprintLists"].([]any)[i] = strings.ToUpper(print.(string))
		}
		return true
	})
	e.forget()
	e.configure(string(text))
	require.NotContains(t, e.run("--offline", "adopt", "--yes"), "thumbprintLists")
	e.run("--offline", "preview", "--expect-no-changes")
}

func TestAdoptRefusesWhileAnotherStackCannotBeRead(t *testing.T) {
	t.Parallel()
	e := createdCLIStack(t)
	text, err := os.ReadFile(filepath.Join(e.dir, "Pulumi.test.yaml"))
	require.NoError(t, err)
	other := filepath.Join(e.dir, "Pulumi.other.yaml")
	require.NoError(t, os.WriteFile(other, text, 0o600))
	states, err := filepath.Glob(filepath.Join(e.offlineDir(), "state", ".pulumi", "stacks", "*", "test.json"))
	require.NoError(t, err)
	require.Len(t, states, 1)
	state, err := os.ReadFile(states[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(states[0], state[:len(state)/2], 0o600))
	require.NoError(t, os.RemoveAll(states[0]+".bak"))
	_, stderr, code := e.exit("--offline", "-s", "other", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "stack test: its state cannot be read: ")

	require.NoError(t, os.WriteFile(states[0], state, 0o600))
	e.run("--offline", "-s", "test", "forget", "--yes")
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "Pulumi.test.yaml"), []byte("config: {hypershift-aws:kind: cluster, hypershift-aws:cluster: {nam: x}}\n"), 0o600))
	_, stderr, code = e.exit("--offline", "-s", "other", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "stack test: its file cannot be read: ")
}

// A queue, its rules and its policy that something else made have the names of the stack's, and no tags.
func TestAQueueAndRulesWithoutTagsAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	e := cliStackAt(t, t.TempDir())
	text := managementConfig(managements()["least"] + "    interruptionQueueName: demo-interruptions\n")
	e.configure(text)
	e.run("--offline", "up", "--yes")
	for _, token := range []string{"sqs.Queue", "cloudwatch.EventRule"} {
		e.tamper(token, func(state map[string]any) bool {
			state["tags"], state["tagsAll"] = map[string]any{}, map[string]any{}
			return true
		})
	}
	shown := e.adoptByFile(text)
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
	e := cliStackAt(t, t.TempDir())
	text := `config:
  aws:region: us-east-1
  hypershift-aws:kind: capa
  hypershift-aws:capa:
    name: demo
    kubernetesVersion: v1.33.4
    topology: Private
    network:
      zones: [us-east-1a]
      bastion: {sshCIDRs: [203.0.113.0/24], sshKey: ` + sshKey + `}
      flowLogs: {}
    kubeconfig: {}
    unprotected: true
`
	e.configure(text)
	e.run("--offline", "up", "--yes")
	recorded := e.recorded()
	e.tamper("cloudwatch.LogGroup", func(state map[string]any) bool {
		state["tags"], state["tagsAll"] = map[string]any{}, map[string]any{}
		return true
	})
	shown := e.adoptByFile(text)
	_, created, _ := strings.Cut(shown, "created (3)\n")
	require.Regexp(t, `^  namespace patch cluster-namespace  \[it sets values that the object has\]\n(  stash \S+  \[it is only in the state\]\n){2}3 created`, created)
	require.Regexp(t, `log group capa-network-flow-logs \S+  \[found by its name;`, shown)
	require.Equal(t, recorded, e.recorded(), "the main route table association and the key pair")
	e.run("--offline", "destroy", "--yes")
	require.Empty(t, madeIn(t, e.offlineDir()), "what destroy left in the account")
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
	e := cliStackAt(t, t.TempDir())
	config := withHostedCluster(t, "")
	e.configure(config.String())
	e.run("--offline", "up", "--yes")
	// HyperShift's CLI applied the HostedCluster: its fields have another owner, also the reference to an SSH key that the cluster lacks.
	e.tamper("hypershift.openshift.io.HostedCluster", func(state map[string]any) bool {
		for _, entry := range state["metadata"].(map[string]any)["managedFields"].([]any) {
			entry.(map[string]any)["manager"] = "hypershift"
		}
		return true
	})
	before := objectsOf(t, e.offlineDir())
	require.Greater(t, len(before), 3)
	e.forget()

	// Without its state, the stack would create what exists: up says so before it creates anything in AWS.
	e.configure(config.String())
	held := idsIn(t, e.offlineDir())
	_, stderr, code := e.exit("--offline", "preview")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "HostedCluster clusters/demo, ")
	require.Contains(t, stderr, "`hypershift-aws adopt -s test --preview --offline`")
	_, stderr, code = e.exit("--offline", "up", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "HostedCluster clusters/demo, ")
	require.Equal(t, held, idsIn(t, e.offlineDir()), "the resources of the account")

	// A Secret with another content is not overwritten.
	e.configure(config.String())
	_, path, _ := strings.Cut(config.more, "pullSecret: ")
	path, _, _ = strings.Cut(path, "\n")
	require.NoError(t, os.WriteFile(path, []byte(`{"auths":{"other":{}}}`), 0o600))
	_, stderr, code = e.exit("--offline", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "has different content from the stack's file: adopt does not overwrite Secrets")
	require.Equal(t, before, objectsOf(t, e.offlineDir()))

	require.NoError(t, os.WriteFile(path, []byte(`{"auths":{}}`), 0o600))
	e.run("--offline", "adopt", "--yes")
	require.Equal(t, before, objectsOf(t, e.offlineDir()), "the objects")
	e.run("--offline", "preview", "--expect-no-changes")
}

func TestAdoptRefusesResourcesOfOtherStacksAndHalfDeletedClusters(t *testing.T) {
	t.Parallel()
	e := createdCLIStack(t)
	text, err := os.ReadFile(filepath.Join(e.dir, "Pulumi.test.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "Pulumi.other.yaml"), text, 0o600))
	_, stderr, code := e.exit("--offline", "-s", "other", "adopt", "--preview")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "is in the state of stack test; forget it there first: `hypershift-aws forget -s test --offline`")
	require.NoError(t, os.Remove(filepath.Join(e.dir, "Pulumi.other.yaml")))

	// The stack of one cluster cannot adopt another one, and gets no file for it. Nor can a stack of another kind.
	e.configure(strings.Replace(string(text), "demo-x1", "demo-x2", 1))
	_, stderr, code = e.exit("--offline", "adopt", "--preview")
	require.Equal(t, 4, code, stderr)
	require.Contains(t, stderr, "error: stack test has cluster demo-x1, and cannot adopt cluster demo-x2 too\n  adopt it into another stack: use another name with -s")
	require.NoError(t, os.Remove(filepath.Join(e.dir, "Pulumi.test.yaml")))
	_, stderr, code = e.exit("--offline", "-s", "test", "adopt", "--preview", "--infra-id", "demo-x2", "--region", "us-east-1")
	require.Equal(t, 4, code, stderr)
	require.NoFileExists(t, filepath.Join(e.dir, "Pulumi.test.yaml"))
	e.configure(managementConfig(managements()["least"]))
	_, stderr, code = e.exit("--offline", "adopt", "--preview")
	require.Equal(t, 4, code, stderr)
	require.Contains(t, stderr, "error: stack test is of kind cluster and has resources, and what its file describes is to be adopted into a stack of kind management")

	e.configure(string(text))
	require.Contains(t, e.run("--offline", "-s", "test", "forget", "--yes"), "vpc-")
	accounts, err := offline.Accounts(e.offlineDir())
	require.NoError(t, err)
	require.NoError(t, accounts[0].Remove("demo-x1-node-pool"))
	_, stderr, code = e.exit("--offline", "adopt", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "IAM role roles-node-pool does not exist, and every existing cluster has one: correct infraID or iam, or set its ID "+
		"with --id Role:roles-node-pool=ID, or have it created with --allow-create roles-node-pool")
	e.run("--offline", "adopt", "--yes", "--allow-create", "roles-node-pool")
	e.requireTrue()
	e.run("--offline", "preview", "--expect-no-changes")
}

func TestAnAdoptThatWasKilledIsRunAgainAndComesToTheSameEnd(t *testing.T) {
	t.Parallel()
	base := newCLIStack(t)
	base.configure(clusterConfig{access: hypershift.PublicAndPrivate, nat: network.Single, zones: zoneNames(1)}.String())
	base.run("--offline", "up", "--yes")
	want := base.graph()
	base.run("--offline", "-s", "test", "forget", "--yes")
	held := idsIn(t, base.offlineDir())
	kills := []string{"call: 40, kill: both, when: before"}
	if sizes.All() {
		kills = nil
		calls := base.callsOfAdopt()
		for _, victim := range []string{"engine", "cli", "both"} {
			for call := range calls {
				kills = append(kills, fmt.Sprintf("call: %d, kill: %s", call+1, victim))
			}
		}
	}
	for _, kill := range kills {
		t.Run(kill, func(t *testing.T) {
			t.Parallel()
			e := cliStackAt(t, base.dir).copy()
			e.with("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{"+kill+"}]}").exit("--offline", "adopt", "--yes")
			e.untilFree("--offline", "adopt", "--yes")
			require.Empty(t, differences(want, e.graph()), "the end state")
			require.Equal(t, held, idsIn(t, e.offlineDir()), "the resources of the account")
			e.run("--offline", "up", "--yes", "--expect-no-changes")
		})
	}
}

// callsOfAdopt returns the number of calls to AWS by adopt.
func (e *cliStack) callsOfAdopt() int {
	e.t.Helper()
	refused := func(call int) bool {
		fault := fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: %d, kill: cli}]}", call)
		_, _, code := e.copy().with(fault).exit("--offline", "adopt", "--yes")
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
	e.t.Logf("adopt makes %d calls", low)
	return low
}
