// Package cli is the command line of hypershift-aws: flags, prompts, output and exit codes around package automation. Data goes to stdout,
// everything else to stderr. The commands are in packages by purpose: author writes files, operate changes a stack or AWS resources,
// inspect shows them. They share package invocation, and package view for output about a plan or a stack.
package cli

//go:generate go run ./reference markdown ../../docs/commands
