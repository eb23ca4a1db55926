package inmemory

import (
	"os"
	"syscall"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
)

// killer returns what kills the engine and this program, if a rehearsal requires it.
func killer(interrupts *engine.Interrupts) faults.Killer {
	return func(process faults.Process, signal faults.Signal) {
		number := syscall.SIGKILL
		if signal == faults.SignalTerm {
			number = syscall.SIGTERM
		}
		if process != faults.CLI {
			interrupts.Signal(number)
		}
		if process != faults.Engine {
			_ = syscall.Kill(os.Getpid(), number)
		}
	}
}
