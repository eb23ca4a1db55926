// Package automation runs a stack with the real Pulumi engine: it finds the engine, gives each stack a
// workspace of its own, runs preview, up, refresh and destroy in it, reports what happens resource by
// resource, refuses plans that would pull the ground from under a running cluster, and says in a
// sentence what went wrong and what to do. It is for the command line, which adds flags and exit codes.
package automation
