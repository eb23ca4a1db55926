package forecast_test

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/script"
)

// TestSessions runs the sessions of estimates and prices that need no engine.
func TestSessions(t *testing.T) {
	t.Parallel()
	script.Run(t, "testdata/script")
}

// TestEngineSessions runs the sessions of estimates and prices with the real engine.
func TestEngineSessions(t *testing.T) {
	t.Parallel()
	script.RunWithEngine(t, "testdata/engine")
}
