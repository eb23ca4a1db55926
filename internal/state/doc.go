// Package state reads and writes what the engine keeps of a stack: the deployment, its file in a folder backend, and locks. It
// calls no engine.
package state
