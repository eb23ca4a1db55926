// Package view formats what several commands show of a plan or a stack: time, cost, policies, paths, pictures.
package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/estimate"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/price"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Options are the flags for the forecast of a plan.
type Options struct {
	// Policy is the value of --policy, Picture that of --picture.
	Policy, Picture string
}

// AddFlags adds the flags for the forecast of a plan.
func (o *Options) AddFlags(c *invocation.Invocation, cmd *cobra.Command) {
	c.AddPrices(cmd)
	cmd.Flags().StringVar(&o.Policy, "policy", "warn", "how to treat a plan that violates a policy: `warn`, or mandatory to refuse it")
	cmd.Flags().StringVar(&o.Picture, "picture", "", "draw the stack and the plan into this `file`; its extension .html, .svg or .md is the format")
}

// Validate refuses an invalid value of --policy or --picture.
func (o Options) Validate() error {
	if o.Policy != "warn" && o.Policy != "mandatory" {
		return invocation.Refuse("--policy %s: unknown value; use warn or mandatory", o.Policy)
	}
	if o.Picture != "" {
		return CheckPictureFile(o.Picture)
	}
	return nil
}

// Forecast is the estimates for a plan before it is carried out.
type Forecast struct {
	steps   []estimate.Step
	history *estimate.History
	time    estimate.Estimate
	cost    price.Difference
	// others lists charges for resources that others create for the stack, such as CAPA's machines.
	others   []othersCharge
	policies policy.Report
}

// Of estimates a plan's time and cost, and checks the policies, except for waived findings.
func Of(c *invocation.Invocation, stack *automation.Stack, planned *plan.Plan, waivers []policy.Waiver) (*Forecast, error) {
	prices, err := c.Prices()
	if err != nil {
		return nil, err
	}
	f := timed(c, stack, planned)
	f.cost = price.Compare(prices.Estimate(planned.Existing()), prices.Estimate(planned.After))
	if len(planned.After) > 0 {
		f.others = othersCharges(prices, stack.File(), planned.After)
	}
	f.policies = policy.Check(policyResources(planned.After), waivers)
	return f, nil
}

// timed returns a forecast of the time alone.
func timed(c *invocation.Invocation, stack *automation.Stack, planned *plan.Plan) *Forecast {
	f := &Forecast{steps: stepsOf(planned)}
	var err error
	if f.history, err = estimate.LoadHistory(stack.DurationsFile()); err != nil {
		c.Say("warning: %s", err)
	}
	f.time = estimate.Of(f.steps, f.history.Seconds, c.Streams.Environ.Parallel())
	return f
}

// ShowTime prints how long a plan takes, if that is known.
func ShowTime(c *invocation.Invocation, stack *automation.Stack, planned *plan.Plan) {
	f := timed(c, stack, planned)
	text := f.timeText(c.Offline)
	switch {
	case text == "":
	case c.JSON != nil:
		f.showTime(c.JSON)
	default:
		c.Say("%s", strings.TrimSuffix(text, "\n"))
	}
}

// Waivers returns the waivers of a stack's file.
func Waivers(file *config.File) ([]policy.Waiver, error) {
	var waivers []policy.Waiver
	if file == nil {
		return nil, nil
	}
	for i, w := range file.PolicyWaivers {
		waiver := policy.Waiver(w)
		if err := waiver.Validate(); err != nil {
			return nil, invocation.Refuse("%s: %s[%d]: %w", file.Path, config.WaiversKey, i, err)
		}
		waivers = append(waivers, waiver)
	}
	return waivers, nil
}

func policyResources(resources []apitype.ResourceV3) []policy.Resource {
	var list []policy.Resource
	for _, r := range resources {
		if !r.External {
			list = append(list, policy.FromState(r))
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

// forecastTime is the estimated time for programs.
type forecastTime struct {
	Seconds float64  `json:"seconds"`
	Chain   []string `json:"chain"`
}

// forecastCost is the cost for programs.
type forecastCost struct {
	price.Difference
	// Others is not part of the sums.
	Others []othersCharge `json:"others,omitempty"`
}

// Text returns the forecast as text.
func (f *Forecast) Text(offline bool) string {
	var b strings.Builder
	b.WriteString(f.timeText(offline))
	b.WriteString(f.cost.Text())
	for _, o := range f.others {
		fmt.Fprintf(&b, " not summed  %s\n", o.text())
	}
	if text := f.policies.Text(report.TypeName); text != "" {
		b.WriteString("policies:\n" + text)
	}
	return b.String()
}

// timeText returns the line of the time, or "" where it is not known.
func (f *Forecast) timeText(offline bool) string {
	text := f.time.Text(report.TypeName)
	switch {
	case text == "":
		return ""
	case offline:
		return "time on AWS: " + text + "\n"
	}
	return "time: " + text + "\n"
}

// Markdown returns the forecast in parts: the time as text, or "" if unknown, and the cost and the policies in
// Markdown.
func (f *Forecast) Markdown() (time, cost, policies string) {
	cost = f.cost.Markdown()
	if len(f.others) > 0 {
		cost += "\nCreated by others for this stack, not summed:\n"
	}
	for _, o := range f.others {
		cost += "- " + o.text() + "\n"
	}
	return f.time.Text(report.TypeName), cost, f.policies.Markdown(report.TypeName)
}

// Show writes the forecast for programs.
func (f *Forecast) Show(out *invocation.JSONLines) {
	f.showTime(out)
	out.Write("cost", forecastCost{f.cost, f.others})
	out.Write("policies", f.policies)
}

func (f *Forecast) showTime(out *invocation.JSONLines) {
	chain := []string{}
	for _, step := range f.time.Chain {
		chain = append(chain, step.URN)
	}
	out.Write("time", forecastTime{Seconds: f.time.Total.Seconds(), Chain: chain})
}

// Refusal returns the error for a plan that violates a policy if policies are mandatory, otherwise nil.
func (f *Forecast) Refusal(stack string, options Options) error {
	open := f.policies.Open()
	if options.Policy != "mandatory" || len(open) == 0 {
		return nil
	}
	var names []string
	for _, finding := range open {
		names = append(names, finding.Rule+" ("+finding.Name+")")
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("the plan of stack %s violates policies: %s; nothing was changed", stack, strings.Join(names, ", ")),
		Remedy:  "correct the findings, or accept them with a reason under " + config.WaiversKey,
	}
}

// Follow carries the plan out, shows the remaining time, and records the durations. Offline, AWS takes no time and nothing is recorded.
func (f *Forecast) Follow(c *invocation.Invocation, stack *automation.Stack, run func() error) error {
	if c.Offline {
		return run()
	}
	took, err := c.Follow(estimate.NewTracker(f.steps, f.history.Seconds, c.Streams.Environ.Parallel()), run)
	for _, event := range took {
		if op := event.Estimated(); op != "" && event.Status == report.StatusDone {
			f.history.Add(op, event.ResourceType, event.Seconds)
		}
	}
	if len(took) > 0 {
		if err := f.history.Save(stack.DurationsFile()); err != nil {
			c.Say("warning: %s", err)
		}
	}
	return err
}
