// Package lategc puts off garbage collections until the process has 32 MB. The packages that the CLI links
// allocate 15 MB before main and keep nearly all of it, so that the three collections of a short command, such as
// --help, were a fourth of its processor time and freed next to nothing. After the next collection, the process has
// the settings that it was started with, so that a large stack needs no more memory than before.
package lategc

import (
	"runtime"
	"runtime/debug"
)

// first is the memory of the process, in bytes, at which it collects first after this package is initialized.
const first = 32 << 20

// settings are what the process was started with: GOGC and GOMEMLIMIT.
type settings struct {
	percent int
	limit   int64
}

// begun is set before main. A package's path and imports decide how early: a third of what packages allocate may come
// first, and with it one collection.
var begun = putOff()

// putOff puts off the collection, and returns the settings that the collection restores. It changes nothing for a
// process that has less memory than that, or that collects nothing.
func putOff() settings {
	given := settings{percent: debug.SetGCPercent(-1), limit: debug.SetMemoryLimit(-1)}
	if given.percent < 0 || given.limit <= first {
		given.restore()
		return given
	}
	debug.SetMemoryLimit(first)
	runtime.AddCleanup(new([64]byte), settings.restore, given) // the next collection frees it
	return given
}

func (s settings) restore() {
	debug.SetGCPercent(s.percent)
	debug.SetMemoryLimit(s.limit)
}
