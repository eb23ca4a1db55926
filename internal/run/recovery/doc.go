// Package recovery completes what a killed run left unfinished. It keeps a journal of the operations on resources and a
// backup of the state, and adds resources that AWS created in the meantime to the state. It deletes nothing.
package recovery
