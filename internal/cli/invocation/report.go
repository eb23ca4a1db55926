package invocation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

// JSONLines writes one JSON object per line. The key "type" is its kind, and the key "time" of an event the time of its report.
type JSONLines struct {
	mu  sync.Mutex
	out io.Writer
	// flags adds the caller's flags to the commands in a line, nil for none.
	flags func(line string) string
	// now is the clock, nil for the system's.
	now func() time.Time
}

// Event writes an event: its last field is the time, in RFC 3339 and UTC.
func (j *JSONLines) Event(kind string, value any) {
	now := time.Now
	if j.now != nil {
		now = j.now
	}
	j.writeAt(kind, value, now())
}

// Write writes an object that is not an event and has no time.
func (j *JSONLines) Write(kind string, value any) { j.writeAt(kind, value, time.Time{}) }

// writeAt writes an object, with a time unless that is zero.
func (j *JSONLines) writeAt(kind string, value any, at time.Time) {
	fields := encode(value)
	if fields == nil {
		kind, fields = "error", encode(map[string]string{"problem": "a " + kind + " cannot be written as JSON"})
	}
	line := fmt.Sprintf("{%q:%q", "type", kind)
	if inner := bytes.TrimSuffix(fields[1:], []byte("}")); len(inner) > 0 {
		line += "," + string(inner)
	}
	if !at.IsZero() {
		line += fmt.Sprintf(",%q:%q", "time", at.UTC().Format(time.RFC3339Nano))
	}
	line += "}"
	if j.flags != nil {
		line = j.flags(line)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintln(j.out, line)
}

// Raw writes a line that is already an object.
func (j *JSONLines) Raw(line []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintln(j.out, string(line))
}

// encode marshals an object without HTML escapes; nil if it cannot be marshalled.
func encode(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil
	}
	return bytes.TrimSpace(text.Bytes())
}

// Report writes an event.
func (j *JSONLines) Report(event report.Event) {
	switch e := event.(type) {
	case *report.ResourceEvent:
		j.Event("resource", e)
	case *report.DiagnosticEvent:
		j.Event("diagnostic", e)
	case *report.NoteEvent:
		j.Event("note", e)
	case *report.InterruptEvent:
		j.Event("interrupt", e)
	case *report.SummaryEvent:
		j.Event("summary", e)
	}
}

// jsonFault is a fault.Fault with JSON's names.
type jsonFault struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path"`
	Value   any    `json:"value,omitempty"`
	Problem string `json:"problem"`
	Remedy  string `json:"remedy,omitempty"`
}

// reportError reports an error to users and, with -o json, to programs.
func (c *Invocation) reportError(err error) {
	faults := fault.In(err)
	var guard *plan.GuardError
	var refusals []plan.Refusal
	if errors.As(err, &guard) {
		refusals = guard.Refusals
	}

	if faults != nil {
		for _, f := range faults {
			c.Say("error: %s", f.Error())
		}
	} else {
		c.Say("error: %s", err)
	}
	if c.JSON == nil {
		return
	}
	for _, f := range faults {
		c.JSON.Event("fault", jsonFault{f.File, f.Line, f.Column, f.Path, jsonValue(f.Value), f.Problem, f.Remedy})
	}
	for _, r := range refusals {
		c.JSON.Event("refusal", r)
	}
	if faults == nil && refusals == nil {
		object := map[string]string{"reason": reasonName(exitCode(err)), "problem": err.Error()}
		var known *failure.Error
		if errors.As(err, &known) {
			object["problem"], object["remedy"] = known.Problem, known.Remedy
			if known.Code != "" {
				object["code"] = string(known.Code)
			}
		}
		c.JSON.Event("error", object)
	}
}

// jsonValue returns a value of the input for JSON, or its text if JSON cannot represent it.
func jsonValue(value any) any {
	if _, err := json.Marshal(value); err != nil {
		return fmt.Sprint(value)
	}
	return value
}
