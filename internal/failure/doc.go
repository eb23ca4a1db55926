// Package failure has the error type of all commands: what went wrong, what to do next, and the
// reason, which decides the exit code. All packages of the CLI use it.
package failure
