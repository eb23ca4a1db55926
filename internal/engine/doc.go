// Package engine finds the pulumi executable and runs it: versions, environment, storage of states, output, signals and
// process groups. It is for package operation, which decides what to run.
package engine
