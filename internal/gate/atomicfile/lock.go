package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked is the error for a lock of another process.
var ErrLocked = errors.New("locked by another process")

// Lock locks a file, which it creates if needed, until the returned file is closed by this process and by each process that inherits it, or until Unlock. The
// system closes it when they end, even if they are killed. The error is ErrLocked if the file is locked already.
func Lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
}

// Unlock releases the lock of a file and closes it. A process that was started a moment ago may still have the file open, which close alone would
// wait for.
func Unlock(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	_ = f.Close()
}
