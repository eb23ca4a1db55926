//go:build !unix

package automation

import (
	"os"
	"os/exec"
)

func detach(*exec.Cmd) {}

func interruptProcess(cmd *exec.Cmd) error { return cmd.Process.Signal(os.Interrupt) }

func killProcess(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// processRuns cannot tell; it takes the process for dead, as the user says.
func processRuns(int) bool { return false }
