//go:build !windows

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// noFollow refuses a path that is a link.
const noFollow = syscall.O_NOFOLLOW

// lock locks an open file. If another process has it locked, it waits, or returns ErrLocked.
func lock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}

// release releases the lock of an open file.
func release(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
