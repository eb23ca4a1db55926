// Package cli is the command line of hypershift-aws: flags, questions, output and exit codes around package automation. Data goes
// to stdout, everything else to stderr. The commands are in packages by what they do: author writes files, operate changes a
// stack or what is in AWS, inspect shows it. They share package invocation, and package view for what is said of a plan or a stack.
package cli
