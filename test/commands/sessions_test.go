package commands

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/script"
)

// TestEngineSessions runs the sessions about kinds and names of stacks, which many commands read, with the real engine.
func TestEngineSessions(t *testing.T) {
	t.Parallel()
	script.RunWithEngine(t, "testdata/engine")
}
