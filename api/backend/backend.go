// Package backend describes the stacks in a state backend: which exist, and who holds a stack's lock. Project.List of
// package automation returns the stacks.
package backend

import (
	"fmt"
	"time"
)

// Stack is a stack that has a file, a state or both.
type Stack struct {
	// Name is the stack's name, as -s takes it.
	Name string `json:"name"`
	// HasFile is true if the project has its Pulumi.<stack>.yaml.
	HasFile bool `json:"hasFile"`
	// HasState is true if the backend has its state.
	HasState bool `json:"hasState"`
	// Resources is the number of resources in the state, including the engine's own.
	Resources int `json:"resources"`
	// Managed is the number of those that plans and updates count, -1 if the backend does not tell them apart.
	Managed int `json:"managed"`
	// Updated is when the state last changed; zero if it never did.
	Updated time.Time `json:"updated,omitzero"`
	// Busy is true if an update is in progress and the backend reports it.
	Busy bool `json:"busy"`
	// Incomplete is true if an update was interrupted: operations that it began are open, or the stack has resources and
	// no outputs. Only a backend in a folder shows it.
	Incomplete bool `json:"incomplete,omitempty"`
	// Kind and Region are the values in the stack's file, "" if it has faults or is missing.
	Kind   string `json:"kind"`
	Region string `json:"region"`
	// Offline is true for a stack in memory.
	Offline bool `json:"offline"`
	// Fault is the first fault of the file or, if the file has none, of the state; "" if both are correct.
	Fault string `json:"fault,omitempty"`
}

// Lock is the lock of an update that is in progress or was interrupted.
type Lock struct {
	// Holder is "user@host".
	Holder string
	// Host is the holder's host.
	Host string
	// Process is the holder's process ID on its host.
	Process int
	// Since is when the lock was taken.
	Since time.Time
	// Alive is true if a process with that ID runs on a machine of this name.
	Alive bool
	// Dead is true if the process has certainly ended. If that cannot be decided, neither Alive nor Dead is true.
	Dead bool
	// Recorded is true if the lock was taken by an engine that was started for the stack.
	Recorded bool
}

// String returns the owner of the lock and its time.
func (l Lock) String() string {
	return fmt.Sprintf("%s, process %d, since %s", l.Holder, l.Process, l.Since.Format(time.RFC3339))
}
