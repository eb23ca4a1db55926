package preflight_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// quotaFinding is what preflight reports about a quota.
type quotaFinding struct {
	Type, Verdict, Check, Quota string
	Figures                     struct{ Limit, Used, Needed int }
}

// quotasOf returns what preflight reports about quotas, by their names.
func quotasOf(t *testing.T, c *harness.CLI) map[string]quotaFinding {
	t.Helper()
	stdout, stderr, _ := c.Exit("--offline", "-s", "dev", "-o", "json", "preflight")
	found := map[string]quotaFinding{}
	for line := range strings.Lines(stdout) {
		var f quotaFinding
		require.NoError(t, json.Unmarshal([]byte(line), &f), stderr)
		if f.Type != "finding" || f.Check != "quota" {
			continue
		}
		i := slices.IndexFunc(awstype.Quotas(), func(q awstype.Quota) bool { return q.Service+"/"+q.Code == f.Quota })
		require.GreaterOrEqual(t, i, 0, line)
		found[awstype.Quotas()[i].Name] = f
	}
	require.NotEmpty(t, found, stderr)
	return found
}

// typesMade returns the types of the resources in the account, one per resource.
func typesMade(t *testing.T, c *harness.CLI) []string {
	t.Helper()
	var types []string
	for _, r := range harness.MadeIn(t, filepath.Join(c.Dir, ".hypershift-aws", "offline")) {
		types = append(types, r.Type)
	}
	return types
}

// TestPreflightPassesIfAndOnlyIfTheWholeLifeIsNotRefusedForAQuota sets the limits of an account to exactly what
// preflight counts for a new hosted cluster, operators included: nothing is refused, neither to the stack nor to the
// operators. With any one of the limits lower by one, preflight does not pass, and the account refuses a creation.
// Preflight counts more network load balancers than offline operators create: those of the control plane are not
// simulated.
func TestPreflightPassesIfAndOnlyIfTheWholeLifeIsNotRefusedForAQuota(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T, limits map[string]int) *harness.CLI {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: hypershift-aws\nruntime: go\n"),
			0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(stackfile.PartsFiles(true, "PublicAndPrivate")["dev"]+`    unprotected: true
    hostedCluster:
      kubeconfig: {context: management}
      release: `+stackfile.Release+`
      pullSecret: {env: PULL_SECRET}
      nodePools: [{name: a, replicas: 2, zone: us-east-1a}]
`), 0o600))
		text, err := json.Marshal(limits)
		require.NoError(t, err)
		return harness.NewCLI(t, dir, `PULL_SECRET={"auths":{}}`, fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={operators: {}, quotas: %s}", text))
	}
	needed := map[string]int{}
	for name, f := range quotasOf(t, start(t, map[string]int{})) {
		if needed[name] = f.Figures.Used + f.Figures.Needed; name == "natGatewaysPerZone" {
			needed[name] = 1 // in each of the zones
		}
	}
	whole := start(t, needed)
	for name, f := range quotasOf(t, whole) {
		require.Equal(t, "passes", f.Verdict, name)
	}
	whole.Run("--offline", "-s", "dev", "up", "--yes", "--wait")
	all := typesMade(t, whole)
	require.Contains(t, all, awstype.LoadBalancer, "what operators create")
	require.Contains(t, all, awstype.Instance)
	for name := range sizes.Only(t, needed, "vpcs") {
		if name == "networkLoadBalancers" {
			continue
		}
		t.Run("one too few "+name, func(t *testing.T) {
			t.Parallel()
			limits := map[string]int{}
			for other, limit := range needed {
				limits[other] = limit
			}
			limits[name]--
			c := start(t, limits)
			for other, f := range quotasOf(t, c) {
				require.Equal(t, other == name, f.Verdict != "passes", "%s: %+v", other, f)
			}
			_, stderr, code := c.Exit("--offline", "-s", "dev", "up", "--yes", "--skip-preflight")
			if code != 0 {
				require.Regexp(t, `LimitExceeded|TooMany`, stderr)
				return
			}
			c.Run("--offline", "-s", "dev", "status") // the operators try again
			require.Less(t, len(typesMade(t, c)), len(all), "what the operators have created")
		})
	}
}
