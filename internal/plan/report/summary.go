package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/api/event"
)

// SummaryText returns a one-line summary of an operation.
func SummaryText(e *event.Summary) string {
	where := ""
	if e.Offline {
		where = " (offline)"
	}
	took := duration(time.Duration(e.Seconds * float64(time.Second)))
	tense, result := TenseFor(e.Operation), e.Result
	if foundChanges(e) {
		result = "found changes"
	}
	return fmt.Sprintf("%s of %s %s%s: %s; %s", e.Operation, e.Stack, result, where, CountsText(e.Counts, tense), took)
}

// foundChanges reports whether a comparison with AWS succeeded, and found changes. That is no success for its readers.
func foundChanges(e *event.Summary) bool {
	return e.Result == "succeeded" && TenseFor(e.Operation) == Found && e.Changes() > 0
}

// Tense is the tense in which counts are written.
type Tense int

const (
	// Planned is what is to be done.
	Planned Tense = iota
	// Done is what was done.
	Done
	// Found is for changes found outside the stack.
	Found
)

// TenseFor returns the tense for the counts of an operation.
func TenseFor(operation string) Tense {
	switch operation {
	case "preview":
		return Planned
	case "refresh", "drift":
		return Found
	}
	return Done
}

// CountsText returns the counts in words.
func CountsText(c event.Counts, tense Tense) string {
	words := map[Tense][6]string{
		Planned: {"to create", "to import", "to update", "to replace", "to delete", "unchanged"},
		Done:    {"created", "imported", "updated", "replaced", "deleted", "unchanged"},
		Found:   {"created", "imported", "changed", "replaced", "missing", "as expected"},
	}[tense]
	var parts []string
	for i, n := range []int{c.Created, c.Imported, c.Updated, c.Replaced, c.Deleted} {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words[i]))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "no changes")
	}
	if c.Same > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", c.Same, words[5]))
	}
	return strings.Join(parts, ", ")
}

// urnLabel returns the name of a resource in messages: "VPC demo-vpc".
func urnLabel(id string) string {
	u, err := urn.Parse(id)
	if err != nil {
		return id
	}
	return TypeName(string(u.Type())) + " " + u.Name()
}
