package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// A program shows a plan as `preview` prints it: the plan of a new stack, of one without changes, and one that is
// refused. What the command prints beyond it is about the command.
func TestAProgramPrintsAPlanAsTheCommandDoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.network.yaml"), []byte(kindStacks()[config.KindNetwork]),
		0o600))
	c := harness.NewCLI(t, dir)
	project, err := automation.Open(automation.ProjectOptions{
		Dir: dir, Offline: true, EngineDirs: []string{repo.Path("bin")}, Environ: c.Environ(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { project.Close() })
	plain := func(text string) string {
		return strings.ReplaceAll(text, "hypershift-aws --offline ", "hypershift-aws ")
	}
	compare := func() *automation.PreviewResult {
		markdown := filepath.Join(t.TempDir(), "plan.md")
		printed, _, _ := c.Exit("--offline", "-s", "network", "preview", "--drift=false", "--markdown", markdown)
		detailed, _, _ := c.Exit("--offline", "-s", "network", "preview", "--details")
		written, err := os.ReadFile(markdown)
		require.NoError(t, err)
		result, _ := project.Stack("network").Preview(t.Context(), automation.PreviewOptions{})
		require.NotNil(t, result)
		for _, shown := range []struct{ command, program string }{
			{printed, result.Text(false)}, {detailed, result.Text(true)},
		} {
			require.NotEmpty(t, shown.program)
			require.True(t, strings.HasPrefix(plain(shown.command), shown.program), "the command prints\n%s\nand a program\n%s",
				shown.command, shown.program)
		}
		require.Equal(t, plain(string(written)), result.Markdown())
		return result
	}
	require.Positive(t, compare().Plan.Counts().Created)
	c.Run("--offline", "-s", "network", "up", "--yes")
	require.Zero(t, compare().Plan.Counts().Changes())
	c.Edit("network", "zones: [us-east-1a]", "zones: [us-east-1a, us-east-1b], vpcCIDR: 10.7.0.0/16")
	compare()
}
