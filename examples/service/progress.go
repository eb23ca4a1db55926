package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

// stream runs an operation, and sends what happens as events; the last one is "done" or "failed".
func stream(w http.ResponseWriter, stack *automation.Stack, run func(*automation.Stack) error) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind, text string) {
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, strings.ReplaceAll(text, "\n", "\ndata: "))
		_ = http.NewResponseController(w).Flush()
	}
	last := "done"
	for event, err := range stack.Watch(run) {
		if err != nil {
			last = "failed"
			send("error", err.Error())
		} else if text, readable := event.(fmt.Stringer); readable {
			send("progress", text.String())
		}
	}
	send(last, stack.Name)
}
