//go:build race

package race

// Enabled reports whether the race detector watches the tests.
const Enabled = true
