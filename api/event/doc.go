// Package event defines what operations report while they run: resources that are created, changed or deleted,
// messages, and the end of each run of the engine. Package automation sends them to ProjectOptions.Events, and the
// command prints them as JSON lines. Times are in seconds. The operation on a resource is an OpType of Pulumi's own
// package apitype.
package event
