package fleet

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// gigabyte is the assumed memory of a stack in progress: an engine and providers for AWS and Kubernetes.
const gigabyte = 1 << 30

// DefaultParallel returns how many stacks this machine can have in progress: one per processor, and one per gigabyte of memory that is
// available, at least one.
func DefaultParallel() int {
	n := runtime.GOMAXPROCS(0)
	if memory := availableMemory(); memory > 0 {
		n = min(n, int(memory/gigabyte))
	}
	return max(1, n)
}

// availableMemory returns the available memory in bytes, or 0 if the system does not report it (it is not Linux). It respects a container's
// limit.
func availableMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	available := memAvailable(text)
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(path); err == nil {
			if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
				available = min(available, limit)
			}
		}
	}
	return available
}

// memAvailable reads the line "MemAvailable: 123 kB" of /proc/meminfo.
func memAvailable(text []byte) int64 {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var kilobytes int64
		if _, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return 0
}
