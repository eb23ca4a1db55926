package permissions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// ofKind is a stack of a kind whose verbs are run with the printed policies.
type ofKind struct {
	// config is the stack's file. before are stacks to which it refers, in the order of their creation.
	config string
	before []string
	// change replaces a text of the file by another.
	change [2]string
	// killed is the call of an up at which the engine is killed: of the first one, or of the change where the stack is
	// adopted.
	killed int
	// adopted is true if stacks of the kind are adopted.
	adopted bool
}

// kindsOfStacks returns a stack of each kind. The stacks to which others refer are named s0, s1.
func kindsOfStacks(t *testing.T) map[string]ofKind {
	t.Helper()
	const head = "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: %s\n  hypershift-aws:%[1]s:\n    name: demo\n    infraID: demo-x1\n    tags: {team: platform}\n%s"
	const domain, oidc = "    baseDomain: example.com\n    endpointAccess: Private\n", "    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}\n"
	tags := [2]string{"tags: {team: platform}", "tags: {owner: others}"}
	net := fmt.Sprintf(head, "network", domain+"    network: {zones: [us-east-1a], nat: Single, flowLogs: {}}\n")
	hosted := strings.ReplaceAll(stackfile.Cluster{Access: hypershift.PublicAndPrivate, NAT: network.Single,
		Zones: stackfile.ZoneNames(1),
		More:  stackfile.HostedCluster(t, "      unprotected: true\n")}.String(), "4.19.0", "4.20.3")
	return map[string]ofKind{
		"cluster": {config: stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}.String(), change: tags, killed: 5, adopted: true},
		"network": {config: net, change: tags, killed: 5, adopted: true},
		"iam": {
			config:  fmt.Sprintf(head, "iam", "    networkStack: s0\n"+oidc),
			before:  []string{net},
			change:  tags,
			killed:  5,
			adopted: true,
		},
		"management": {config: stackfile.Management(stackfile.Managements()["whole"]), change: tags, killed: 9},
		"capa": {
			config:  stackfile.Example(t, "capa-private"),
			change:  [2]string{"zones: [us-east-1a]", "zones: [us-east-1a, us-east-1b]"},
			killed:  2,
			adopted: true,
		},
		"node pools": {config: stackfile.NodePools("    nodePools: [{name: gpu, zone: us-east-1a, replicas: 1}]\n"),
			before: []string{hosted},
			change: [2]string{"replicas: 1", "replicas: 2"}, killed: 1},
	}
}

// TestEachVerbSucceedsWithThePrintedPolicies runs the verbs on a stack of each kind with exactly what `permissions`
// prints: every request that the provider sends to AWS's API is evaluated in front of the account.
func TestEachVerbSucceedsWithThePrintedPolicies(t *testing.T) {
	t.Parallel()
	for name, k := range sizes.Only(t, kindsOfStacks(t), "cluster") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := harness.StackAt(t, t.TempDir())
			for i, config := range k.before {
				stack := fmt.Sprintf("s%d", i)
				require.NoError(t, os.WriteFile(filepath.Join(e.Dir, "Pulumi."+stack+".yaml"), []byte(config), 0o600))
				e.Run("--offline", "-s", stack, "up", "--yes")
			}
			existing := 0
			if len(k.before) > 0 {
				existing = len(harness.MadeIn(t, e.OfflineDir()))
			}
			policies := filepath.Join(t.TempDir(), "policies.json")
			judged := func(faults string) *harness.Stack {
				settings := fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={policies: %q%s}", policies, faults)
				return &harness.Stack{CLI: e.With(settings), T: t}
			}
			permit := func(config string) {
				e.Configure(config)
				printed := e.Run("--offline", "-s", "test", "permissions")
				if printed == "" { // nothing in AWS
					printed = policy.New().JSON()
				}
				require.NoError(t, os.WriteFile(policies, []byte(printed), 0o600))
			}
			run := func(verbs ...[]string) {
				for _, verb := range verbs {
					judged("").Run(append([]string{"--offline", "-s", "test"}, verb...)...)
				}
			}
			// interrupted kills the engine during an update, and recovers what it was doing.
			interrupted := func() {
				_, stderr, code := judged(fmt.Sprintf(", faults: [{call: %d, kill: engine}]",
					k.killed)).Exit("--offline", "-s", "test", "up", "--yes")
				require.Equal(t, 1, code, stderr)
				judged("").UntilFree("--offline", "-s", "test", "repair")
			}
			up := []string{"up", "--yes"}
			permit(k.config)
			if !k.adopted {
				interrupted()
			}
			run(up, []string{"preview", "--expect-no-changes"}, []string{"refresh"}, []string{"drift"})
			if k.adopted {
				run([]string{"forget", "--yes"}, []string{"adopt", "--yes"})
			}
			require.Contains(t, k.config, k.change[0])
			permit(strings.Replace(k.config, k.change[0], k.change[1], 1))
			if k.adopted {
				interrupted()
			}
			run(up, []string{"destroy", "--yes"})
			require.Len(t, harness.MadeIn(t, e.OfflineDir()), existing, "what destroy left in the account")
		})
	}
}
