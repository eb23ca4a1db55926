// Package recovery settles what a killed run left open: it keeps a journal of the operations on resources and a backup of the
// state, and takes resources that AWS created meanwhile into the state.
package recovery
