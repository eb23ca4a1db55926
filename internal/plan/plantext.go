package plan

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

// Text lists what a plan changes, one line per resource, and the totals.
func Text(plan *Plan) string {
	var b strings.Builder
	for _, step := range plan.Changed() {
		fmt.Fprintf(&b, "  %s %-7s %s %s", signOf(step.Change), step.Change, report.TypeName(step.Type), step.Name)
		switch {
		case step.Leftover:
			b.WriteString("  [old resource of an unfinished replacement]")
		case step.Change == ChangeUpdate && len(step.Diffs) > 0:
			fmt.Fprintf(&b, "  [%s]", strings.Join(step.Diffs, ", "))
		case step.Change == ChangeReplace && len(step.Keys) > 0:
			fmt.Fprintf(&b, "  [%s]", strings.Join(step.Keys, ", "))
		case step.Change == ChangeImport && step.ID != "":
			fmt.Fprintf(&b, "  [imports %s]", step.ID)
		}
		b.WriteString("\n")
	}
	b.WriteString(plan.Counts().Text(report.Planned) + "\n")
	return b.String()
}

func signOf(change Change) string {
	switch change {
	case ChangeCreate:
		return "+"
	case ChangeImport:
		return "="
	case ChangeDelete:
		return "-"
	case ChangeReplace:
		return "±"
	default:
		return "~"
	}
}
