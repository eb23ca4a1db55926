// Package forecast estimates a plan before it is carried out: its time and its cost.
//
// Its texts also have the policies that the plan violates.
package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	api "github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/estimate"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Run is a plan's forecast, with what follows its operations.
type Run struct {
	api.Forecast

	of      Inputs
	steps   []api.Step
	history *estimate.History
}

// Inputs are the inputs of a forecast.
type Inputs struct {
	Plan   *changes.Plan
	Prices price.Table
	// Durations is the path of the durations of the stack's earlier operations.
	Durations string
	// Parallel is how many operations the engine runs at once, and Timing is how long AWS takes.
	Parallel int
	Timing   workspace.Timing
}

// New estimates a plan's time and cost. It returns an error if recorded durations cannot be read. The forecast is
// complete without them.
func New(of Inputs) (*Run, error) {
	f, err := Timed(of)
	f.Cost = price.Compare(of.Prices.Estimate(of.Plan.Existing()), of.Prices.Estimate(of.Plan.After))
	f.Unchecked = plancheck.Unchecked(of.Plan)
	return f, err
}

// Timed returns a forecast of the time alone.
func Timed(of Inputs) (*Run, error) {
	f := &Run{
		Forecast: api.Forecast{Simulated: !of.Timing.Measured, OperatorWork: operatorWork(of.Plan)},
		of:       of,
		steps:    stepsOf(of.Plan),
	}
	var err error
	f.history, err = estimate.LoadHistory(of.Durations)
	f.Time = estimate.Schedule(f.steps, f.history.Seconds, of.Parallel)
	return f, err
}

// stepsOf returns the operations of a plan with their dependencies.
func stepsOf(planned *changes.Plan) []api.Step {
	depends := map[string][]string{}
	for _, resources := range [][]apitype.ResourceV3{planned.Before, planned.After} {
		for _, r := range resources {
			var on []string
			for _, urn := range r.Dependencies {
				on = append(on, string(urn))
			}
			for _, urns := range r.PropertyDependencies {
				for _, urn := range urns {
					on = append(on, string(urn))
				}
			}
			slices.Sort(on)
			depends[string(r.URN)] = slices.Compact(on)
		}
	}
	var steps []api.Step
	for _, step := range plan.Listed(planned) {
		for _, op := range opsOf(step) {
			steps = append(steps, api.Step{URN: step.URN, Type: step.Type, Op: op, DependsOn: depends[step.URN]})
		}
	}
	return steps
}

func opsOf(step *changes.Step) []api.Op {
	switch step.Change {
	case changes.Create:
		return []api.Op{api.Create}
	case changes.Import:
		return []api.Op{api.Import}
	case changes.Update:
		return []api.Op{api.Update}
	case changes.Replace:
		return []api.Op{api.Create, api.Delete}
	case changes.Delete:
		return []api.Op{api.Delete}
	default:
		return nil
	}
}

// Text returns the forecast as text: a line each for the time, the cost and the policies; with details also what
// decides the time, each price with its source, and each finding. Names of findings are left out as far as a line would
// be longer than width, 0 for any width.
func Text(f *api.Forecast, width int, details bool) string {
	var b strings.Builder
	b.WriteString(TimeText(f, details))
	if !details {
		b.WriteString(price.Line(f.Cost) + "\n" + policiesLine(f, width) + "\n" + uncheckedLine(f, width))
		return b.String()
	}
	b.WriteString(price.ChangeText(f.Cost))
	if text := policy.Text(f.Policies, report.TypeName); text != "" {
		b.WriteString("policies:\n" + text)
	}
	b.WriteString(uncheckedLine(f, 0))
	return b.String()
}

// policiesLine returns the line of the policies.
func policiesLine(f *api.Forecast, width int) string {
	open := f.Policies.Open()
	head, tail := "policies: none violated", ""
	if n := len(open); n > 0 {
		head = fmt.Sprintf("policies: %d violated, which --policy mandatory refuses", n)
	}
	for _, part := range []struct {
		n    int
		text string
	}{
		{len(f.Policies.Findings) - len(open), "waived"}, {len(f.Policies.Unused), "unused in waivers"},
		{len(f.Policies.Unchecked), "not checked before the update"},
	} {
		if part.n > 0 {
			tail += fmt.Sprintf("; %d %s", part.n, part.text)
		}
	}
	var rules []string
	names := map[string][]string{}
	for _, finding := range open {
		if names[finding.Rule] == nil {
			rules = append(rules, finding.Rule)
		}
		names[finding.Rule] = append(names[finding.Rule], finding.Name)
	}
	if len(rules) == 0 {
		return head + tail
	}
	for i, rule := range rules {
		rules[i] = rule + " (" + strings.Join(names[rule], ", ") + ")"
	}
	return head + tail + ":\n  " + report.List(rules, max(0, width-2))
}

