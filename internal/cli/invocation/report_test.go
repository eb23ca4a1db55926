package invocation

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// noon returns a moment, by a clock that is not set to UTC.
func noon() time.Time { return time.Date(2026, 1, 2, 13, 0, 0, 0, time.FixedZone("", 3600)) }

func TestEveryEventIsOneJSONObjectPerLineWithATime(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	lines := &JSONLines{out: &out, now: noon}
	for _, event := range []report.Event{
		&event.Resource{Op: "create", Name: "vpc", Status: event.StatusDone, Seconds: 1.5},
		&event.Diagnostic{Severity: "error", Message: "a -> b\n<c>"},
		&event.Note{Message: "note"},
		&event.Interrupt{Count: 1},
		&event.Summary{Operation: "up", Counts: event.Counts{Created: 2}},
	} {
		lines.Report(event)
	}
	lines.Report(&event.Note{Message: "after the operation"})
	lines.Write("empty", struct{}{})
	lines.end("up", "dev", false)

	var types []string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &object), line)
		types = append(types, object["type"].(string))
		if object["type"] == "empty" {
			require.NotContains(t, object, "time", "of what is no event")
			continue
		}
		require.Equal(t, "2026-01-02T12:00:00Z", object["time"], line)
	}
	assert.Equal(t, []string{"resource", "diagnostic", "note", "interrupt", "note", "empty", "summary"}, types)
	assert.Contains(t, out.String(), `a -> b\n<c>`)
	assert.Contains(t, out.String(), `"created":2`)
}

func TestErrorsAreWrittenAsTextAndAsJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err          error
		people, code string
	}{
		{fault.Faults{{File: "f.yaml", Line: 3, Path: "a", Value: 1, Problem: "is odd"}, {Path: "b", Problem: "is missing"}},
			"error: f.yaml:3: a: \"1\" is odd\nerror: b is missing\n", `{"type":"fault","file":"f.yaml","line":3,"path":"a","value":1,"problem":"is odd","time":"2026-01-02T12:00:00Z"}`},
		{&failure.Error{Reason: failure.Conflict, Problem: "it is locked", Remedy: "wait"},
			"error: it is locked\n  wait\n", `{"type":"error","problem":"it is locked","reason":"conflict","remedy":"wait","exitCode":4,"time":"2026-01-02T12:00:00Z"}`},
		{&changes.GuardError{Refusals: []changes.Refusal{{Name: "vpc", Kind: "VPC", Change: "replace", Because: "x -> y"}}},
			"VPC vpc would be replaced", `{"type":"refusal","gate":"guard","name":"vpc","kind":"VPC","change":"replace","because":"x -> y","time":"2026-01-02T12:00:00Z"}`},
		{errors.New("any"), "error: any\n", `{"type":"error","problem":"any","reason":"failed","exitCode":1,"time":"2026-01-02T12:00:00Z"}`},
	} {
		var people, programs bytes.Buffer
		c := &Invocation{Streams: Streams{Err: &people}, JSON: &JSONLines{out: &programs, now: noon}}
		c.reportError(test.err)
		assert.Contains(t, people.String(), test.people)
		assert.Contains(t, programs.String(), test.code)
	}
}

func TestAPreviewsRefusalHasItsGateItsCodeAndItsRemedy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		line string
	}{
		{&failure.Error{
			Reason:  failure.Conflict,
			Code:    failure.CodeLiving,
			Problem: "the cluster is alive",
			Remedy:  "leave it",
		},
			`{"type":"refusal","gate":"any","code":"living","problem":"the cluster is alive","remedy":"leave it","time":"2026-01-02T12:00:00Z"}`},
		{&changes.GuardError{
			Refusals: []changes.Refusal{{Name: "vpc", Kind: "VPC", Change: "replace", Because: "x -> y", Remedy: "write x"}},
		},
			`{"type":"refusal","gate":"any","remedy":"write x","name":"vpc","kind":"VPC","change":"replace","because":"x -> y","time":"2026-01-02T12:00:00Z"}`},
		{fault.Faults{{Path: "a", Problem: "is missing"}}, `{"type":"refusal","gate":"any","problem":"a is missing","time":"2026-01-02T12:00:00Z"}`},
	} {
		var people, programs bytes.Buffer
		c := &Invocation{Streams: Streams{Err: &people}, JSON: &JSONLines{out: &programs, now: noon}}
		c.ReportRefusal("any", test.err)
		assert.Equal(t, test.line+"\n", programs.String())
		assert.Contains(t, people.String(), "up would refuse this plan: ")
	}
}

// TestACommandThatFailsForWhatItFoundHasNotSucceeded holds the result of the last summary against the exit code.
func TestACommandThatFailsForWhatItFoundHasNotSucceeded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err    error
		result string
	}{
		{&failure.Error{Reason: failure.ChangesFound, Problem: "p"}, event.ResultChanged},
		{RefusedPlans("dev"), event.ResultRefused},
		{&failure.Error{Reason: failure.Failed, Problem: "the wait ended"}, "succeeded"},
	} {
		var people, programs bytes.Buffer
		c := &Invocation{Streams: Streams{Err: &people}, JSON: &JSONLines{out: &programs, now: noon}}
		c.JSON.Report(&event.Summary{Operation: "preview", Stack: "dev", Result: "succeeded"})
		c.reportError(test.err)
		assert.Contains(t, programs.String(), `"operation":"preview","stack":"dev","result":"`+test.result+`"`)
	}
}

func TestLinesOfSeveralGoroutinesStayWholeAndTheSummaryLast(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	lines := &JSONLines{out: &out, now: noon}
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 50 {
				lines.Event("note", &event.Note{Message: "x"})
				lines.Report(&event.Summary{Operation: "up"})
			}
		})
	}
	writers.Wait()
	lines.end("up", "dev", false)
	written := strings.Split(strings.TrimSpace(out.String()), "\n")
	assert.Len(t, written, 800, "each summary is written once")
	assert.Contains(t, written[799], `"type":"summary"`)
}
