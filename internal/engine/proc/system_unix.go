//go:build !windows

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

func exists(id int) bool {
	err := syscall.Kill(id, 0)
	return err == nil || err == syscall.EPERM
}

// NewSession has a command start in a session of its own, and so in a process group of its own.
func NewSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// NewGroup has a command start in a process group of its own.
func NewGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Inherit has a command keep a file open to its end.
func Inherit(cmd *exec.Cmd, file *os.File) { cmd.ExtraFiles = append(cmd.ExtraFiles, file) }

// Interrupt signals the process of a command as Ctrl-C does. It fails for a process that has ended.
func Interrupt(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGINT) }

// Signal sends a signal to a process.
func Signal(id int, number syscall.Signal) error { return syscall.Kill(id, number) }

// SignalGroup sends a signal to a process and its group.
func SignalGroup(id int, number syscall.Signal) error { return syscall.Kill(-id, number) }
