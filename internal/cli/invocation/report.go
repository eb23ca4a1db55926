package invocation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// JSONLines writes one JSON object per line. The key "type" is its kind, and the key "time" of an event the time of its
// report. A nil one writes nothing.
type JSONLines struct {
	mu  sync.Mutex
	out io.Writer
	// flags adds the caller's flags to the commands in a line, nil for none.
	flags func(line string) string
	// now is the clock, nil for the system's.
	now func() time.Time
	// held, guarded by mu as out is, is a line of an operation's summary until a next operation begins or the command
	// ends, so that the last line is the result.
	held string
	// document is true if stdout is one document of another form.
	document bool
}

// Document announces that the command writes documents to stdout, whose lines a terminal's width does not break. With
// -o json it is one, after which no line follows if it succeeds.
func (c *Invocation) Document() {
	c.document = true
	if c.JSON != nil {
		c.JSON.document = true
	}
}

// WriteDocument writes a value alone to stdout, as JSON or as YAML.
func (c *Invocation) WriteDocument(value any) error {
	c.Document()
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("writing outputs: %w", err)
	}
	out := c.Streams.Out
	if c.JSON != nil {
		out = c.JSON.out
	}
	_, err = fmt.Fprintln(out, string(text))
	return err
}

// end writes the last line of a command that succeeded.
func (j *JSONLines) end(command string, stack string, offline bool) {
	if j.document {
		return
	}
	if !j.holds() {
		j.Event("summary", &event.Summary{Operation: command, Stack: stack, Result: "succeeded", Offline: offline})
	}
	j.release()
}

// holds reports whether a summary is held.
func (j *JSONLines) holds() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.held != ""
}

// release writes the summary that is held.
func (j *JSONLines) release() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.hold("")
}

// judge changes the result of the summary that is held, if the operation succeeded and the command fails for what it
// found. Other failures come after the operation, such as that of a wait, and leave its result.
func (j *JSONLines) judge(code int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	result := map[int]string{
		failure.ChangesFound.ExitCode(): event.ResultChanged, exitRefusedPlan: event.ResultRefused,
	}[code]
	if result != "" {
		j.held = strings.Replace(j.held, `"result":"succeeded"`, fmt.Sprintf(`"result":%q`, result), 1)
	}
}

// hold writes the summary that is held, and holds another one, "" for none. The caller has locked mu.
func (j *JSONLines) hold(line string) {
	if j.held != "" {
		fmt.Fprintln(j.out, j.held)
	}
	j.held = line
}

// Event writes an event: its last field is the time, in RFC 3339 and UTC.
func (j *JSONLines) Event(kind string, value any) { j.write(kind, value, true) }

// Write writes an object that is not an event and has no time.
func (j *JSONLines) Write(kind string, value any) { j.write(kind, value, false) }

func (j *JSONLines) write(kind string, value any, isEvent bool) {
	if j == nil {
		return
	}
	fields := encode(value)
	if fields == nil {
		kind, fields = "error", encode(map[string]string{"problem": "a " + kind + " cannot be written as JSON"})
	}
	line := fmt.Sprintf("{%q:%q", "type", kind)
	if inner := bytes.TrimSuffix(fields[1:], []byte("}")); len(inner) > 0 {
		line += "," + string(inner)
	}
	if isEvent {
		now := time.Now
		if j.now != nil {
			now = j.now
		}
		line += fmt.Sprintf(",%q:%q", "time", now().UTC().Format(time.RFC3339Nano))
	}
	line += "}"
	if j.flags != nil {
		line = j.flags(line)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if kind == "summary" {
		j.hold(line)
		return
	}
	fmt.Fprintln(j.out, line)
}

// Raw writes a line that is already an object.
func (j *JSONLines) Raw(line []byte) {
	if j == nil {
		return
	}
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

// Report writes an event. A summary is written when the next operation begins, or last.
func (j *JSONLines) Report(reported report.Event) {
	if e, ok := reported.(*event.Resource); ok && e.Status != event.StatusPlanned && j != nil {
		j.release()
	}
	j.Event(reported.Kind(), reported)
}

// reportError reports an error to users and, with -o json, to programs.
func (c *Invocation) reportError(err error) {
	var command commandFailed
	if errors.As(err, &command) {
		return // it has printed its own error
	}
	faults := fault.In(err)
	var guard *changes.GuardError
	var refusals []changes.Refusal
	if errors.As(err, &guard) {
		refusals = guard.Refusals
	}

	if faults != nil {
		for _, f := range faults {
			c.Say("error: %s", f)
		}
	} else {
		c.Say("error: %s", errors.New(strings.TrimRight(err.Error(), "\n")))
	}
	if c.JSON == nil {
		return
	}
	c.JSON.judge(ExitCode(err))
	c.JSON.release()
	for _, f := range faults {
		line := &report.FaultEvent{Fault: *f}
		line.Value = jsonValue(f.Value)
		c.JSON.Report(line)
	}
	if guard != nil {
		c.JSON.Refusal(plan.GuardGate().Name, guard)
	}
	code := ExitCode(err)
	event := &report.ErrorEvent{Reason: reasonName(code), ExitCode: code, Problem: err.Error()}
	var known *failure.Error
	switch {
	case faults != nil:
		event.Problem, event.Remedy = "the input has "+report.Number(len(faults),
			"fault"), "correct what the lines of type fault name"
	case refusals != nil:
		event.Problem = fmt.Sprintf("the plan of stack %s %s %s that a running cluster depends on",
			guard.Stack, guard.Does(), report.Number(len(refusals), "resource"))
		event.Remedy = "follow a remedy in the lines of type refusal, or allow the change with --allow"
	case errors.As(err, &known):
		event.Problem, event.Remedy, event.Code = known.Problem, known.Remedy, known.Code
	}
	c.JSON.Report(event)
}

// ReportRefusal reports a gate that would make `up` refuse the previewed plan.
func (c *Invocation) ReportRefusal(name string, err error) {
	c.Say("up would refuse this plan: %s", err)
	c.JSON.Refusal(name, err)
}

// Refusal writes why a gate refuses a plan.
func (j *JSONLines) Refusal(name string, err error) {
	for _, event := range plan.RefusalEvents(name, err) {
		j.Report(event)
	}
}

// jsonValue returns a value of the input for JSON, or its text if JSON cannot represent it.
func jsonValue(value any) any {
	if _, err := json.Marshal(value); err != nil {
		return fmt.Sprint(value)
	}
	return value
}

// List writes rows to stdout: with -o json as objects of a kind, otherwise as a table.
func List[T any](c *Invocation, kind, header string, rows []T, cells func(T) []any) error {
	if c.JSON == nil {
		return Table(c, header, rows, cells)
	}
	for _, row := range rows {
		c.JSON.Write(kind, row)
	}
	return nil
}
