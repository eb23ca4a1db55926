package state

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// thisSystem returns the ID of the kernel's start. There are no namespaces of process IDs.
func thisSystem() (boot, namespace string, err error) {
	boot, err = unix.Sysctl("kern.bootsessionuuid")
	return boot, "", err
}

// startTime returns when a process started.
func startTime(pid int) (string, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec), nil
}
