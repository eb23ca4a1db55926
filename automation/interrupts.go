package automation

import "github.com/hypershift-aws/hypershift-aws/internal/engine"

// Interrupts stop operations of several stacks or projects in two stages: see Stack.Interrupt. NewInterrupts and WatchInterrupts make one.
type Interrupts struct{ engine *engine.Interrupts }

// NewInterrupts returns Interrupts that only calls of Interrupt stop.
func NewInterrupts() *Interrupts { return &Interrupts{engine.NewInterrupts()} }

// WatchInterrupts returns Interrupts that SIGINT, SIGTERM and SIGHUP stop too, instead of ending this process. Close ends that.
func WatchInterrupts() *Interrupts { return &Interrupts{engine.WatchInterrupts()} }

// Close gives the signals that WatchInterrupts caught their default effect again.
func (i *Interrupts) Close() { i.engine.Close() }

// Interrupt has the effect of a signal: the first lets the operations in progress on resources finish, the second abandons them.
func (i *Interrupts) Interrupt() { i.engine.Interrupt() }

// OnInterrupt calls a function with 1 for the first interrupt, 2 for the second and so on; nil calls none.
func (i *Interrupts) OnInterrupt(tell func(count int)) { i.engine.OnInterrupt(tell) }

// First returns a channel that is closed at the first interrupt.
func (i *Interrupts) First() <-chan struct{} { return i.engine.First() }

// interrupts returns the project's interrupts, nil if each stack has its own.
func (o ProjectOptions) interrupts() *engine.Interrupts {
	if front, ok := o.Front.(interface{ Signals() *engine.Interrupts }); ok && front.Signals() != nil {
		return front.Signals()
	}
	if o.Interrupts == nil {
		return nil
	}
	return o.Interrupts.engine
}
