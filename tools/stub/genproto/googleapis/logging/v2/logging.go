// Package logging has the messages of Google Cloud Logging that the engine's source names.
package logging

// ListLogEntriesRequest asks for log entries.
type ListLogEntriesRequest struct {
	ResourceNames []string
	Filter        string
}

// LogEntry is empty.
type LogEntry struct{}

// LogEntry_TextPayload is an entry's text.
type LogEntry_TextPayload struct{ TextPayload string }

// LogEntry_JsonPayload is an entry's document.
type LogEntry_JsonPayload struct{ JsonPayload any }

// Timestamp is an entry's time.
type Timestamp struct{ Seconds int64 }

// GetPayload returns nothing.
func (*LogEntry) GetPayload() any { return nil }

// GetTimestamp returns 1970.
func (*LogEntry) GetTimestamp() *Timestamp { return &Timestamp{} }
