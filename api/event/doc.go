// Package event defines what operations report while they run: resources that are created, changed or deleted, messages, and the end of each run of
// the engine. Package automation sends them to ProjectOptions.Events, and the command prints them as JSON lines. Times are in seconds.
package event
