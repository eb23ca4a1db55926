package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheLastEntryOfANameCounts(t *testing.T) {
	t.Parallel()
	e := Environ{"A=1", "B=", "A=2=x"}
	assert.Equal(t, "2=x", e.Get("A"))
	value, set := e.Lookup("B")
	assert.Empty(t, value)
	assert.True(t, set)
	_, set = e.Lookup("C")
	assert.False(t, set)
}

func TestACopyLeavesTheOriginalAlone(t *testing.T) {
	t.Parallel()
	e := Environ{"A=1", "A=2", "B=3"}
	assert.Equal(t, Environ{"B=3", "A=4"}, e.With("A", "4"))
	assert.Equal(t, Environ{"A=1", "A=2", "B=3"}, e)
}

func TestTheEngineRunsAsManyOperationsAsThereAreResourcesUnlessConfigured(t *testing.T) {
	t.Parallel()
	for _, e := range []Environ{{"PULUMI_PARALLEL=3"}, {"PULUMI_PARALLEL=9", "PULUMI_OPTION_PARALLEL=3"}} {
		assert.Equal(t, 3, e.Parallel(100))
		assert.Empty(t, e.OwnParallel(100), "the engine reads the user's")
	}
	for _, e := range []Environ{nil, {"PULUMI_PARALLEL=0"}, {"PULUMI_PARALLEL=many"}} {
		for resources, want := range map[int]int{0: 32, 3: 8, 20: 20, 2000: 32} {
			assert.Equal(t, want, e.Parallel(resources), resources)
			assert.Equal(t, []string{"PULUMI_PARALLEL=" + strconv.Itoa(want)}, e.OwnParallel(resources))
		}
	}
}

func TestVariablesThatChangeAnOperationAreFound(t *testing.T) {
	t.Parallel()
	harmless := Environ{
		"PATH=/bin", "PULUMI_OPTION_COLOR=always", "PULUMI_OPTION_NO_PLUGINS=true", "PULUMI_OPTION_POLICY_PACK=/policies",
		"PULUMI_PARALLEL=4",
		"PULUMI_K8S_CLIENT_QPS=10", "PULUMI_K8S_AWAIT_ALL=true", "PULUMI_DIY_BACKEND_ZSTD=true", "PULUMI_CI_SYSTEM=x",
	}
	require.Empty(t, harmless.Options())
	require.Equal(t, harmless, harmless.WithoutOptions())

	changing := Environ{"PULUMI_OPTION_TARGET=urn", "PULUMI_K8S_DELETE_UNREACHABLE=true", "PULUMI_RUN_PROGRAM=true",
		"PULUMI_OPTION_REPLACE=", "PULUMI_OPTION_TARGET=other"}
	all := slices.Concat(changing, harmless)
	require.Equal(t, []string{"PULUMI_K8S_DELETE_UNREACHABLE", "PULUMI_OPTION_TARGET", "PULUMI_RUN_PROGRAM"},
		all.Options())
	require.Equal(t, []string{"PULUMI_K8S_DELETE_UNREACHABLE"}, all.KubernetesOptions())
	require.Equal(t, harmless, all.WithoutOptions())

	for _, name := range []string{
		"PULUMI_EXPERIMENTAL", "PULUMI_SKIP_CHECKPOINTS", "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS",
		"PULUMI_DIY_BACKEND_LEGACY_LAYOUT",
		"PULUMI_DISABLE_JOURNALING", "PULUMI_CONTINUE_ON_ERROR", "PULUMI_K8S_ENABLE_SECRET_MUTABLE",
		"PULUMI_OF_A_LATER_ENGINE",
	} {
		require.Equal(t, []string{name}, Environ{name + "=true"}.Options(),
			"it changes what the engine records or does, or is not known")
	}
}

func TestTheEngineOfAPodHasNoVariablesThatChangeWhatTheKubernetesProviderDeletes(t *testing.T) {
	t.Parallel()
	environ := Environ{"HOME=/home/pod", "PULUMI_K8S_DELETE_UNREACHABLE=true", "PULUMI_OPTION_NO_PLUGINS=true"}
	require.Equal(t, []string{"PULUMI_K8S_DELETE_UNREACHABLE"}, environ.KubernetesOptions())
	require.Equal(t, Environ{"HOME=/home/pod", "PULUMI_OPTION_NO_PLUGINS=true"}, environ.WithoutKubernetesOptions())
}

func TestAHomeWithoutLogsKeepsTheLogsThatItHad(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	require.NoError(t, HomeWithoutLogs(home))
	require.FileExists(t, filepath.Join(home, "logs"))
	require.NoError(t, HomeWithoutLogs(home), "again")

	used := t.TempDir()
	kept := filepath.Join(used, "logs", "pulumi.log")
	require.NoError(t, os.Mkdir(filepath.Dir(kept), 0o700))
	require.NoError(t, os.WriteFile(kept, nil, 0o600))
	require.NoError(t, HomeWithoutLogs(used))
	require.FileExists(t, kept)
}
