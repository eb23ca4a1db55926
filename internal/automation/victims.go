package automation

import (
	"os"
	"syscall"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// victims are what a rehearsal can end or starve: the engine and this program.
type victims struct{ interrupts *Interrupts }

var _ offline.Victims = victims{}

// Strike implements offline.Victims.
func (v victims) Strike(whom, signal string) {
	number := syscall.SIGKILL
	if signal == "TERM" {
		number = syscall.SIGTERM
	}
	if whom != "cli" {
		v.interrupts.strike(number)
	}
	if whom != "engine" {
		_ = syscall.Kill(os.Getpid(), number)
	}
}

// FillDisk implements offline.Victims.
func (v victims) FillDisk() {
	v.interrupts.mu.Lock()
	defer v.interrupts.mu.Unlock()
	for cmd := range v.interrupts.running {
		fillDisk(cmd.Process.Pid)
	}
}
