package fleet_test

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/script"
)

// TestEngineSessions runs the sessions of fleets with the real engine.
func TestEngineSessions(t *testing.T) {
	t.Parallel()
	script.RunWithEngine(t, "testdata/engine")
}
