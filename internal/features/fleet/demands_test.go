package fleet

import (
	"os"
	"path/filepath"
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
