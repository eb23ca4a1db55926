package recovery

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
)

// TestAnOperationContinuesAfterItsOutputIsClosed closes the reader of stdout and stderr, as after `up | head -1` or
// when a terminal is closed.
func TestAnOperationContinuesAfterItsOutputIsClosed(t *testing.T) {
	t.Parallel()
	e := harness.NewStack(t)
	for _, operation := range []string{"up", "destroy"} {
		read, write, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, read.Close())
		command := exec.Command(harness.Executable(t), "--offline", operation, "--yes")
		command.Dir, command.Env, command.Stdout, command.Stderr = e.Dir, append(e.Environ(),
			harness.StateAfterEachStep), write, write
		require.NoError(t, command.Run(), operation)
		require.NoError(t, write.Close())
		e.RequireTrue()
		if operation == "up" {
			e.Run("--offline", "up", "--yes", "--expect-no-changes")
		}
	}
	require.Empty(t, e.State())
}
