package capa

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// stateFile returns the file of an offline stack's state.
func stateFile(dir, stack string) string {
	return filepath.Join(dir, ".hypershift-aws", "offline", "state", ".pulumi", "stacks", "hypershift-aws", stack+".json")
}

// resourcesOf returns the resources in an offline stack's state.
func resourcesOf(t *testing.T, dir, stack string) []apitype.ResourceV3 {
	t.Helper()
	text, err := os.ReadFile(stateFile(dir, stack))
	require.NoError(t, err)
	var file struct {
		Checkpoint struct {
			Latest struct{ Resources []apitype.ResourceV3 }
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	return file.Checkpoint.Latest.Resources
}

// natAddress matches the public addresses that the offline account gives.
var natAddress = regexp.MustCompile(`\b198\.1[89]\.\d+\.\d+`)

// withoutAddresses replaces the public addresses that AWS assigns.
func withoutAddresses(text string) string { return natAddress.ReplaceAllString(text, "…") }

// Offline CAPA tags the network, starts a load balancer and machines, and deletes all that with the Cluster: nothing of
// it shows in a preview, and nothing is left.
func TestTheArchitecturesOfCAPAAreCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for _, example := range sizes.First(1, []string{"capa-private", "capa-public"}) {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			cli := harness.NewCLI(t, stackfile.CopyOf(t, example))
			cli.Run("--offline", "up", "--yes")
			golden.RequireGraph(t, "capa/"+example, withoutAddresses(graph.Of(t, resourcesOf(t, cli.Dir, "demo"), nil,
				"capa", "capa-network", "capa-groups", "capa-profiles", "cluster")))
			cli.Run("--offline", "preview", "--expect-no-changes")
			paths := withoutAddresses(harness.WithoutIDs(cli.Run("--offline", "paths")))
			golden.Require(t, "testdata/paths/"+example+".txt", paths)
			if example == "capa-private" {
				document, err := os.ReadFile(repo.Path("docs", "appendix", "paths.md"))
				require.NoError(t, err)
				require.Contains(t, string(document), strings.TrimSpace(paths), "the document shows other paths")
			}
			require.Contains(t, cli.Run("--offline", "render"), "kind: AWSCluster")
			cli.Run("--offline", "destroy", "--yes")
			require.Empty(t, harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")))
		})
	}
}

// editState changes the resources in an offline stack's state as a user can with the engine.
func editState(t *testing.T, dir string, edit func([]map[string]any) []map[string]any) {
	t.Helper()
	path := stateFile(dir, "demo")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var file map[string]any
	require.NoError(t, json.Unmarshal(text, &file))
	latest := file["checkpoint"].(map[string]any)["latest"].(map[string]any)
	var resources []map[string]any
	for _, r := range latest["resources"].([]any) {
		resources = append(resources, r.(map[string]any))
	}
	latest["resources"] = edit(resources)
	text, err = json.Marshal(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

func TestDestroyRefusesToBeginWhileMachinesOfCAPAAreInTheNetwork(t *testing.T) {
	t.Parallel()
	cli := harness.NewCLI(t, stackfile.CopyOf(t, "capa-public"))
	cli.Run("--offline", "up", "--yes")
	whole, err := os.ReadFile(stateFile(cli.Dir, "demo"))
	require.NoError(t, err)
	made := len(harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")))

	// The stack does not have the Cluster, like one without kubeconfig.
	editState(t, cli.Dir, func(resources []map[string]any) []map[string]any {
		return slices.DeleteFunc(resources, func(r map[string]any) bool {
			return strings.HasPrefix(r["type"].(string), "kubernetes:")
		})
	})
	_, stderr, code := cli.Exit("--offline", "destroy", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "cluster demo is alive")
	require.Contains(t, stderr, "its management cluster has it")
	require.Len(t, harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")), made, "nothing is deleted")

	// A Cluster that the stack has applied is deleted first; a protected one must be named.
	require.NoError(t, os.WriteFile(stateFile(cli.Dir, "demo"), whole, 0o600))
	editState(t, cli.Dir, func(resources []map[string]any) []map[string]any {
		for _, r := range resources {
			if token := r["type"].(string); strings.HasPrefix(token, "kubernetes:") && strings.HasSuffix(token, ":Cluster") {
				r["protect"] = true
			}
		}
		return resources
	})
	_, stderr, code = cli.Exit("--offline", "destroy", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "use --cluster demo")
	cli.Run("--offline", "destroy", "--yes", "--cluster", "demo")
	require.Empty(t, harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")))
}

// TestANetworkHasOneRuleOfTheAPIServer: AWS refuses a second one, and the engine creates before it deletes.
func TestANetworkHasOneRuleOfTheAPIServer(t *testing.T) {
	t.Parallel()
	config := func(access string) string {
		return "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: capa\n  hypershift-aws:capa: {name: demo, kubernetesVersion: v1.33.4, " +
			"network: {zones: [us-east-1b]}, apiAccess: {" + access + "}}\n"
	}
	for name, c := range sizes.Only(t, map[string]struct{ before, after string }{
		"in both lists": {"cidrs: [203.0.113.0/24], managementCIDRs: [203.0.113.0/24]",
			"cidrs: [203.0.113.0/24], managementCIDRs: [203.0.113.0/24, 192.0.2.0/24]"},
		"the VPC's own": {"scheme: internal, cidrs: [10.0.0.0/16], managementCIDRs: [10.1.0.0/16]",
			"scheme: internal, cidrs: [10.2.0.0/16], managementCIDRs: [10.0.0.0/16]"},
		"moved to the other list": {"cidrs: [203.0.113.0/24, 198.51.100.7/32], managementCIDRs: [192.0.2.0/24]",
			"cidrs: [203.0.113.0/24], managementCIDRs: [198.51.100.7/32]"},
		"from one list": {"cidrs: [203.0.113.0/24], managementCIDRs: [203.0.113.0/24]",
			"cidrs: [192.0.2.0/24], managementCIDRs: [203.0.113.0/24]"},
		"the VPC's, with a second load balancer": {"secondary: true, cidrs: [10.0.0.0/16], managementCIDRs: [203.0.113.0/24]",
			"cidrs: [10.0.0.0/16], managementCIDRs: [203.0.113.0/24]"},
	}, "moved to the other list") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := config(c.before), config(c.after)
			stack := enginetest.New(t, stacks.Run, enginetest.Options{
				Seeds: append(stackfile.SeedsFor(t, before), stackfile.SeedsFor(t, after)...),
			})
			stack.Configure(before)
			stack.Up()
			stack.Configure(after)
			require.Empty(t, stack.Up().Replaced())
			stack.RequireStable()
			stack.Destroy()
			require.Empty(t, stack.Resources())
		})
	}
}
