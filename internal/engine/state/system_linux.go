package state

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
)

// thisSystem returns the ID of the kernel's start, and the namespace of this program's process IDs.
func thisSystem() (boot, namespace string, err error) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", "", err
	}
	namespace, err = os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(text)), namespace, err
}

// startTime returns when a process started, in clock ticks since the kernel's start.
func startTime(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// The format is "4242 (name) S 1 …", and the start is field 22. A name may contain spaces and parentheses, so the last
	// one ends it.
	fields := bytes.Fields(stat[max(0, bytes.LastIndexByte(stat, ')')):])
	if len(fields) < 21 {
		return "", errors.New("unknown format of /proc/PID/stat")
	}
	return string(fields[20]), nil
}
