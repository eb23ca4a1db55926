package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// linkedCLI is the CLI in a folder with a stack that makes PrivateLink itself, in one zone.
func linkedCLI(t *testing.T, access hypershift.EndpointAccess) *cli {
	t.Helper()
	dir := t.TempDir()
	config := link(access, coveredZones()[:1], stackOwned())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(config), 0o600))
	return newCLI(t, dir)
}

// removeBehindItsBack deletes the one resource of a type that fits from the offline accounts.
func removeBehindItsBack(t *testing.T, dir, token string, fits func(offline.Resource) bool) {
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

func TestTheFourWaysOfEachModeAsTheDocumentsPrintThem(t *testing.T) {
	t.Parallel()
	for _, access := range hypershift.EndpointAccesses() {
		t.Run(string(access), func(t *testing.T) {
			t.Parallel()
			cli := linkedCLI(t, access)
			cli.run("--offline", "up", "--yes")
			ways := withoutIDs(cli.run("--offline", "check", "path"))
			requireGolden(t, "paths/"+string(access)+".txt", ways)
			document, err := os.ReadFile("../docs/privatelink.md")
			require.NoError(t, err)
			require.Contains(t, string(document), strings.TrimSpace(ways), "the document prints other ways")
			require.Equal(t, cli.run("--offline", "check", "path"), cli.run("--offline", "check", "path", "--live"))
		})
	}
}

// The IDs that AWS makes up, and the addresses that it gives.
var (
	randomID      = regexp.MustCompile(`\b([a-z]+(?:-svc)?)-0[0-9a-f]{16}(-[0-9a-f]{8})?`)
	randomZone    = regexp.MustCompile(`\bZ[0-9A-Z]{20}`)
	publicAddress = regexp.MustCompile(`\b\d+\.\d+\.\d+\.\d+\n`)
)

// withoutIDs leaves out what AWS makes up.
func withoutIDs(text string) string {
	text = randomZone.ReplaceAllString(randomID.ReplaceAllString(text, "$1-…"), "Z…")
	return publicAddress.ReplaceAllString(text, "…\n")
}

func TestWhatIsRemovedBehindTheStacksBackIsTheHopThatBreaks(t *testing.T) {
	t.Parallel()
	any := func(offline.Resource) bool { return true }
	with := func(property, part string) func(offline.Resource) bool {
		return func(r offline.Resource) bool {
			text, _ := r.Properties[property].(string)
			return strings.Contains(text, part)
		}
	}
	for name, test := range map[string]struct {
		token string
		fits  func(offline.Resource) bool
		// want are the lines that break, and no others may.
		want []string
	}{
		"the security group's rule": {"aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", any, []string{
			"breaks  security group   private-link-group sg-…: no rule lets 10.0.128.0/20 in on 443",
		}},
		"the nodes' way out": {"aws:ec2/route:Route", with("natGatewayId", "nat-"), []string{
			"breaks  route table      network-private-us-east-1c rtb-…: has no route to 0.0.0.0/0",
		}},
		"the way to the internet": {"aws:ec2/route:Route", with("gatewayId", "igw-"), []string{
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
			"breaks  NAT gateway      nat-… is gone",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli := linkedCLI(t, hypershift.PublicAndPrivate)
			cli.run("--offline", "up", "--yes")
			removeBehindItsBack(t, cli.dir, test.token, test.fits)
			stdout, stderr, code := cli.exit("--offline", "check", "path", "--live")
			require.Equal(t, 1, code, stderr)
			var broken []string
			for line := range strings.Lines(withoutIDs(stdout)) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "breaks") {
					broken = append(broken, line)
				}
			}
			require.Equal(t, test.want, broken)
			require.Contains(t, stderr, "ways of stack dev break")

			cli.run("--offline", "up", "--yes")
			cli.run("--offline", "check", "path")
		})
	}
}

func TestThePlannedWaysAreThoseThatComeToBe(t *testing.T) {
	t.Parallel()
	for _, access := range hypershift.EndpointAccesses() {
		t.Run(string(access), func(t *testing.T) {
			t.Parallel()
			cli := linkedCLI(t, access)
			planned := hops(t, cli.run("--offline", "-o", "json", "check", "path", "--planned"))
			cli.run("--offline", "up", "--yes")
			require.Equal(t, hops(t, cli.run("--offline", "-o", "json", "check", "path")), planned)
			require.Equal(t, cli.run("--offline", "check", "path"), cli.run("--offline", "check", "path", "--planned"),
				"nothing is to be changed, and all has its ID")
		})
	}
}

// hops are the verdicts of "check path" with their resources, without the IDs and what is said of them.
func hops(t *testing.T, text string) []string {
	t.Helper()
	var hops []string
	for line := range strings.Lines(text) {
		var path connectivity.Path
		require.NoError(t, json.Unmarshal([]byte(line), &path))
		for _, hop := range path.Hops {
			hops = append(hops, fmt.Sprint(path.Name, ": ", hop.Verdict, " ", hop.Kind, " ", hop.Name))
		}
	}
	return hops
}

func TestAPlanThatWouldNotLetNodesInSaysSoBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := link(hypershift.Private, coveredZones()[:1], strings.Replace(stackOwned(), "{", "{acceptanceRequired: true, ", 1))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(config), 0o600))
	stdout, stderr, code := newCLI(t, dir).exit("--offline", "check", "path", "--planned")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stdout, "breaks  endpoint         private-link: would be pendingAcceptance: the service's owner has to accept it")
}
