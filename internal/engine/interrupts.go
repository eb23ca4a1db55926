package engine

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
)

// killGrace is how long the engine may take to end after the second signal, and endGrace how long this program may then
// take: whatever it waits for, a plugin that gets credentials or the reader of a pipe, the signal then ends it.
const (
	killGrace = 15 * time.Second
	endGrace  = 4 * time.Second
)

// Interrupts forwards the signals that this program receives to the engine, which stops in two steps: the first signal
// lets the operations in progress finish, the second abandons them. After the first, no further engine is started.
type Interrupts struct {
	mu      sync.Mutex
	count   int
	running map[*exec.Cmd]bool
	tell    func(count int)
	// received is how many signals this program has received.
	received int
	// held is how many operations run that wait for other processes after the second signal, and end with the third one.
	held    int
	first   chan struct{}
	signals chan os.Signal
	// unheard receives SIGPIPE, so that this program does not end when the reader of its output does.
	unheard chan os.Signal
	// closed is closed by Close.
	closed chan struct{}
}

// NewInterrupts returns Interrupts that listen to no signals.
func NewInterrupts() *Interrupts {
	return &Interrupts{running: map[*exec.Cmd]bool{}, first: make(chan struct{})}
}

// WatchInterrupts begins to catch SIGINT, SIGTERM and SIGHUP, and lets an operation continue when its output is closed.
// Close ends it.
func WatchInterrupts() *Interrupts {
	i := NewInterrupts()
	i.signals, i.unheard, i.closed = make(chan os.Signal, 4), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(i.unheard, syscall.SIGPIPE)
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for received := range i.signals {
			i.endBy(received)
			go i.Interrupt() // it may wait for the reader of the output
		}
	}()
	return i
}

// endBy ends this program by a signal that is not the first one, if it does not end by itself. A command that takes no
// notice of signals, because another process in the terminal does, is not ended.
func (i *Interrupts) endBy(received os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.received++
	if i.received < 2 || i.tell == nil || i.held > 0 && i.received == 2 {
		return
	}
	after := endGrace
	if len(i.running) > 0 || i.held > 0 {
		after += killGrace
	}
	time.AfterFunc(after, func() {
		select {
		case <-i.closed:
			return
		default:
		}
		number, is := received.(syscall.Signal)
		if !is {
			number = syscall.SIGKILL
		}
		signal.Stop(i.signals)
		_ = proc.Signal(os.Getpid(), number) // its default effect
	})
}

// Hold has the second signal not end this program until release is called: it waits for the operations of other
// processes.
func (i *Interrupts) Hold() (release func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.held++
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.held--
	}
}

// Close restores the default effect of signals.
func (i *Interrupts) Close() {
	signal.Stop(i.signals)
	signal.Stop(i.unheard)
	close(i.signals)
	close(i.closed)
}

// OnInterrupt calls a function with 1 for the first signal, 2 for the second and so on.
func (i *Interrupts) OnInterrupt(tell func(count int)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tell = tell
}

// First returns a channel that is closed when the first signal arrives.
func (i *Interrupts) First() <-chan struct{} { return i.first }

// Context returns a context that also ends when the first signal arrives.
func (i *Interrupts) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-i.first:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// Count returns the number of signals that have arrived.
func (i *Interrupts) Count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.count
}

// Interrupt has the effect of a signal.
func (i *Interrupts) Interrupt() {
	i.mu.Lock()
	i.count++
	count, tell := i.count, i.tell
	if count == 1 {
		close(i.first)
	}
	for cmd := range i.running {
		i.stop(cmd, count)
	}
	i.mu.Unlock()
	if tell != nil {
		tell(count)
	}
}

// stop signals the engine. It is called with mu locked. An engine that has ended cannot be signalled; that error is
// ignored.
func (i *Interrupts) stop(cmd *exec.Cmd, count int) {
	switch count {
	case 1:
		_ = interruptProcess(cmd)
	case 2:
		_ = interruptProcess(cmd)
		time.AfterFunc(killGrace, func() { i.kill(cmd) })
	default:
		_ = killProcess(cmd)
	}
}

// abandonAfter is how long after the first signal an engine gets the second one that abandons its operations.
const abandonAfter = 500 * time.Millisecond

// Abandon stops a running engine as two signals do: it abandons the operations in progress. This program goes on.
func (i *Interrupts) Abandon(pid int) {
	for step, after := range []time.Duration{0, abandonAfter} {
		time.AfterFunc(after, func() {
			i.mu.Lock()
			defer i.mu.Unlock()
			for cmd := range i.running {
				if cmd.Process.Pid == pid {
					i.stop(cmd, step+1)
				}
			}
		})
	}
}

// Signal sends a signal to every running engine and its process group.
func (i *Interrupts) Signal(number syscall.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for cmd := range i.running {
		_ = proc.SignalGroup(cmd.Process.Pid, number)
	}
}

func (i *Interrupts) kill(cmd *exec.Cmd) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running[cmd] {
		_ = killProcess(cmd)
	}
}

// start starts cmd, unless a signal has arrived and always is false, and forwards later signals to it.
func (i *Interrupts) start(cmd *exec.Cmd, always bool) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.count > 0 && !always {
		return ErrInterrupted
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	i.running[cmd] = true
	return nil
}

// Run runs an engine with the input and output of its command to its end, and kills it when this program is killed.
// started is called once it runs.
func (i *Interrupts) Run(cmd *exec.Cmd, started func(pid int)) error {
	runtime.LockOSThread() // the system kills the engine when the thread ends that has started it
	defer runtime.UnlockOSThread()
	detach(cmd)
	endWithParent(cmd.SysProcAttr)
	if err := i.start(cmd, false); err != nil {
		return err
	}
	started(cmd.Process.Pid)
	err := cmd.Wait()
	i.ended(cmd)
	endSession(cmd)
	return err
}

// ended removes cmd after it has been waited for.
func (i *Interrupts) ended(cmd *exec.Cmd) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.running, cmd)
}
