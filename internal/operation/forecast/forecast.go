// Package forecast estimates a plan before it is carried out: its time, its cost, and the policies that it violates.
package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/discovery/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/estimate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/price"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Forecast is the estimates for a plan.
type Forecast struct {
	// Time is how long the plan takes, and its longest chain of operations; the total is 0 if it is not known.
	Time estimate.Estimate
	// Cost is the fixed cost per month before and after, of the stack's resources and of what operators create for its objects.
	Cost price.Difference
	// Policies are the violations of policies, with the waived ones.
	Policies policy.Report
	// Unchecked is what only HyperShift's operator will find out about the objects of the plan.
	Unchecked []string

	of      Of
	steps   []estimate.Step
	history *estimate.History
}

// Of is what a forecast is made of.
type Of struct {
	Plan   *plan.Plan
	Prices price.Table
	// File is the stack's file, which may be nil. Its waivers apply: see Waivers.
	File    *config.File
	Waivers []policy.Waiver
	// Durations is the path of the durations of the stack's earlier operations.
	Durations string
	// Parallel is how many operations the engine runs at once, and Timing is how long AWS takes.
	Parallel int
	Timing   workspace.Timing
}

// New estimates a plan's time and cost, and checks the policies. The error is that of durations that cannot be read, without which the
// forecast is complete.
func New(of Of) (*Forecast, error) {
	f, err := Timed(of)
	f.Cost = price.Compare(of.Prices.Estimate(of.Plan.Existing()), of.Prices.Estimate(of.Plan.After))
	f.Policies = policy.Check(PolicyResources(of.Plan.After), of.Waivers)
	f.Unchecked = plancheck.Unchecked(of.Plan)
	return f, err
}

// Timed returns a forecast of the time alone.
func Timed(of Of) (*Forecast, error) {
	f := &Forecast{of: of, steps: stepsOf(of.Plan)}
	var err error
	f.history, err = estimate.LoadHistory(of.Durations)
	f.Time = estimate.Schedule(f.steps, f.history.Seconds, of.Parallel)
	return f, err
}

// Waivers returns the waivers of policies in a stack's file, which may be nil.
func Waivers(file *config.File) ([]policy.Waiver, error) {
	if file == nil {
		return nil, nil
	}
	waivers, err := plan.Waivers(&file.Config)
	if err != nil {
		return nil, &failure.Error{Reason: failure.Refused, Problem: file.Path + ": " + err.Error(), Cause: err}
	}
	return waivers, nil
}

// PolicyResources returns the resources that policies check.
func PolicyResources(resources []apitype.ResourceV3) []props.Resource {
	var list []props.Resource
	for _, r := range resources {
		if !r.External {
			list = append(list, props.ResourceOf(r, r.Inputs))
		}
	}
	return list
}

// stepsOf returns the operations of a plan with their dependencies.
func stepsOf(planned *plan.Plan) []estimate.Step {
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
	var steps []estimate.Step
	for _, step := range planned.Changed() {
		for _, op := range opsOf(step) {
			steps = append(steps, estimate.Step{URN: step.URN, Type: step.Type, Op: op, DependsOn: depends[step.URN]})
		}
	}
	return steps
}

func opsOf(step *plan.Step) []estimate.Op {
	switch step.Change {
	case plan.ChangeCreate:
		return []estimate.Op{estimate.Create}
	case plan.ChangeImport:
		return []estimate.Op{estimate.Import}
	case plan.ChangeUpdate:
		return []estimate.Op{estimate.Update}
	case plan.ChangeReplace:
		return []estimate.Op{estimate.Create, estimate.Delete}
	case plan.ChangeDelete:
		return []estimate.Op{estimate.Delete}
	default:
		return nil
	}
}

