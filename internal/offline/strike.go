package offline

// Victims is what a rehearsal can end or starve. Its methods are called while a call is under way.
type Victims interface {
	// Strike sends a signal, "KILL" or "TERM", to "engine", "cli" or "both".
	Strike(whom, signal string)
	// FillDisk leaves the engine no room for its state.
	FillDisk()
}
