package consent

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func none(string) string { return "" }

func TestAJournalKeepsUsesForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "own", "consents.jsonl")
	j := NewJournal(path)
	uses, err := j.Uses("dev")
	require.NoError(t, err)
	require.Empty(t, uses)
	first := New("v0.1.0", "dev", "--allow", "demo-vpc", none)
	first.Resources = []string{"VPC demo-vpc"}
	require.NoError(t, j.Add(first))
	require.NoError(t, j.Add(New("v0.1.0", "other", "--allow", "x", none)))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"stack":"dev","fl`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	uses, err = j.Uses("dev")
	require.NoError(t, err)
	require.Equal(t, []Use{first}, uses)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, j.Clear())
	require.NoError(t, j.Clear())
	require.NoFileExists(t, path)
}

func TestAUseNamesThePipelineThatStartedTheRun(t *testing.T) {
	t.Parallel()
	environ := map[string]string{"GITHUB_ACTOR": "alice", "GITHUB_RUN_ID": "42"}
	by := New("v0.1.0", "dev", "--allow", "", func(name string) string { return environ[name] }).By
	require.Regexp(t, `^alice \(run 42\) as .+@.+`, by)
	require.Regexp(t, `^[^(]+@.+`, Who(none))
}

func TestTheOutputAndTheJournalAreMergedWithoutDuplicates(t *testing.T) {
	t.Parallel()
	first, second := New("v0.1.0", "dev", "--allow", "a", none), New("v0.1.0", "dev", "--allow", "b", none)
	output := []any{map[string]any{
		"time":  first.Time.Format("2006-01-02T15:04:05Z07:00"),
		"stack": "dev",
		"flag":  "--allow",
		"value": "a",
		"by":    first.By,
	}}
	merged := Merge(output, []Use{first, second})
	require.Len(t, merged, 2)
	require.Equal(t, []string{"a", "b"}, []string{merged[0].Value, merged[1].Value})
	require.Empty(t, Merge("[secret]", nil))
}
