package engine

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// detach starts the engine in a separate process group, so that a terminal's Ctrl-C reaches it only
// through Interrupts.
//
// It does not use Pdeathsig, by which the kernel would signal the engine when this program ends: the kernel does so for
// each thread that ends, and a second SIGINT makes the engine abandon operations in progress. Without it, the engine
// detects the end of the program, finishes and writes its state.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptProcess signals the engine to stop: the first time after the operations in progress, the second time
// immediately.
func interruptProcess(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGINT) }

// killProcess kills the engine and its process group.
func killProcess(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// ProcessRuns reports whether a process with the ID exists. A process that has ended without being waited for does not run.
func ProcessRuns(id int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id)); err == nil {
		// The format is "4242 (name) Z …". A name may contain parentheses, so the last one ends it.
		_, after, _ := strings.Cut(string(stat[max(0, bytes.LastIndexByte(stat, ')')):]), ") ")
		return !strings.HasPrefix(after, "Z")
	}
	err := syscall.Kill(id, 0)
	return err == nil || err == syscall.EPERM
}
