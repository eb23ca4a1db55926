package proc

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// stillActive is the exit code of a process that runs. Source: Windows' documentation of GetExitCodeProcess.
const stillActive = 259

func exists(id int) bool {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(id))
	if err != nil {
		return err == windows.ERROR_ACCESS_DENIED
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	var code uint32
	return windows.GetExitCodeProcess(handle, &code) == nil && code == stillActive
}

// NewSession has a command start in a process group of its own: Windows has no sessions of processes.
func NewSession(cmd *exec.Cmd) { NewGroup(cmd) }

// NewGroup has a command start in a process group of its own, which Interrupt needs.
func NewGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// Inherit does nothing: a process on Windows inherits no files.
func Inherit(*exec.Cmd, *os.File) {}

// Interrupt signals the process of a command, and its group, as Ctrl-Break does, which programs in Go take for Ctrl-C.
func Interrupt(cmd *exec.Cmd) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(cmd.Process.Pid))
}

// Signal ends a process: Windows has no other signals.
func Signal(id int, _ syscall.Signal) error {
	process, err := os.FindProcess(id)
	if err != nil {
		return err
	}
	return process.Kill()
}

// SignalGroup ends a process. Those that it has started go on.
func SignalGroup(id int, number syscall.Signal) error { return Signal(id, number) }
