package capa

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// vpcIPv6 matches the IPv6 networks of VPCs that the offline account gives.
var vpcIPv6 = regexp.MustCompile(`\b2001:db8:[0-9a-f:]*/(56|64)`)

// dualStack returns a CLI for a copy of an example whose network has IPv6.
func dualStack(t *testing.T, example string) *harness.CLI {
	t.Helper()
	cli := harness.NewCLI(t, stackfile.CopyOf(t, example))
	rewriteFile(t, cli.Dir, "    network:\n", "    network:\n      ipv6: true\n")
	return cli
}

func TestADualStackClusterOfCAPAIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for _, example := range sizes.First(1, []string{"capa-private", "capa-public"}) {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			cli := dualStack(t, example)
			cli.Run("--offline", "up", "--yes")
			resources := resourcesOf(t, cli.Dir, "demo")
			graph := graph.Of(t, resources, nil, "capa", "capa-network", "capa-groups", "capa-profiles", "cluster")
			golden.RequireGraph(t, "capa/"+example+"-ipv6", vpcIPv6.ReplaceAllString(withoutAddresses(graph), "2001:db8:…/$1"))
			cli.Run("--offline", "preview", "--expect-no-changes")
			cli.Run("--offline", "drift")
			cli.Run("--offline", "paths")

			block := ""
			for _, r := range resources {
				if string(r.Type) == awstype.VPC {
					block = r.Outputs["ipv6CidrBlock"].(string)
				}
			}
			require.NotEmpty(t, block)
			spec := objectIn(t, clusterIn(t, cli.Dir), "AWSCluster", "demo")["spec"].(map[string]any)
			vpc := spec["network"].(map[string]any)["vpc"].(map[string]any)
			require.Equal(t, map[string]any{"cidrBlock": block, "poolId": "Amazon"}, vpc["ipv6"], "CAPA adds the pool")
			require.Contains(t, cli.Run("--offline", "render"), "cidrBlock: "+block)

			rewriteFile(t, cli.Dir, "      ipv6: true\n", "")
			_, stderr, code := cli.Exit("--offline", "preview")
			require.Equal(t, 1, code, stderr)
			require.Equal(t, 1, strings.Count(stderr, "which Cluster API refuses"), stderr)
			require.Contains(t, stderr, "network.ipv6")
			rewriteFile(t, cli.Dir, "    network:\n", "    network:\n      ipv6: true\n")

			cli.Run("--offline", "destroy", "--yes")
			require.Empty(t, harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")))
		})
	}
}

func TestAClusterOfCAPADoesNotBecomeDualStack(t *testing.T) {
	t.Parallel()
	cli := harness.NewCLI(t, stackfile.CopyOf(t, "capa-private"))
	cli.Run("--offline", "up", "--yes")
	rewriteFile(t, cli.Dir, "    network:\n", "    network:\n      ipv6: true\n")
	_, stderr, code := cli.Exit("--offline", "preview")
	require.Equal(t, 1, code, stderr)
	require.Equal(t, 1, strings.Count(stderr, "which Cluster API refuses"), stderr)
	require.Contains(t, stderr, "network.ipv6")
}

// Without the Cluster's objects nothing forbids it, and AWS adds IPv6 to what exists.
func TestANetworkWithoutAClusterBecomesDualStack(t *testing.T) {
	t.Parallel()
	cli := harness.NewCLI(t, stackfile.CopyOf(t, "capa-private"))
	rewriteFile(t, cli.Dir, "    kubeconfig: {}", "    # kubeconfig: {}")
	cli.Run("--offline", "up", "--yes")
	rewriteFile(t, cli.Dir, "    network:\n", "    network:\n      ipv6: true\n")
	cli.Run("--offline", "up", "--yes")
	cli.Run("--offline", "preview", "--expect-no-changes")
	var subnets []string
	for _, r := range resourcesOf(t, cli.Dir, "demo") {
		if string(r.Type) == awstype.Subnet {
			subnets = append(subnets, vpcIPv6.FindString(r.Outputs["ipv6CidrBlock"].(string)))
		}
	}
	require.Len(t, subnets, 2)
	require.NotContains(t, subnets, "")
	cli.Run("--offline", "destroy", "--yes")
	require.Empty(t, harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")))
}

// Machines reach the API server by IPv6 from the VPC's CIDR, in addition to the networks of apiAccess.
func TestNodesOfADualStackClusterReachARestrictedAPIServer(t *testing.T) {
	t.Parallel()
	cli := dualStack(t, "capa-private")
	rewriteFile(t, cli.Dir, "    kubeconfig: {}", "    apiAccess: {cidrs: [203.0.113.0/24, \"2001:db8:ffff::/48\"], managementCIDRs: [198.51.100.7/32]}\n    kubeconfig: {}")
	cli.Run("--offline", "up", "--yes")
	var sources []string
	for _, r := range resourcesOf(t, cli.Dir, "demo") {
		if source, of := strings.CutPrefix(r.URN.Name(),
			"capa-groups-apiserver-lb-"); of && !strings.HasPrefix(source, "egress") {
			sources = append(sources, source)
		}
	}
	slices.Sort(sources)
	require.Equal(t, []string{"cidr-2001-db8-ffff--/48", "cidr-203.0.113.0/24", "management-198.51.100.7/32",
		"nat-us-east-1a", "vpc-ipv6"}, sources)
	cli.Run("--offline", "destroy", "--yes")
}
