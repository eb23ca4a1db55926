package recovery

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestResourcesThatAWSShowsLateAreNeitherLeakedNorDuplicated: the engine is killed at the creation of what is paid for
// by the hour, and the next run's first search shows nothing of it.
func TestResourcesThatAWSShowsLateAreNeitherLeakedNorDuplicated(t *testing.T) {
	t.Parallel()
	whole := harness.CreatedStack(t)
	want := whole.Graph()
	for _, c := range sizes.First(1, []struct {
		name, token, command string
		// late is how many searches of the next run return nothing, code its exit code, and says its message.
		late, code int
		says       string
	}{
		{"elastic IP of a stack that is destroyed", awstype.ElasticIP, "destroy", 1, 0, "and added it to the state"},
		// AWS refuses a second NAT gateway with the same elastic IP.
		{"NAT gateway", awstype.NATGateway, "up", 1, 1, "and added it to the state"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := harness.NewStack(t)
			_, stderr, code := e.With("PULUMI_PARALLEL=1",
				fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{creates: '%s', kill: engine}]}", c.token)).
				Exit("--offline", "up", "--yes")
			require.Equal(t, 1, code, stderr)
			late := e.With(fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={lateTags: %d}", c.late))
			for range 300 {
				if _, stderr, code = late.Exit("--offline", c.command, "--yes"); code != 4 {
					break
				}
				time.Sleep(100 * time.Millisecond) // until the engine of the killed program has exited
			}
			require.Equal(t, c.code, code, stderr)
			require.Contains(t, stderr, c.says)
			e.Run("--offline", c.command, "--yes")
			e.RequireTrue()
			if c.command == "up" {
				require.Empty(t, harness.Differences(want, e.Graph()), "the end state")
			}
		})
	}
}

// TestASecondResourceThatAWSShowsLateIsReportedAndNotDeleted: the next run does not see the elastic IP. Its gate does,
// and creates no other one; where AWS refuses its list, the run creates another one.
func TestASecondResourceThatAWSShowsLateIsReportedAndNotDeleted(t *testing.T) {
	t.Parallel()
	e := harness.NewStack(t)
	_, stderr, code := e.With("PULUMI_PARALLEL=1",
		fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{creates: '%s', kill: engine}]}", awstype.ElasticIP)).
		Exit("--offline", "up", "--yes")
	require.Equal(t, 1, code, stderr)
	again := e.Copy()
	late := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={lateTags: 1, faults: [" + unlisted(awstype.ElasticIP) + "]}")
	_, stderr, code = late.Exit("--offline", "up", "--yes")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "is not in the state: not deleted")
	addresses := func(e *harness.Stack) (count int) {
		for _, r := range harness.MadeIn(t, e.OfflineDir()) {
			if r.Type == awstype.ElasticIP {
				count++
			}
		}
		return count
	}
	require.Equal(t, 2, addresses(e))
	require.Contains(t, e.Run("--offline", "-s", "test", "sweep"), "eipalloc-")

	_, stderr, code = again.With("HYPERSHIFT_AWS_OFFLINE_FAULTS={lateTags: 1}").Exit("--offline", "up", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "would create and does not have in its state: elastic IP network-eip-us-east-1a (eipalloc-")
	again.Run("--offline", "up", "--yes")
	require.Equal(t, 1, addresses(again))
}

// unlisted is the fault that AWS refuses to list a type.
func unlisted(token string) string { return "{lists: '" + token + "', code: UnauthorizedOperation}" }

// TestRecoveryUsesTheCurrentCredentialsOfTheConfig: those in the state are of the last up, and may have expired.
func TestRecoveryUsesTheCurrentCredentialsOfTheConfig(t *testing.T) {
	t.Parallel()
	e := harness.NewStack(t)
	config := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}.String()
	with := func(token string) string {
		return strings.Replace(config, "config:\n", "config:\n  aws:token: "+token+"\n", 1)
	}
	e.Configure(with("EXPIRED"))
	_, stderr, code := e.With("PULUMI_PARALLEL=1",
		"HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{creates: '"+awstype.ElasticIP+"', kill: engine}]}").
		Exit("--offline", "up", "--yes")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stateText(e), `"EXPIRED"`)
	e.Configure(with("RENEWED"))
	e.UntilFree("--offline", "repair")
	require.Contains(t, stateText(e), `"RENEWED"`)
	require.NotContains(t, stateText(e), `"EXPIRED"`)
	e.RequireTrue()
}

// stateText returns the file of the state.
func stateText(e *harness.Stack) string {
	e.T.Helper()
	paths, err := filepath.Glob(filepath.Join(e.OfflineDir(), "state", ".pulumi", "stacks", "*", "test.json"))
	require.NoError(e.T, err)
	require.Len(e.T, paths, 1)
	text, err := os.ReadFile(paths[0])
	require.NoError(e.T, err)
	return string(text)
}
