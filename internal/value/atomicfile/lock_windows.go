package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// noFollow is nothing: Windows creates links for administrators alone.
const noFollow = 0

// locked returns the range that is locked: one byte far behind the end, because Windows lets no other process read what
// is locked.
func locked() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// lock locks an open file. If another process has it locked, it waits, or returns ErrLocked.
func lock(f *os.File, wait bool) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, locked())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// release releases the lock of an open file.
func release(f *os.File) { _ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, locked()) }
