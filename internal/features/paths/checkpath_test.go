package paths_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// linkedCLI returns the CLI in a folder with a stack that creates PrivateLink itself, in one zone.
func linkedCLI(t *testing.T, access hypershift.EndpointAccess) *harness.CLI {
	t.Helper()
	dir := t.TempDir()
	config := stackfile.Link(access, stackfile.CoveredZones()[:1], stackfile.StackOwned())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(config), 0o600))
	return harness.NewCLI(t, dir)
}

// removeOutsideTheStack deletes the one resource of a type that fits from the offline accounts.
func removeOutsideTheStack(t *testing.T, dir, token string, fits func(offline.Resource) bool) {
	t.Helper()
	accounts, err := offline.Accounts(filepath.Join(dir, ".hypershift-aws", "offline"))
	require.NoError(t, err)
	removed := 0
	for _, account := range accounts {
		for _, resource := range account.Resources() {
			if resource.Type == token && !resource.Seed && fits(resource) {
				require.NoError(t, account.Remove(resource.ID))
				removed++
			}
		}
	}
	require.Equal(t, 1, removed, token)
}

func TestCheckPathOfEachModeMatchesTheDocuments(t *testing.T) {
	t.Parallel()
	for _, access := range sizes.First(1, hypershift.EndpointAccesses()) {
		t.Run(string(access), func(t *testing.T) {
			t.Parallel()
			cli := linkedCLI(t, access)
			cli.Run("--offline", "up", "--yes")
			paths := harness.WithoutIDs(cli.Run("--offline", "paths"))
			golden.Require(t, "testdata/paths/"+string(access)+".txt", paths)
			document, err := os.ReadFile(repo.Path("docs", "appendix", "paths.md"))
			require.NoError(t, err)
			require.Contains(t, string(document), strings.TrimSpace(paths), "the document shows other paths")
			require.Equal(t, cli.Run("--offline", "paths"), cli.Run("--offline", "paths", "--live"))
		})
	}
}

func TestCheckPathFindsWhatWasRemovedOutsideTheStack(t *testing.T) {
	t.Parallel()
	any := func(offline.Resource) bool { return true }
	with := func(property, part string) func(offline.Resource) bool {
		return func(r offline.Resource) bool {
			text, _ := r.Properties[property].(string)
			return strings.Contains(text, part)
		}
	}
	for name, test := range sizes.Only(t, map[string]struct {
		token string
		fits  func(offline.Resource) bool
		// want are the only lines that break.
		want []string
	}{
		"the security group's rule": {"aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", any, []string{
			"breaks  security group   private-link-group sg-…: no rule allows 10.0.128.0/20 on port 443",
		}},
		"the nodes' route to the NAT gateway": {"aws:ec2/route:Route", with("natGatewayId", "nat-"), []string{
			"breaks  route table      network-private-us-east-1c rtb-…: has no route to 0.0.0.0/0",
		}},
		"the route to the internet gateway": {"aws:ec2/route:Route", with("gatewayId", "igw-"), []string{
			"breaks  route table      network-public rtb-…: has no route to 0.0.0.0/0",
			"breaks  route table      network-public rtb-…: has no route to 0.0.0.0/0",
		}},
		"the API server's record": {"aws:route53/record:Record", with("name", "api."), []string{
			"breaks  record           network-local-zone Z…: has no CNAME api.demo.hypershift.local",
		}},
		"the endpoint": {"aws:ec2/vpcEndpoint:VpcEndpoint", with("vpcEndpointType", "Interface"), []string{
			"breaks  endpoint         there is no endpoint for private-router in vpc-…",
			"breaks  endpoint         no endpoint has the name vpce-….vpce-svc-….us-east-1.vpce.amazonaws.com",
			"breaks  endpoint         no endpoint has the name vpce-….vpce-svc-….us-east-1.vpce.amazonaws.com",
		}},
		"the NAT gateway": {"aws:ec2/natGateway:NatGateway", any, []string{
			"breaks  NAT gateway      nat-… does not exist",
		}},
	}, "the endpoint") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli := linkedCLI(t, hypershift.PublicAndPrivate)
			cli.Run("--offline", "up", "--yes")
			removeOutsideTheStack(t, cli.Dir, test.token, test.fits)
			stdout, stderr, code := cli.Exit("--offline", "paths", "--live")
			require.Equal(t, 1, code, stderr)
			var broken []string
			for line := range strings.Lines(harness.WithoutIDs(stdout)) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "breaks") {
					broken = append(broken, line)
				}
			}
			require.Equal(t, test.want, broken)
			require.Regexp(t, `(1 path of stack dev is|\d+ paths of stack dev are) broken`, stderr)

			cli.Run("--offline", "up", "--yes")
			cli.Run("--offline", "paths")
		})
	}
}

func TestCheckPathFollowsClientsInOtherVPCs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(stackfile.AccessibleByStack()), 0o600))
	cli := harness.NewCLI(t, dir)
	cli.Run("--offline", "up", "--yes")
	golden.Require(t, "testdata/paths/Elsewhere.txt", harness.WithoutIDs(cli.Run("--offline", "paths")))
	for _, one := range []struct{ token, part, want string }{
		{"aws:route53/zoneAssociation:ZoneAssociation", "", "is not associated with vpc-"},
		{"aws:ec2/vpcEndpoint:VpcEndpoint", "consumer-", "there is no endpoint of consumer hub in vpc-"},
	} {
		removeOutsideTheStack(t, dir, one.token, func(r offline.Resource) bool {
			tags, _ := r.Properties["tags"].(map[string]any)
			name, _ := tags["Name"].(string)
			return strings.Contains(name, one.part)
		})
		stdout, _, code := cli.Exit("--offline", "paths", "--live")
		require.Equal(t, 1, code)
		require.Contains(t, stdout, one.want)
	}
}
