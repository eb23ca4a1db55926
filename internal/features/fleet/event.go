package fleet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// said is what is kept of the output lines of a stack's process.
type said struct {
	// operation is the process's operation. It may run an update, as pause does. Counts of another operation, such as the
	// preview or the refresh of an up that was refused, are not what it did.
	operation       string
	counts          event.Counts
	problem         string
	locked, backend bool
	// absent is true if the stack has no state.
	absent bool
	// open is true if changes continue with a further update.
	open bool
	// more is how many more resources up refuses to replace or delete.
	more int
	// diagnostic is the first error that the engine reported.
	diagnostic string
}

// read processes a line.
func (s *said) read(line []byte) {
	switch e := plan.ReadEvent(line).(type) {
	case *event.Summary:
		updated := e.Operation == string(gates.Up) && !gates.Operation(s.operation).Dry()
		if updated || e.Operation == s.operation {
			s.counts = e.Counts
		}
	case *event.Stages:
		s.open = len(e.Open) > 0
	case *event.Diagnostic:
		if e.Severity == "error" && s.diagnostic == "" {
			s.diagnostic = firstLine(e.Message)
		}
	case *report.FaultEvent:
		short := e.Fault
		short.File = "" // the stack's
		s.add(short.Error())
	case *plan.RefusalEvent:
		if e.Refusal == nil { // a gate that refuses the plan, not one of its resources
			s.add(firstLine(e.Problem))
			return
		}
		if s.problem != "" {
			s.more++
		}
		s.add(e.Refusal.Kind + " " + e.Name + " would be " + string(e.Change) + "d: " + e.Because)
	case *report.ErrorEvent:
		s.add(cmp.Or(s.diagnostic, firstLine(e.Problem)))
		s.locked = s.locked || e.Code == failure.CodeLocked
		s.backend = s.backend || e.Code == failure.CodeBackend
		s.absent = s.absent || e.Code == failure.CodeNotDeployed
	}
}

// Problem returns what a line with an error, a fault or a refusal says in short, "" for another line.
func Problem(line []byte) string {
	var s said
	s.read(line)
	return s.problem
}

// summed returns the problem, and how many more resources are refused.
func (s *said) summed() string {
	if s.more == 0 {
		return s.problem
	}
	return fmt.Sprintf("%s, and %d more", s.problem, s.more)
}

func (s *said) add(problem string) {
	if s.problem == "" {
		s.problem = problem
	}
}

// firstLine returns the first line of a message, with the first item of the list that it introduces.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if next, _, _ := strings.Cut(strings.TrimSpace(rest), "\n"); strings.HasSuffix(line, ":") {
		line += " " + strings.TrimSpace(next) // a list follows
	}
	return strings.TrimSpace(line)
}

// Tag adds the stack to a JSON object in a line. It returns nil if the line is not an object.
func Tag(line []byte, id string) []byte {
	line = bytes.TrimSpace(line)
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil || len(fields) == 0 {
		return nil
	}
	name, err := json.Marshal(id)
	if err != nil {
		return nil
	}
	if given, has := fields["stack"]; has {
		if bytes.Equal(given, name) {
			return line
		}
		fields["stack"] = name
		text, err := json.Marshal(fields)
		if err != nil {
			return nil
		}
		return text
	}
	return append(append(append(line[:len(line)-1:len(line)-1], `,"stack":`...), name...), '}')
}
