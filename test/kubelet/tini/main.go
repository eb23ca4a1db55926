// Command tini runs a program as the first process of a container: it passes signals on and collects the processes that
// others leave. It takes the place of the program of that name in the image of the Pulumi Kubernetes Operator, which is
// not built from Go.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
)

func main() {
	args := os.Args[1:]
	// the first one is its own, wherever it stands: it reads its options by getopt
	if at := slices.Index(args, "--"); at >= 0 {
		args = slices.Delete(args, at, at+1)
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "tini: no program")
		os.Exit(2)
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals)
	program := exec.Command(args[0], args[1:]...)
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := program.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "tini:", err)
		os.Exit(127)
	}
	go func() {
		for s := range signals {
			if s != syscall.SIGCHLD && s != syscall.SIGURG {
				_ = program.Process.Signal(s)
			}
		}
	}()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			os.Exit(1)
		case pid == program.Process.Pid && status.Signaled():
			os.Exit(128 + int(status.Signal()))
		case pid == program.Process.Pid && status.Exited():
			os.Exit(status.ExitStatus())
		}
	}
}
