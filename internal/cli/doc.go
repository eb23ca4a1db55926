// Package cli is the command line of hypershift-aws: flags, questions, output and exit codes around
// package automation. Data goes to stdout, everything else to stderr.
package cli
