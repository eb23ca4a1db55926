package test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnOperationContinuesAfterItsOutputIsClosed closes the reader of stdout and stderr, as after `up | head -1` or
// when a terminal is closed.
func TestAnOperationContinuesAfterItsOutputIsClosed(t *testing.T) {
	t.Parallel()
	e := newCLIStack(t)
	for _, operation := range []string{"up", "destroy"} {
		read, write, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, read.Close())
		command := exec.Command(executable(t), "--offline", operation, "--yes")
		command.Dir, command.Env, command.Stdout, command.Stderr = e.dir, append(e.environ(), stateAfterEachStep), write, write
		require.NoError(t, command.Run(), operation)
		require.NoError(t, write.Close())
		e.requireTrue()
		if operation == "up" {
			e.run("--offline", "up", "--yes", "--expect-no-changes")
		}
	}
	require.Empty(t, e.state())
}
