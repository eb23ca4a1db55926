package documents

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/script"
)

// TestEngineSessions runs the sessions of the pages and of the scripts that they name with the real engine.
func TestEngineSessions(t *testing.T) {
	t.Parallel()
	script.RunWithEngine(t, "testdata/engine")
}
