package automation

import "golang.org/x/sys/unix"

// fullDiskRoom is how long a file may still get, in bytes: less than any state.
const fullDiskRoom = 1024

// fillDisk has the process's files grow no more: a write fails as it does on a full disk.
func fillDisk(process int) {
	limit := unix.Rlimit{Cur: fullDiskRoom, Max: fullDiskRoom}
	_ = unix.Prlimit(process, unix.RLIMIT_FSIZE, &limit, nil) // it is gone already
}
