package test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// withoutRule in the environment is the one rule that a test binary does not have, if it was built by mutant.
const withoutRule = "HYPERSHIFT_AWS_TEST_WITHOUT_RULE"

// mutation is a change of a file that leaves out a rule if withoutRule has its name.
type mutation struct{ file, before, after string }

// mutations are one place per rule: the table of guarded types is read in one function.
func mutations() []mutation {
	const without = `os.Getenv("` + withoutRule + `")`
	return []mutation{
		{"internal/plan/guard.go", "return recordOf(step).Guarded()\n", "return step.Type != " + without + " && recordOf(step).Guarded()\n"},
		{"stacks/inherited.go", "if !last.exists || ", "if " + without + ` == "` + ruleKeys + `" || !last.exists || `},
		{"internal/policy/report.go", "if len(open) == 0 {", "if " + without + ` == "` + rulePolicies + `" || len(open) == 0 {`},
	}
}

// mutant builds this package's test binary with every mutation. The files of the module stay as they are, and no other binary has them.
func mutant(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, m := range mutations() {
		path, err := filepath.Abs(filepath.Join("..", filepath.FromSlash(m.file)))
		require.NoError(t, err)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		changed := string(text)
		require.Equal(t, 1, strings.Count(changed, m.before), "%s: %s", m.file, m.before)
		changed = strings.Replace(changed, m.before, m.after, 1)
		if !strings.Contains(changed, "\t\"os\"\n") {
			changed = strings.Replace(changed, "import (\n", "import (\n\t\"os\"\n", 1)
		}
		written := filepath.Join(dir, strings.ReplaceAll(m.file, "/", "-"))
		require.NoError(t, os.WriteFile(written, []byte(changed), 0o600))
		overlay.Replace[path] = written
	}
	text, err := json.Marshal(overlay)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o600))
	binary := filepath.Join(dir, "mutant")
	output, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags", "-s -w",
		"-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", output)
	return binary
}

// turnsRed fails unless the first step that a missing rule refuses has another verdict.
func turnsRed(t *testing.T, table stepsTable, rule string, r runner) {
	t.Helper()
	r.create(t, table.base)
	for _, s := range table.refused {
		if s.rule == rule {
			verdict := r.verdict(s, table.base)
			require.NotEmpty(t, verdict, "%s: the step is refused in the same words without its rule", s.name)
			t.Logf("%s: %.60s", s.name, verdict)
			return
		}
	}
	require.Fail(t, "the table has no step of the rule", rule)
}

// Each rule is missing in turn, and the table finds that in each way of running a stack.
func TestTheTableOfStepsFindsAMissingRuleHoweverTheStackIsRun(t *testing.T) {
	t.Parallel()
	if os.Getenv(withoutRule) != "" {
		return // it is the mutant's, which runs the table
	}
	const cluster, management = "TestEachStepHasTheSameVerdictHoweverTheStackIsRun", "TestEachStepOfAManagementStackHasTheSameVerdictHoweverItIsRun"
	tables := map[string]stepsTable{cluster: clusterSteps(), management: managementSteps()}
	rules := map[string][]string{cluster: {awstype.VPCEndpoint, rulePolicies}}
	if *allSteps {
		rules = map[string][]string{}
		for of, table := range tables {
			for _, s := range table.refused {
				if !slices.Contains(rules[of], s.rule) {
					rules[of] = append(rules[of], s.rule)
				}
			}
		}
	}
	binary := mutant(t)
	for of, missing := range rules {
		for _, rule := range missing {
			t.Run(path.Join(tables[of].key, rule), func(t *testing.T) {
				command := exec.CommandContext(t.Context(), binary, "-test.run", "^"+of+"$", "-test.v")
				command.Env = append(os.Environ(), withoutRule+"="+rule)
				output, err := command.CombinedOutput()
				require.NoError(t, err, "%s", output)
				for name := range runners(tables[of]) {
					require.Contains(t, string(output), "--- PASS: "+of+"/"+strings.ReplaceAll(name, " ", "_"))
				}
			})
		}
	}
}
