package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

// jsonLines writes one JSON object a line. Each says by "type" what it is.
type jsonLines struct {
	mu  sync.Mutex
	out io.Writer
}

func (j *jsonLines) write(kind string, value any) {
	fields := encode(value)
	if fields == nil {
		kind, fields = "error", encode(map[string]string{"problem": "a " + kind + " cannot be written as JSON"})
	}
	separator := ","
	if string(fields) == "{}" {
		separator = ""
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(j.out, "{%q:%q%s%s\n", "type", kind, separator, fields[1:])
}

// encode writes an object without the escapes that JSON needs only in HTML; nil where it cannot.
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
func (j *jsonLines) Report(event report.Event) {
	switch e := event.(type) {
	case *report.ResourceEvent:
		j.write("resource", e)
	case *report.DiagnosticEvent:
		j.write("diagnostic", e)
	case *report.NoteEvent:
		j.write("note", e)
	case *report.InterruptEvent:
		j.write("interrupt", e)
	case *report.SummaryEvent:
		j.write("summary", e)
	}
}

// jsonFault is a fault.Fault with JSON's names.
type jsonFault struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Path    string `json:"path"`
	Value   any    `json:"value,omitempty"`
	Problem string `json:"problem"`
	Remedy  string `json:"remedy,omitempty"`
}

// reportError writes an error to the people and, with -o json, to the program that reads.
func (c *invocation) reportError(err error) {
	faults := fault.In(err)
	var guard *plan.GuardError
	var refusals []plan.Refusal
	if errors.As(err, &guard) {
		refusals = guard.Refusals
	}

	if faults != nil {
		for _, f := range faults {
			c.say("error: %s", f.Error())
		}
	} else {
		c.say("error: %s", err)
	}
	if c.json == nil {
		return
	}
	for _, f := range faults {
		c.json.write("fault", jsonFault{f.File, f.Line, f.Path, jsonValue(f.Value), f.Problem, f.Remedy})
	}
	for _, r := range refusals {
		c.json.write("refusal", r)
	}
	if faults == nil && refusals == nil {
		object := map[string]string{"reason": reasonName(exitCode(err)), "problem": err.Error()}
		var known *failure.Error
		if errors.As(err, &known) {
			object["problem"], object["remedy"] = known.Problem, known.Remedy
		}
		c.json.write("error", object)
	}
}

// jsonValue is a value of the input as JSON has it, or its text where JSON has no such thing.
func jsonValue(value any) any {
	if _, err := json.Marshal(value); err != nil {
		return fmt.Sprint(value)
	}
	return value
}
