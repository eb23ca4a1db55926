// Package cli is the command line of hypershift-aws: flags, prompts, output and exit codes around package automation.
// Data goes to stdout, everything else to stderr. The commands of the core are in packages by purpose: author writes a
// stack's file, operate previews and changes a stack, inspect shows it. They share package invocation, and package view
// for plans. The commands of features, and their flags of the core's commands, are in internal/features/NAME/cmd;
// package cmd/features lists them.
package cli

//go:generate go run ../../cmd/reference markdown ../../docs/commands
