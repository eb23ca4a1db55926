// Package project reads a project's folder: its stacks and their files, its backends, and the workspaces in which the
// engine runs. It is for package operation and the CLI.
package project