// TimeText returns the line of the time and what it leaves out, or "" where it is not known.
func TimeText(f *api.Forecast, details bool) string {
	if len(f.Time.Chain) == 0 {
		return ""
	}
	text := "time"
	if f.Simulated {
		text += " on AWS"
	}
	text += ": about " + report.RoundTime(f.Time.Total)
	if f.OperatorWork != "" {
		text += ", without " + f.OperatorWork
	}
	if details {
		text += "\n  decided by: " + estimate.Path(f.Time, report.TypeName)
	}
	return text + "\n"
}

// Markdown returns the forecast in parts: the time as text, or "" if unknown, and the cost and the policies in
// Markdown.
func Markdown(f *api.Forecast) (time, cost, policies string) {
	cost = price.Markdown(f.Cost)
	time = estimate.Text(f.Time, report.TypeName)
	if f.OperatorWork != "" {
		time += "; without " + f.OperatorWork
	}
	return time, cost, policy.Markdown(f.Policies, report.TypeName) + uncheckedMarkdown(f)
}

// Remaining returns the estimate of the remaining time of the plan that now begins. Where AWS takes no time it only
// counts.
func (f *Run) Remaining() *estimate.Tracker {
	if !f.of.Timing.Measured {
		return estimate.NewTracker(f.steps, nil, f.of.Parallel)
	}
	return estimate.NewTracker(f.steps, f.history.Seconds, f.of.Parallel)
}

// Learn records how long operations took. On AWS, the next forecasts use it.
func (f *Run) Learn(took []event.Resource) error {
	for _, e := range took {
		if op := estimate.Operation(&e); op != "" && e.Status == event.StatusDone {
			f.history.Add(op, e.ResourceType, e.Seconds)
		}
	}
	if len(took) == 0 {
		return nil
	}
	return f.history.Save(f.of.Durations)
}

// What operators do after a plan, and what they find out about its objects.

// objects are the kinds of objects on which operators work after the engine is done, and what they do.
var objects = map[string]string{
	"HostedCluster": "the control plane", "NodePool": "the nodes",
	"Cluster": "the control plane", "MachineDeployment": "the nodes", "MachinePool": "the nodes",
}

// operatorWork returns what operators do after a plan.
func operatorWork(planned *changes.Plan) string {
	verbs := map[changes.Change]string{
		changes.Create: "the start of ", changes.Replace: "the start of ", changes.Update: "the update of ",
		changes.Delete: "the end of ",
	}
	parts := map[string][]string{}
	for _, step := range plan.Listed(planned) {
		part := objects[step.Type[strings.LastIndex(step.Type, ":")+1:]]
		verb := verbs[step.Change]
		if strings.HasPrefix(step.Type, "kubernetes:") && part != "" && verb != "" && !slices.Contains(parts[verb], part) {
			parts[verb] = append(parts[verb], part)
		}
	}
	var texts []string
	for _, verb := range slices.Backward(slices.Sorted(maps.Keys(parts))) {
		slices.Sort(parts[verb])
		texts = append(texts, verb+strings.Join(parts[verb], " and "))
	}
	return strings.Join(texts, " and ")
}

// uncheckedLine returns the line about what only HyperShift's operator can check, "" if there is nothing.
func uncheckedLine(f *api.Forecast, width int) string {
	if len(f.Unchecked) == 0 {
		return ""
	}
	return "not checked here; HyperShift's operator checks whether:\n  " + report.List(f.Unchecked, max(0, width-2)) + "\n"
}

// uncheckedMarkdown returns the same as a list in Markdown.
func uncheckedMarkdown(f *api.Forecast) string {
	if len(f.Unchecked) == 0 {
		return ""
	}
	return "\nNot checked here; HyperShift's operator checks whether:\n- " + strings.Join(f.Unchecked, "\n- ") + "\n"
}
