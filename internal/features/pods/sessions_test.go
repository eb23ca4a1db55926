package pods_test

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/test/script"
)

// TestSessions runs the sessions of what pods need that need no engine.
func TestSessions(t *testing.T) {
	t.Parallel()
	script.Run(t, "testdata/script")
}
