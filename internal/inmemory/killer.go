package inmemory

import (
	"os"
	"syscall"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// killer kills the engine and this program, if a rehearsal requires it.
type killer struct{ interrupts *engine.Interrupts }

var _ offline.Killer = killer{}

// Kill implements offline.Killer.
func (k killer) Kill(process, signal string) {
	number := syscall.SIGKILL
	if signal == "TERM" {
		number = syscall.SIGTERM
	}
	if process != "cli" {
		k.interrupts.Signal(number)
	}
	if process != "engine" {
		_ = syscall.Kill(os.Getpid(), number)
	}
}
