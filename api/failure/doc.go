// Package failure defines the error type of all commands: the problem, the remedy, and the reason, which determines the
// exit code. Find it in an error by errors.As, or ask ReasonOf.
package failure
