// Package proc starts, signals and looks at processes of this machine, as its system does, and names the environment
// variables that change what those of the engine do.
package proc

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// Stat returns the fields of a file /proc/ID/stat after the process's name: its state, parent, group and session. The
// format is "4242 (name) S …". A name may contain parentheses, so the last one ends it.
func Stat(path string) []string {
	stat, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
}

// Runs reports whether a process with the ID exists. A process that has ended without being waited for does not run.
func Runs(id int) bool {
	if fields := Stat(fmt.Sprintf("/proc/%d/stat", id)); len(fields) > 0 {
		return fields[0] != "Z"
	}
	return exists(id)
}
