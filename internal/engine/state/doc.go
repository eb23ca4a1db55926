// Package state reads and writes the engine's data of a stack: the deployment, its file in a folder backend, and locks.
// It does not run the engine.
package state
