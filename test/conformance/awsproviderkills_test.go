package conformance

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// killedUntilDone runs a command again and again, and kills CLI, engine and provider at each nth request that changes
// something: by turns before it is sent, and before its answer arrives. It returns how many runs were killed.
func killedUntilDone(
	t *testing.T,
	c *harness.CLI,
	provider *enginetest.AWS,
	calls *moto.Calls,
	n int,
	args ...string,
) (killed int) {
	t.Helper()
	for {
		require.Less(t, killed, 60, "%v does not end", args)
		ended := make(chan struct{})
		calls.StopChange(n, killed%3 > 0, func() (int, string) {
			defer close(ended)
			killAllOf(t, provider.Endpoint)
			return http.StatusServiceUnavailable, "killed"
		})
		stdout, stderr, code := c.Exit(args...)
		select {
		case <-ended:
			require.NotZero(t, code)
			killed++
		default:
			calls.StopNone()
			require.Zero(t, code, "%v after %d kills:\n%s%s", args, killed, stdout, stderr)
			return killed
		}
	}
}

// living returns what clients of a private control plane have in an account: endpoints, groups and zones.
func living(t *testing.T, account *moto.Account) []string {
	t.Helper()
	var found []string
	endpoints, err := account.Compute.DescribeVpcEndpoints(t.Context(), &ec2.DescribeVpcEndpointsInput{})
	require.NoError(t, err)
	for _, endpoint := range endpoints.VpcEndpoints {
		if strings.Contains(*endpoint.ServiceName, ".vpce-svc-") && !strings.EqualFold(string(endpoint.State), string(ec2types.StateDeleted)) {
			found = append(found, "endpoint of "+*endpoint.ServiceName)
		}
	}
	if account.Group("demo-x1-consumer-private-router") != "" {
		found = append(found, "group")
	}
	return append(found, account.Zones()...)
}

// What lets other VPCs reach a private control plane is created and deleted in three accounts, and each run is killed
// at its next change: nothing is there twice, nothing is left, and the nodes' own endpoint stays.
func TestAccessFromElsewhereSurvivesAKillAtEachCallWithAnAWSProvider(t *testing.T) {
	t.Parallel()
	config := strings.NewReplacer("  aws:region:", "  aws:s3UsePathStyle: true\n  aws:region:",
		"nat: Single", "nat: None", "interfaceEndpoints: []", "interfaceEndpoints: [nodes]", "use1-az2", "us-east-1e",
		"use1-az4", "us-east-1c",
	).Replace(stackfile.AccessibleByStack())
	c, provider, calls, account := realCLI(t, config)
	hub := otherAccount(t, moto.Config(provider.Endpoint, "ec2", "route53", "iam", "sts"), stackfile.HubAccount)
	file := filepath.Join(c.Dir, "Pulumi.demo.yaml")
	with, err := os.ReadFile(file)
	require.NoError(t, err)
	without, _, _ := strings.Cut(string(with), "      allowedCIDRs: [10.101.0.0/16]\n")
	without = regexp.MustCompile(`(?m)^ *further:.*\n`).ReplaceAllString(without, "")
	require.NoError(t, os.WriteFile(file, []byte(without), 0o600))
	c.Run("-s", "demo", "up", "--yes")
	before, nodes := living(t, hub), owned(t, account)

	require.NoError(t, os.WriteFile(file, with, 0o600))
	killed := killedUntilDone(t, c, provider, calls, 1, "-s", "demo", "up", "--yes")
	t.Logf("%d runs of up were killed", killed)
	require.Greater(t, killed, 3)
	c.Run("-s", "demo", "preview", "--expect-no-changes")
	c.Run("-s", "demo", "drift")
	made := living(t, hub)
	require.Len(t, made, len(before)+4, "an endpoint, its group, and two zones: %v", made)
	require.Len(t, unique(made), len(made))

	require.NoError(t, os.WriteFile(file, []byte(without), 0o600))
	killed = killedUntilDone(t, c, provider, calls, 1, "-s", "demo", "up", "--yes", "--allow", "private-access-hub")
	t.Logf("%d runs that take the access away were killed", killed)
	require.Greater(t, killed, 3)
	require.Equal(t, before, living(t, hub))
	require.ElementsMatch(t, nodes, owned(t, account), "what the nodes use stays")
	c.Run("-s", "demo", "drift")
	c.Run("-s", "demo", "destroy", "--yes", "--cluster", "demo")
	require.Empty(t, owned(t, account))
}

// Two clusters in one network: one is created and destroyed with kills, and the network and the other keep all that
// they have.
func TestTwoClustersInOneNetworkSurviveKillsWithAnAWSProvider(t *testing.T) {
	t.Parallel()
	c, provider, calls, account := realCLI(t, repairable())
	for _, stack := range []string{"network", "blue", "green"} {
		text, err := os.ReadFile(repo.Path("examples", "shared-network", fmt.Sprintf("Pulumi.%s.yaml", stack)))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir, fmt.Sprintf("Pulumi.%s.yaml", stack)), []byte(strings.Replace(
			string(text), "config:\n", "config:\n  aws:s3UsePathStyle: true\n", 1)), 0o600))
	}
	c.Run("-s", "network", "up", "--yes")
	c.Run("-s", "blue", "up", "--yes")
	before := []string{}
	for _, prefix := range []string{"blue-x1", "green-x1"} {
		before = append(before, ownedBy(t, account, prefix)...)
	}
	zones := account.Zones()

	killed := killedUntilDone(t, c, provider, calls, 4, "-s", "green", "up", "--yes")
	t.Logf("%d runs of up were killed", killed)
	require.Positive(t, killed)
	c.Run("-s", "green", "paths")
	killed = killedUntilDone(t, c, provider, calls, 4, "-s", "green", "destroy", "--yes", "--cluster", "green")
	t.Logf("%d runs of destroy were killed", killed)
	require.Positive(t, killed)
	after := []string{}
	for _, prefix := range []string{"blue-x1", "green-x1"} {
		after = append(after, ownedBy(t, account, prefix)...)
	}
	require.ElementsMatch(t, before, after)
	require.Equal(t, zones, account.Zones())
	for _, stack := range []string{"network", "blue"} {
		c.Run("-s", stack, "preview", "--expect-no-changes")
		c.Run("-s", stack, "drift")
	}
	require.NotContains(t, c.Run("-s", "blue", "paths"), "breaks")
	_, stderr, code := c.Exit("-s", "network", "destroy", "--yes")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "stack network is used by blue")
	c.Run("-s", "blue", "destroy", "--yes", "--cluster", "blue")
	c.Run("-s", "network", "destroy", "--yes")
	require.Empty(t, ownedBy(t, account, "blue-x1"))
}
