package recovery

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestEveryInterruptedCreationIsRecoveredInEveryStack kills the engine during one creation after the other, of every
// type that the stacks create: the next run finds each resource.
func TestEveryInterruptedCreationIsRecoveredInEveryStack(t *testing.T) {
	t.Parallel()
	step := sizes.Pick(60, 1)
	for name, config := range sizes.Only(t, map[string]string{
		"management": stackfile.Management(stackfile.Managements()["whole"]),
		"management without tags": strings.Replace(stackfile.Management(stackfile.Managements()["whole"]),
			"    tags: {team: platform}\n", "", 1),
		"network options": stackfile.Network(hypershift.Private, stackfile.TwoZones+", secondaryCIDR: 100.65.0.0/16, interfaceEndpoints: [sts], flowLogs: {}, bastion: {}"),
		"bastion by SSH": stackfile.Network(hypershift.Public,
			"nat: Single, bastion: {sshCIDRs: [203.0.113.0/24], sshKey: "+stackfile.SSHKey+"}"),
		"shared VPC": stackfile.SharedVPC(hypershift.PublicAndPrivate,
			"zones: [us-east-1a], nat: Single, shared: {}", stackfile.OwnerAccount),
		"access of other VPCs": stackfile.AccessibleByStack(),
		"PrivateLink": stackfile.Link(hypershift.Private, []string{"us-east-1b", "us-east-1c"},
			stackfile.StackOwned()),
		"capa":               stackfile.Example(t, "capa-public"),
		"hosted cluster":     stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1), More: stackfile.HostedCluster(t, "")}.String(),
		"management cluster": stackfile.Management(stackfile.Managements()["kubernetes"]),
	}, "network options") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := harness.StackAt(t, t.TempDir())
			whole.Configure(config)
			whole.Run("--offline", "up", "--yes")
			for call := min(step, len(name)); call <= len(whole.State()); call += step {
				t.Run(fmt.Sprintf("call-%d", call), func(t *testing.T) {
					t.Parallel()
					e := harness.StackAt(t, t.TempDir())
					e.Configure(config)
					// One call after the other, so that exactly one is interrupted.
					_, stderr, code := e.With("PULUMI_PARALLEL=1",
						fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: %d, kill: engine}]}",
							call)).Exit("--offline", "up", "--yes")
					require.Equal(t, 1, code, stderr)
					if strings.Contains(stderr, "in progress: creating origin access control") ||
						strings.Contains(stderr, "in progress: creating access key") {
						return // AWS cannot be asked for it
					}
					e.UntilFree("--offline", "up", "--yes")
					want, objects := urns(whole.State())
					if got, _ := urns(e.State()); len(objects) > 0 {
						// The content of a Secret is encrypted in the state, and operators create further resources.
						require.Equal(t, want, got)
						e.Run("--offline", "up", "--yes", "--expect-no-changes")
						return
					}
					require.Empty(t, harness.Differences(whole.Graph(), e.Graph()), "the end state")
					e.RequireTrue()
				})
			}
		})
	}
}

