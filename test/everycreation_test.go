package test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

var callStep = flag.Int("chaos.step", 16, "how far apart the calls are at which TestEveryInterruptedCreationIsRecoveredInEveryStack has one die; 1 tries each")

// TestEveryInterruptedCreationIsRecoveredInEveryStack has the engine die on one creation after the other, of every type that the
// stacks make: each is found by the next run.
func TestEveryInterruptedCreationIsRecoveredInEveryStack(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"management":              managementConfig(managements()["whole"]),
		"management without tags": strings.Replace(managementConfig(managements()["whole"]), "    tags: {team: platform}\n", "", 1),
		"network options":         withNetwork(hypershift.Private, twoZones+", secondaryCIDR: 100.65.0.0/16, interfaceEndpoints: [sts], flowLogs: {}, bastion: {}"),
		"bastion by SSH":          withNetwork(hypershift.Public, "nat: Single, bastion: {sshCIDRs: [203.0.113.0/24], sshKey: "+sshKey+"}"),
		"shared VPC":              sharedVPC(hypershift.PublicAndPrivate, "zones: [us-east-1a], nat: Single, shared: {}", ownerAccount),
		"PrivateLink":             link(hypershift.Private, []string{"us-east-1b", "us-east-1c"}, stackOwned()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := estateAt(t, t.TempDir())
			whole.configure(config)
			whole.run("--offline", "up", "--yes")
			for call := 1 + len(name)%*callStep; call <= len(whole.state()); call += *callStep {
				t.Run(fmt.Sprintf("call-%d", call), func(t *testing.T) {
					t.Parallel()
					e := estateAt(t, t.TempDir())
					e.configure(config)
					// One call after the other, so that there is one to be found.
					_, stderr, code := e.with("PULUMI_PARALLEL=1",
						fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: %d, kill: engine}]}", call)).exit("--offline", "up", "--yes")
					require.Equal(t, 1, code, stderr)
					if strings.Contains(stderr, "in progress: creating origin access control") {
						return // AWS cannot be asked for it
					}
					e.untilFree("--offline", "up", "--yes")
					require.Empty(t, differences(whole.graph(), e.graph()), "the end state")
					e.requireTrue()
				})
			}
		})
	}
}
