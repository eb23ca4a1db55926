package faults

// Process is a process that a fault kills.
type Process string

// The processes.
const (
	Engine Process = "engine"
	CLI    Process = "cli"
	Both   Process = "both"
)

// Moment is when a fault kills a process: before or after the call takes effect.
type Moment string

// The moments.
const (
	Before Moment = "before"
	After  Moment = "after"
)

// Signal is the signal that a fault sends.
type Signal string

// The signals.
const (
	SignalKill Signal = "KILL"
	SignalTerm Signal = "TERM"
)

// Killer ends processes during a rehearsal. It is called while a call is in progress.
type Killer func(process Process, signal Signal)