// TestEveryCreationIsCompletedThatEndedBetweenTwoRequests ends the first creation of each type for which the provider
// sends several requests, after each of them but the last: the engine is killed, or AWS refuses the next request, so
// that the state has the resource with an error. The next run completes the resource, or creates it again.
func TestEveryCreationIsCompletedThatEndedBetweenTwoRequests(t *testing.T) {
	t.Parallel()
	for name, test := range sizes.Only(t, map[string]struct {
		config string
		// first and refused are how many have their turn at the small size: those whose missing properties no update sees
		// come first.
		first, refused int
	}{
		"management":      {stackfile.Management(stackfile.Managements()["whole"]), 1, 0},
		"network options": {stackfile.Network(hypershift.Private, stackfile.TwoZones+", secondaryCIDR: 100.65.0.0/16, interfaceEndpoints: [sts], flowLogs: {}, bastion: {}"), 0, 0},
		"public":          {stackfile.Network(hypershift.Public, "nat: Single"), 0, 0},
		"PrivateLink": {stackfile.Link(hypershift.Private, []string{"us-east-1b", "us-east-1c"},
			stackfile.StackOwned()), 0, 0},
		"capa": {stackfile.Example(t, "capa-public"), 1, 1},
	}, "management", "capa") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := harness.StackAt(t, t.TempDir())
			whole.Configure(test.config)
			whole.Run("--offline", "up", "--yes")
			requests := map[string]int{}
			for _, r := range whole.State() {
				requests[string(r.Type)] = max(requests[string(r.Type)], len(aws.Further(string(r.Type), r.Inputs)))
			}
			var kills, refusals []string
			for _, token := range slices.SortedFunc(maps.Keys(requests), func(a, b string) int {
				return cmp.Or(unseen(b)-unseen(a), strings.Compare(a, b))
			}) {
				for request := range requests[token] {
					kills = append(kills, fmt.Sprintf("{creates: '%s', requests: %d, kill: engine}", token, request+1))
					refusals = append(refusals, fmt.Sprintf("{creates: '%s', requests: %d, code: UnauthorizedOperation}", token,
						request+1))
				}
			}
			require.NotEmpty(t, kills)
			for _, fault := range slices.Concat(sizes.First(test.first, kills), sizes.First(test.refused, refusals)) {
				t.Run(fault, func(t *testing.T) {
					t.Parallel()
					e := harness.StackAt(t, t.TempDir())
					e.Configure(test.config)
					_, stderr, code := e.With("PULUMI_PARALLEL=1",
						"HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: ["+fault+"]}").Exit("--offline", "up", "--yes")
					require.Equal(t, 1, code, stderr)
					e.UntilFree("--offline", "up", "--yes")
					if want, objects := urns(whole.State()); len(objects) > 0 { // operators create further resources
						got, _ := urns(e.State())
						require.Equal(t, want, got)
					} else {
						require.Empty(t, harness.Differences(whole.Graph(), e.Graph()), "the end state")
						e.RequireTrue()
					}
					e.Run("--offline", "drift")
					for _, r := range e.State() {
						if r.URN.Name() != "private-link-group" { // HyperShift's operator creates it with AWS's rule
							require.Empty(t, r.Outputs["egress"], "%s: AWS's rule that allows all egress", r.URN)
						}
					}
				})
			}
		})
	}
}

// unseen is 1 for a type that recovery treats in a way of its own if the provider was killed between two requests,
// otherwise 0.
func unseen(token string) int {
	if record, _ := awstype.Lookup(token); record.Find.TaggedLater || len(record.Find.Emptied) > 0 {
		return 1
	}
	return 0
}

// TestEveryInterruptedCreationInAManagementClusterIsRecovered kills the engine during the first creation of each type
// of Kubernetes object.
func TestEveryInterruptedCreationInAManagementClusterIsRecovered(t *testing.T) {
	t.Parallel()
	for kind, config := range sizes.Only(t, map[string]string{
		"capa":       stackfile.Example(t, "capa-public"),
		"cluster":    stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1), More: stackfile.HostedCluster(t, "")}.String(),
		"management": stackfile.Management(stackfile.Managements()["kubernetes"]),
	}, "cluster") {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			whole := harness.StackAt(t, t.TempDir())
			whole.Configure(config)
			whole.Run("--offline", "up", "--yes")
			want, types := urns(whole.State())
			require.GreaterOrEqual(t, len(types), 3, "types of objects")
			for _, token := range sizes.First(1, types) {
				t.Run(token, func(t *testing.T) {
					t.Parallel()
					e := harness.StackAt(t, t.TempDir())
					e.Configure(config)
					_, stderr, code := e.With(fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{creates: '%s', kill: engine}]}",
						token)).
						Exit("--offline", "up", "--yes")
					require.Equal(t, 1, code, stderr)
					e.UntilFree("--offline", "up", "--yes")
					got, _ := urns(e.State())
					require.Equal(t, want, got)
					e.Run("--offline", "up", "--yes", "--expect-no-changes")
				})
			}
		})
	}
}

// urns returns the URNs of a state, and the types of its Kubernetes objects, in reverse alphabetical order.
func urns(state []apitype.ResourceV3) (all, types []string) {
	for _, r := range state {
		all = append(all, string(r.URN))
		if token := string(r.Type); strings.HasPrefix(token, "kubernetes:") && !slices.Contains(types, token) {
			types = append(types, token)
		}
	}
	slices.Sort(all)
	slices.SortFunc(types, func(a, b string) int { return -strings.Compare(a, b) })
	return all, types
}
