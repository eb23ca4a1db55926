// Package preflight checks, before anything is created, whether AWS and the management cluster will accept what a
// stack's plan creates: credentials, permissions, quotas, zones, names, networks and DNS. It only reads. It is for the
// command of that name, and for commands that are about to create something.
package preflight
