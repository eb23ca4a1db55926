package recovery_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
)

// The engine that deletes a stack is told what: what another run adds to the state until it starts stays.
func TestADestroyDeletesNothingThatIsAddedUntilTheEngineStarts(t *testing.T) {
	t.Parallel()
	s := harness.CreatedStack(t)
	states, err := filepath.Glob(filepath.Join(s.OfflineDir(), "state", ".pulumi", "stacks", "*", "test.json"))
	require.NoError(t, err)
	require.Len(t, states, 1)
	shown, err := os.ReadFile(states[0])
	require.NoError(t, err)
	s.Edit("test", "interfaceEndpoints: []", "interfaceEndpoints: []\n      flowLogs: {}")
	s.Run("--offline", "up", "--yes")
	added := filepath.Join(t.TempDir(), "added.json")
	text, err := os.ReadFile(states[0])
	require.NoError(t, err)
	hooks := regexp.MustCompile(`,"resourceHooks":\{[^}]*\}`) // of the guard, which would stop the engine first
	require.Regexp(t, hooks, string(text))
	require.NoError(t, os.WriteFile(added, hooks.ReplaceAll(text, nil), 0o600))
	require.NoError(t, os.WriteFile(states[0], shown, 0o600))

	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "pulumi"), fmt.Appendf(nil, `#!/bin/sh
case " $* " in
*" --preview-only "*) ;;
*" destroy "*) test -f %[1]s && mv %[1]s %[2]s ;;
esac
exec %[3]s "$@"
`, added, states[0], enginetest.EnginePath(t)), 0o700)) //nolint:gosec // a program
	_, stderr, code := s.With("PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")).
		Exit("--offline", "destroy", "--yes")
	require.NotZero(t, code)
	require.NoFileExists(t, added, "the state was exchanged: %s", stderr)
	require.Contains(t, stderr, "another run")
	var left []string
	for _, r := range harness.MadeIn(t, s.OfflineDir()) {
		left = append(left, fmt.Sprint(r))
	}
	require.Contains(t, strings.Join(left, "\n"), awstype.FlowLog)
}
