package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Layout is how a plan is written.
type Layout struct {
	// Width is the number of columns of a line, 0 for whole values and lists. The name of a single resource is never cut.
	Width int
	// Details writes each resource on its own, and the values of new ones.
	Details bool
	Style   report.Style
	// Refused are the steps that `up` refuses.
	Refused []changes.Refusal
	// Destroy groups deletions by component, as the other changes: the plan is to delete everything.
	Destroy bool
}

const (
	// valuesShown is how many values of a resource are written without details.
	valuesShown = 20
	// page is the number of lines above which a plan is written densely.
	page = 34
	// narrowest is the smallest width of a layout.
	narrowest = 40
)

// Text returns what a plan changes, and the totals: first what is refused, replaced or, unless everything is, deleted,
// one resource per line; then the rest by component as a tree, clusters and networks first, in which siblings are one
// line.
func Text(plan *changes.Plan, layout Layout) string {
	w := &writer{Layout: layout}
	if w.Width > 0 {
		w.Width = max(w.Width, narrowest)
	}
	var first, others []*changes.Step
	for _, step := range Listed(plan) {
		if step.Change == changes.Replace || step.Change == changes.Delete && (!w.Destroy || w.refused(step)) {
			first = append(first, step)
		} else {
			others = append(others, step)
		}
	}
	rank := func(s *changes.Step) int {
		switch {
		case w.refused(s):
			return 0
		case s.Change == changes.Replace:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(first, func(a, b *changes.Step) int { return cmp.Compare(rank(a), rank(b)) })
	for _, step := range first {
		w.group(nil, []*changes.Step{step}, "  ")
	}
	tree := treeOf(plan, others, depths(plan))
	above := w.b.String()
	w.tree(tree, "  ")
	if w.Width > 0 && !w.Details && strings.Count(w.b.String(), "\n") > page {
		w.dense = true
		w.b.Reset()
		w.b.WriteString(above)
		w.tree(tree, "  ")
	}
	w.b.WriteString(w.Style.Paint(report.Bold, CountsText(plan)) + "\n")
	return w.b.String()
}

// CountsText returns the totals of a plan. A plan may change only what the state records, such as the management
// cluster of an earlier version's stack.
func CountsText(plan *changes.Plan) string {
	counts := plan.Counts()
	text := report.CountsText(counts, report.Planned)
	if plan.HasChanges && counts.Changes() == 0 {
		return strings.Replace(text, "no changes", "only the state's records change", 1)
	}
	return text
}

// writer writes a plan.
type writer struct {
	Layout
	b strings.Builder
	// dense is true if the new resources of a component, or those that a destroy deletes, that are the only one of their
	// type share lines.
	dense bool
}

func (w *writer) refused(step *changes.Step) bool {
	return slices.ContainsFunc(w.Refused, func(r changes.Refusal) bool {
		return r.Name == step.Name && r.ID == step.ID && r.Change == step.Change
	})
}

// tree writes a component's resources, and then its inner components.
func (w *writer) tree(c *component, indent string) {
	inner := c.inner
	if c.step == nil { // what has no component follows the clusters and networks
		at := slices.IndexFunc(inner, func(in *component) bool { return in.rank > networkRank })
		if at < 0 {
			at = len(inner)
		}
		w.components(inner[:at], indent)
		inner = inner[at:]
	}
	groups := c.groups()
	if w.dense {
		groups = w.singles(c, groups, indent)
	}
	for _, group := range groups {
		if !w.Details {
			w.group(c, group, indent)
			continue
		}
		for _, step := range group {
			w.group(c, []*changes.Step{step}, indent)
		}
	}
	w.components(inner, indent)
}

// components writes components. One with a single resource has no separate line.
func (w *writer) components(inner []*component, indent string) {
	for _, in := range inner {
		if len(in.steps) == 1 && len(in.inner) == 0 {
			w.tree(in, indent)
			continue
		}
		w.line(indent, w.Style.Paint(report.Bold,
			in.step.Name)+w.Style.Paint(report.Dim, " ("+report.TypeName(in.step.Type)+")"))
		w.tree(in, indent+"  ")
	}
}

// singles writes the new resources, or those that a destroy deletes, that are the only one of their type, several in a
// line, and returns the other groups.
func (w *writer) singles(c *component, groups [][]*changes.Step, indent string) (others [][]*changes.Step) {
	shared := changes.Create
	if w.Destroy {
		shared = changes.Delete
	}
	sign, colour := signOf(shared)
	line := ""
	flush := func() {
		if line != "" {
			w.line(indent, w.Style.Paint(colour, sign)+" "+line)
		}
		line = ""
	}
	for _, group := range groups {
		if len(group) > 1 || group[0].Change != shared || group[0].Leftover {
			others = append(others, group)
			continue
		}
		label := report.TypeName(group[0].Type)
		phrase := strings.TrimSpace(label + " " + strings.Join(folded([]string{group[0].Name}, c.name(), label), ""))
		if len([]rune(indent+sign+" "+line+", "+phrase)) > w.Width {
			flush()
		}
		if line != "" {
			line += ", "
		}
		line += phrase
	}
	flush()
	return others
}

func (w *writer) line(indent, text string) { w.b.WriteString(indent + text + "\n") }

// group writes resources with the same change as one line, and the values that they all change.
func (w *writer) group(c *component, steps []*changes.Step, indent string) {
	step := steps[0]
	sign, colour := signOf(step.Change)
	head := sign + " "
	if step.Change == changes.Replace || step.Change == changes.Delete && (!w.Destroy || w.refused(step)) {
		head += fmt.Sprintf("%-7s ", step.Change)
	}
	text := report.TypeName(step.Type) + " " + step.Name + note(step)
	if len(steps) > 1 {
		text = w.names(c, steps, len(indent)+len([]rune(head)))
	}
	if w.refused(step) {
		text += w.Style.Paint(report.Red, "  [refused]")
	}
	w.line(indent, w.Style.Paint(colour, head)+text)
	if step.Change == changes.Create && !w.Details {
		return
	}
	values := Values(step)
	more := 0
	if !w.Details && len(values) > valuesShown {
		values, more = values[:valuesShown], len(values)-valuesShown
	}
	for _, v := range values {
		w.value(v, indent+"    ")
	}
	if more > 0 {
		w.line(indent+"    ", fmt.Sprintf("… %d more values", more))
	}
}

// note returns what the values of a step do not say.
func note(step *changes.Step) string {
	switch {
	case step.Leftover:
		return "  [old resource of an unfinished replacement]"
	case step.Change == changes.Import && step.ID != "":
		return "  [imports " + step.ID + "]"
	}
	return ""
}

// names returns the number of resources and their names, by type.
func (w *writer) names(c *component, steps []*changes.Step, used int) string {
	byType := map[string][]string{}
	var types []string
	for _, step := range steps {
		label := report.TypeName(step.Type)
		if byType[label] == nil {
			types = append(types, label)
		}
		byType[label] = append(byType[label], step.Name)
	}
	if len(types) == 1 {
		head := report.Number(len(steps), types[0]) + ": "
		return head + report.List(folded(byType[types[0]], c.name(), types[0]), w.left(used+len(head)))
	}
	var phrases []string
	for _, label := range types {
		names := byType[label]
		if len(names) == 1 {
			phrases = append(phrases, label+" "+names[0])
			continue
		}
		phrases = append(phrases, report.Number(len(names), label))
	}
	head := report.Number(len(steps), "resource") + ": "
	return head + report.List(phrases, w.left(used+len(head)))
}

// left returns the width that remains after the used columns.
func (w *writer) left(used int) int {
	if w.Width == 0 {
		return 0
	}
	return max(1, w.Width-used)
}

// value writes a value before and after: in one line, or in three if that is too long.
func (w *writer) value(v event.Value, indent string) {
	sign, colour := signOf(changes.Update)
	before, after := valueText(v.Old), valueText(v.New)
	if v.Unknown {
		after = valueText(changes.UnknownValue)
	}
	text, tail := before+" -> "+after, ""
	switch {
	case v.Old == nil && v.New == nil && !v.Unknown:
		text = "changes"
	case v.Old == nil:
		sign, colour = signOf(changes.Create)
		text = after
	case v.New == nil && !v.Unknown:
		sign, colour = signOf(changes.Delete)
		text = before
	case hidden(v.Old) && hidden(v.New):
		text = before + " -> another " + after
	}
	if v.Replaces {
		tail = "  (replaces it)"
	}
	fits := w.Width == 0 || len([]rune(indent+sign+" "+v.Path+": "+text+tail)) <= w.Width
	head := w.Style.Paint(colour, sign) + " " + v.Path + ":"
	switch {
	case fits:
		w.line(indent, head+" "+text+tail)
	case v.Old != nil && (v.New != nil || v.Unknown):
		w.line(indent, head+tail)
		before, after = around(before, after, w.left(len(indent)+5))
		w.line(indent+"     ", before)
		w.line(indent+"  -> ", after)
	default:
		w.line(indent, head+tail)
		w.line(indent+"     ", report.Shorten(text, w.left(len(indent)+5)))
	}
}

// ValuesText writes values before and after, in the form of a plan.
func ValuesText(values []event.Value, indent string, layout Layout) string {
	w := &writer{Layout: layout}
	for _, v := range values {
		w.value(v, indent)
	}
	return w.b.String()
}

// around shortens two texts to the part in which they differ.
func around(a, b string, width int) (string, string) {
	x, y := []rune(a), []rune(b)
	if width == 0 || len(x) <= width && len(y) <= width {
		return a, b
	}
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	// A third of the line shows what is before the difference.
	if from := same - width/3; from > 1 {
		a, b = "…"+string(x[from:]), "…"+string(y[from:])
	}
	return report.Shorten(a, width), report.Shorten(b, width)
}

// signOf returns the sign of a change, and its colour.
func signOf(change changes.Change) (string, report.Colour) {
	switch change {
	case changes.Create:
		return "+", report.Green
	case changes.Import:
		return "=", report.Cyan
	case changes.Delete:
		return "-", report.Red
	case changes.Replace:
		return "±", report.Magenta
	default:
		return "~", report.Yellow
	}
}
