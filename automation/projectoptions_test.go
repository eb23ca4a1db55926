package automation_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

func TestOptionsChooseTheWorkFolderAndTheTagsOfNewStacks(t *testing.T) {
	t.Parallel()
	dir, work, home := t.TempDir(), filepath.Join(t.TempDir(), "work"), filepath.Join(t.TempDir(), "home")
	require.NoError(t, engine.HomeWithoutLogs(home))
	wd, err := os.Getwd()
	require.NoError(t, err)
	p, err := automation.Open(automation.ProjectOptions{
		Dir: dir, WorkDir: work, StackTags: map[string]string{"team": "platform"}, Offline: true, EngineDirs: []string{filepath.Dir(wd)},
		Environ: append(os.Environ(), "PULUMI_HOME="+home, "PULUMI_SKIP_UPDATE_CHECK=true"),
	})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	stack, err := p.NewStack("given", content())
	require.NoError(t, err)
	_, err = stack.Preview(t.Context(), automation.PreviewOptions{})
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "everything is in the work folder")
	tags, err := filepath.Glob(filepath.Join(work, "offline", "state", ".pulumi", "stacks", "*", "given.pulumi-tags"))
	require.NoError(t, err)
	require.Len(t, tags, 1)
	text, err := os.ReadFile(tags[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"version": 1, "tags": {"team": "platform"}}`, string(text))
	listed, err := p.List(t.Context())
	require.NoError(t, err)
	require.Len(t, listed, 1)
}