// Text returns the forecast as text: a line each for the time, the cost and the policies; with details also what decides the time, each price
// with its source, and each finding. Names of findings are left out as far as a line would be longer than width, 0 for any width.
func (f *Forecast) Text(width int, details bool) string {
	var b strings.Builder
	b.WriteString(f.TimeText(details))
	if !details {
		b.WriteString(f.Cost.Line() + "\n" + f.policies(width) + "\n" + f.unchecked(width))
		return b.String()
	}
	b.WriteString(f.Cost.Text())
	if text := f.Policies.Text(report.TypeName); text != "" {
		b.WriteString("policies:\n" + text)
	}
	b.WriteString(f.unchecked(0))
	return b.String()
}

// unchecked returns the line of what only HyperShift's operator will find out, "" if there is nothing.
func (f *Forecast) unchecked(width int) string {
	if len(f.Unchecked) == 0 {
		return ""
	}
	return "not checked, HyperShift's operator finds out whether:\n  " + report.List(f.Unchecked, max(0, width-2)) + "\n"
}

// policies returns the line of the policies.
func (f *Forecast) policies(width int) string {
	open := f.Policies.Open()
	head, tail := "policies: none violated", ""
	if n := len(open); n > 0 {
		head = fmt.Sprintf("policies: %d violated, which --policy mandatory refuses", n)
	}
	for _, part := range []struct {
		n    int
		text string
	}{
		{len(f.Policies.Findings) - len(open), "waived"}, {len(f.Policies.Unused), "unused in waivers"}, {len(f.Policies.Unchecked), "not checked before the update"},
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
func (f *Forecast) TimeText(details bool) string {
	if len(f.Time.Chain) == 0 {
		return ""
	}
	text := f.of.Timing.Heading + ": about " + estimate.Round(f.Time.Total)
	if without := f.LeftOut(); without != "" {
		text += ", without " + without
	}
	if details {
		text += "\n  decided by: " + f.Time.Path(report.TypeName)
	}
	return text + "\n"
}

// objects are the kinds of objects on which operators work after the engine is done, and what they do.
var objects = map[string]string{
	"HostedCluster": "the control plane", "NodePool": "the nodes",
	"Cluster": "the control plane", "MachineDeployment": "the nodes", "MachinePool": "the nodes",
}

// LeftOut returns what operators do after the plan, which is not part of its time: "the start of the control plane and the nodes"; "" if they
// do nothing.
func (f *Forecast) LeftOut() string {
	verbs := map[plan.Change]string{
		plan.ChangeCreate: "the start of ", plan.ChangeReplace: "the start of ", plan.ChangeUpdate: "the update of ", plan.ChangeDelete: "the end of ",
	}
	parts := map[string][]string{}
	for _, step := range f.of.Plan.Changed() {
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

// Markdown returns the forecast in parts: the time as text, or "" if unknown, and the cost and the policies in
// Markdown.
func (f *Forecast) Markdown() (time, cost, policies string) {
	cost = f.Cost.Markdown()
	time = f.Time.Text(report.TypeName)
	if without := f.LeftOut(); without != "" {
		time += "; without " + without
	}
	policies = f.Policies.Markdown(report.TypeName)
	if len(f.Unchecked) > 0 {
		policies += "\nNot checked, HyperShift's operator finds out whether:\n- " + strings.Join(f.Unchecked, "\n- ") + "\n"
	}
	return time, cost, policies
}

// Remaining returns the estimate of the remaining time of the plan that now begins. Where AWS takes no time it only counts.
func (f *Forecast) Remaining() *estimate.Tracker {
	if !f.of.Timing.Measured {
		return estimate.NewTracker(f.steps, nil, f.of.Parallel)
	}
	return estimate.NewTracker(f.steps, f.history.Seconds, f.of.Parallel)
}

// Learn records how long operations took. On AWS, the next forecasts use it.
func (f *Forecast) Learn(took []report.ResourceEvent) error {
	for _, event := range took {
		if op := event.Estimated(); op != "" && event.Status == report.StatusDone {
			f.history.Add(op, event.ResourceType, event.Seconds)
		}
	}
	if len(took) == 0 {
		return nil
	}
	return f.history.Save(f.of.Durations)
}
