package cli

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/script"
)

// TestSessions runs the sessions of the core's commands that need no engine.
func TestSessions(t *testing.T) {
	t.Parallel()
	script.Run(t, "testdata/script")
}

// TestEngineSessions runs the sessions of the core's commands that drive the real engine.
func TestEngineSessions(t *testing.T) {
	t.Parallel()
	script.RunWithEngine(t, "testdata/engine")
}
