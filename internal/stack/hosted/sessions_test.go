package hosted_test

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/script"
)

// TestEngineSessions runs the sessions of a hosted cluster's life and status with the real engine.
func TestEngineSessions(t *testing.T) {
	t.Parallel()
	script.RunWithEngine(t, "testdata/engine")
}
