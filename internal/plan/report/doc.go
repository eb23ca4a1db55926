// Package report defines the events of an operation and formats them for users: progress, diagnostics, summaries and
// the names of resource types. The CLI writes the same events as JSON.
package report
