package engine

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
)

// detach starts the engine in a separate session, and so in a process group of its own: a terminal's Ctrl-C reaches it
// only through Interrupts, and endSession finds its providers, each of which the engine starts in another group.
//
// It does not use Pdeathsig, by which the kernel would signal the engine when this program ends: the kernel does so for
// each thread that ends, and a second SIGINT makes the engine abandon operations in progress. Without it, the engine
// detects the end of the program, finishes and writes its state. Interrupts.Run, which shares its output with the
// engine, uses it on a thread that does not end before the engine.
func detach(cmd *exec.Cmd) { proc.NewSession(cmd) }

// interruptProcess signals the engine to stop: the first time after the operations in progress, the second time
// immediately.
func interruptProcess(cmd *exec.Cmd) error { return proc.Interrupt(cmd) }

// killProcess kills the engine and its process group.
func killProcess(cmd *exec.Cmd) error { return proc.SignalGroup(cmd.Process.Pid, syscall.SIGKILL) }

// endSession kills what an engine that was killed left running: its providers would work on for minutes, while a
// following run finds what they create. It does nothing where there is no /proc.
func endSession(cmd *exec.Cmd) {
	if cmd.ProcessState == nil {
		return
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		return // an engine that ends by itself ends its providers
	}
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return
	}
	for _, path := range processes {
		fields := proc.Stat(path)
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && len(fields) > 3 && fields[3] == strconv.Itoa(cmd.Process.Pid) {
			_ = proc.Signal(id, syscall.SIGKILL) // it fails for a process that has ended
		}
	}
}
