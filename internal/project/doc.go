// Package project is the project's folder: its stacks and their files, its backends, and the workspaces that the engine runs
// in. It is for package automation and the CLI.
package project
