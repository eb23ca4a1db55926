package lategc

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// present returns the settings that the process has.
func present() settings {
	s := settings{percent: debug.SetGCPercent(-1), limit: debug.SetMemoryLimit(-1)}
	debug.SetGCPercent(s.percent)
	return s
}

func TestTheFirstCollectionRestoresTheSettings(t *testing.T) {
	runtime.GC()
	for debug.SetMemoryLimit(-1) != begun.limit {
		runtime.Gosched() // cleanups run after a collection, in a goroutine of the runtime
	}
	require.Equal(t, begun, present())

	defer begun.restore()
	for _, s := range []settings{{percent: 100, limit: first}, {percent: -1, limit: 1 << 40}} {
		s.restore()
		require.Equal(t, s, putOff())
		require.Equal(t, s, present(), "a process that has little memory, or collects nothing")
	}
}
