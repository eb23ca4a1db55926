package conformance

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// killedUntilDone runs a command again and again, and kills CLI, engine and provider at its nth request that changes
// something, each time one later: by turns before it is sent, and before its answer arrives. It returns how many runs
// were killed.
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
		calls.StopChange(n+killed, killed%3 > 0, func() (int, string) {
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

// Other VPCs, in a third account, get access to a control plane, then another access, each with kills: the accounts
// have nothing twice. The deletion is not tried: the emulator cannot list the connections of an endpoint service,
// without which destroy deletes nothing.
func TestAConsumerSurvivesKillsWithAnAWSProvider(t *testing.T) {
	t.Parallel()
	lives := acrossAccounts(t)
	i := slices.IndexFunc(lives, func(l providerLife) bool { return l.name == "privatelink from elsewhere" })
	require.GreaterOrEqual(t, i, 0)
	life := lives[i].with(func(text string) string { return text })
	c, provider, calls, account := realCLI(t, life.configs[0])
	hub := otherAccount(t, moto.Config(provider.Endpoint, "ec2", "route53", "iam", "sts"), stackfile.HubAccount)
	endpoints := func() (found []string) {
		all, err := hub.Compute.DescribeVpcEndpoints(t.Context(), &ec2.DescribeVpcEndpointsInput{})
		require.NoError(t, err)
		for _, endpoint := range all.VpcEndpoints {
			if endpoint.State != "deleted" {
				found = append(found, *endpoint.VpcEndpointId)
			}
		}
		return found
	}
	configure := func(config string) {
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir, "Pulumi.demo.yaml"), []byte(account.Text(config)), 0o600))
	}
	configure(stackfile.WithoutAccess(life.configs[0]))
	c.Run("-s", "demo", "up", "--yes")
	had := endpoints()

	for _, config := range []string{life.configs[0], strings.NewReplacer("localZoneVPCs: [",
		"acceptanceRequired: true\n      localZoneVPCs: [", "10.100.0.0/16", "10.100.0.0/17",
		"hostNames: [", "hostNames: [api-demo.hub.example.com, ").Replace(life.configs[0])} {
		configure(config)
		killed := killedUntilDone(t, c, provider, calls, 1, "-s", "demo", "up", "--yes")
		t.Logf("%d runs of up were killed", killed)
		require.Positive(t, killed)
		require.Len(t, endpoints(), len(had)+1)
		require.NotEmpty(t, hub.Group("demo-x1-consumer-private-router"))
		c.Run("-s", "demo", "preview", "--expect-no-changes")
		c.Run("-s", "demo", "drift")
	}
}
