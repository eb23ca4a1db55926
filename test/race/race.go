// Package race tells whether the race detector watches the tests.
package race

import "testing"

// SkipEngine skips a test that starts the engine: the detector sees nothing of other processes, and makes the test's
// own slow.
func SkipEngine(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("the race detector does not see the engine's processes")
	}
}
