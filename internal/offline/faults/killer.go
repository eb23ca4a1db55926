package faults

// Killer ends processes during a rehearsal. It is called while a call is in progress.
type Killer interface {
	// Kill sends a signal, "KILL" or "TERM", to "engine", "cli" or "both".
	Kill(process, signal string)
}
