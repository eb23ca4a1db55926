package lives

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/script"
)

// TestEngineSessions runs the sessions about the networks, accounts and parts of stacks with the real engine.
func TestEngineSessions(t *testing.T) {
	t.Parallel()
	script.RunWithEngine(t, "testdata/engine")
}
