package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// TestEveryExamplesNeedsAreCountedWithoutAnEngine: the programs of all kinds of stacks run by themselves, also where
// their management stack is not up.
func TestEveryExamplesNeedsAreCountedWithoutAnEngine(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "*", "Pulumi.*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	counted := 0
	for _, path := range files {
		stack := filepath.Base(path)[len("Pulumi.") : len(filepath.Base(path))-len(".yaml")]
		dir := filepath.Join(t.TempDir(), "example")
		require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Dir(path))))
		require.NoError(t, os.RemoveAll(filepath.Join(dir, ".hypershift-aws")))
		p, err := project.Open(dir)
		require.NoError(t, err)
		if _, err := p.LoadStack(stack); err != nil {
			continue // its program is another's
		}
		memory, err := sandbox.InMemory(environment.Options{Project: p})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, memory.Close()) })
		session := &workspace.Session{Project: p, Environment: memory}
		needs, err := CountDemands(t.Context(), session, map[string]string{stack: stack}, 1)
		require.NoError(t, err)
		if stack == "mismatch" { // an example of what AWS would refuse
			require.Len(t, needs.Uncounted, 1)
			require.Contains(t, needs.Uncounted[0].Problem, "the resources that they would create are not counted: running the program of stack mismatch: ")
			needs.Close()
			continue
		}
		require.Empty(t, needs.Uncounted, path)
		for _, f := range preflight.CheckQuotas(t.Context(), needs.Demands, needs.Accounts) {
			require.Equal(t, finding.Passed, f.Severity, "%s: %s", path, f.String())
			counted++
		}
		needs.Close()
	}
	require.Greater(t, counted, 50)
}

// TestClustersOnOneNetworkAreCountedTogether: the quotas of a VPC are those of all its clusters, before and after the
// network is deployed.
func TestClustersOnOneNetworkAreCountedTogether(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "example")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "..", "examples", "shared-network"))))
	for _, name := range []string{"blue", "green"} {
		path := filepath.Join(dir, "Pulumi."+name+".yaml")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append(text, "    privateLink: {owner: stack, loadBalancers: {arns: [\"arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/router/0123456789abcdef\"]}}\n"...), 0o600))
	}
	p, err := project.Open(dir)
	require.NoError(t, err)
	memory, err := sandbox.InMemory(environment.Options{Project: p})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close()) })
	session := &workspace.Session{Project: p, Environment: memory}
	needs, err := CountDemands(t.Context(), session, map[string]string{
		"network": "network",
		"blue":    "blue",
		"green":   "green",
	}, 1)
	require.NoError(t, err)
	defer needs.Close()
	require.Empty(t, needs.Uncounted)
	counted := map[string]int{}
	for _, d := range needs.Demands {
		counted[strings.TrimSpace(d.Quota+" "+d.Of)] = d.Count
		if d.Of == "network/network-vpc" {
			require.Equal(t, []string{"blue", "green"}, d.Stacks)
			require.True(t, d.New)
		}
	}
	require.Equal(t, 2, counted["interfaceEndpointsPerVPC network/network-vpc"], counted)
	require.Equal(t, 1, counted["natGatewaysPerZone us-east-1a"], counted)
	require.Equal(t, 1, counted["vpcs"], counted)
}
