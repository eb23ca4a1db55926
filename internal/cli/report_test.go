package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/automation"
)

func TestEveryEventIsOneJSONObjectALine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	lines := &jsonLines{out: &out}
	for _, event := range []automation.Event{
		&automation.ResourceEvent{Op: "create", Name: "vpc", Status: automation.StatusDone, Seconds: 1.5},
		&automation.DiagnosticEvent{Severity: "error", Message: "a -> b\n<c>"},
		&automation.NoteEvent{Message: "note"},
		&automation.InterruptEvent{Count: 1},
		&automation.SummaryEvent{Operation: "up", Counts: automation.Counts{Created: 2}},
	} {
		lines.Report(event)
	}
	lines.write("empty", struct{}{})

	var types []string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &object), line)
		types = append(types, object["type"].(string))
	}
	assert.Equal(t, []string{"resource", "diagnostic", "note", "interrupt", "summary", "empty"}, types)
	assert.Contains(t, out.String(), `a -> b\n<c>`)
	assert.Contains(t, out.String(), `"created":2`)
}

func TestErrorsAreToldToPeopleAndPrograms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err          error
		people, code string
	}{
		{fault.Faults{{File: "f.yaml", Line: 3, Path: "a", Value: 1, Problem: "is odd"}, {Path: "b", Problem: "is missing"}},
			"error: f.yaml:3: a: \"1\" is odd\nerror: b is missing\n", `{"type":"fault","file":"f.yaml","line":3,"path":"a","value":1,"problem":"is odd"}`},
		{&automation.Error{Reason: automation.Conflict, Problem: "it is locked", Remedy: "wait"},
			"error: it is locked\n  wait\n", `{"type":"error","problem":"it is locked","reason":"conflict","remedy":"wait"}`},
		{&automation.GuardError{Refusals: []automation.Refusal{{Name: "vpc", Kind: "VPC", Change: "replace", Because: "x -> y"}}},
			"VPC vpc would be replaced", `{"type":"refusal","name":"vpc","kind":"VPC","change":"replace","because":"x -> y"}`},
		{errors.New("any"), "error: any\n", `{"type":"error","problem":"any","reason":"failed"}`},
	} {
		var people, programs bytes.Buffer
		c := &invocation{streams: Streams{Err: &people}, json: &jsonLines{out: &programs}}
		c.reportError(test.err)
		assert.Contains(t, people.String(), test.people)
		assert.Contains(t, programs.String(), test.code)
	}
}
