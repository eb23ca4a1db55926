package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/estimate"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/price"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// parallel is how many operations the engine does at once, its own default on the machines that this is run on. No stack has
// that many that take long.
const parallel = 16

// forecastOptions are the flags of what is said about a plan.
type forecastOptions struct {
	policy  string
	picture string
}

func (c *invocation) addForecast(cmd *cobra.Command, options *forecastOptions) {
	c.addPrices(cmd)
	cmd.Flags().StringVar(&options.policy, "policy", "warn", "what becomes of a plan that breaks a policy: `warn`, or mandatory to refuse it")
	cmd.Flags().StringVar(&options.picture, "picture", "", "draw the stack and the plan into this `file`, by its ending .html, .svg or .md")
}

func (o forecastOptions) validate() error {
	if o.policy != "warn" && o.policy != "mandatory" {
		return refuse("--policy %s is not known: give warn or mandatory", o.policy)
	}
	if o.picture != "" {
		return pictureFormat(o.picture)
	}
	return nil
}

// forecast is what there is to know of a plan before it is carried out.
type forecast struct {
	steps    []estimate.Step
	history  *estimate.History
	time     estimate.Estimate
	cost     price.Difference
	policies policy.Report
}

// forecast says how long a plan takes, what it costs and which policies it breaks, but for what the waivers accept.
func (c *invocation) forecast(stack *automation.Stack, planned *plan.Plan, waivers []policy.Waiver) (*forecast, error) {
	prices, err := c.prices()
	if err != nil {
		return nil, err
	}
	f := &forecast{steps: stepsOf(planned)}
	if f.history, err = estimate.LoadHistory(stack.DurationsFile()); err != nil {
		c.say("warning: %s", err)
	}
	f.time = estimate.Of(f.steps, f.history.Seconds, parallel)
	f.cost = price.Compare(prices.Estimate(planned.Before), prices.Estimate(planned.After))
	f.policies = policy.Check(policyResources(planned.After), waivers)
	return f, nil
}

// waiversOf are the waivers of a stack's file.
func waiversOf(file *config.File) ([]policy.Waiver, error) {
	var waivers []policy.Waiver
	if file == nil {
		return nil, nil
	}
	for i, w := range file.PolicyWaivers {
		waiver := policy.Waiver(w)
		if err := waiver.Validate(); err != nil {
			return nil, refuse("%s: %s[%d]: %w", file.Path, config.WaiversKey, i, err)
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

// stepsOf are the operations of a plan, with what each waits for.
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
	case plan.ChangeCreate, plan.ChangeImport:
		return []estimate.Op{estimate.Create}
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

// text is the forecast for people.
func (f *forecast) text(offline bool) string {
	var b strings.Builder
	if text := f.time.Text(report.TypeName); text != "" {
		where := ""
		if offline {
			where = " on AWS"
		}
		fmt.Fprintf(&b, "time%s: %s\n", where, text)
	}
	b.WriteString(f.cost.Text())
	if text := f.policies.Text(report.TypeName); text != "" {
		b.WriteString("policies:\n" + text)
	}
	return b.String()
}

// show writes the forecast for programs.
func (f *forecast) show(out *jsonLines) {
	chain := []string{}
	for _, step := range f.time.Chain {
		chain = append(chain, step.URN)
	}
	out.write("time", forecastTime{Seconds: f.time.Total.Seconds(), Chain: chain})
	out.write("cost", f.cost)
	out.write("policies", f.policies)
}

// refusal is the error for a plan that breaks a policy where policies are mandatory, nil otherwise.
func (f *forecast) refusal(stack string, options forecastOptions) error {
	open := f.policies.Open()
	if options.policy != "mandatory" || len(open) == 0 {
		return nil
	}
	var names []string
	for _, finding := range open {
		names = append(names, finding.Rule+" ("+finding.Name+")")
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("the plan of stack %s breaks policies: %s; nothing was changed", stack, strings.Join(names, ", ")),
		Remedy:  "change what they find, or accept it with a reason under " + config.WaiversKey,
	}
}

// remember adds how long the operations of an update took to the stack's history.
func (c *invocation) remember(stack *automation.Stack, f *forecast, took []report.ResourceEvent) {
	for _, event := range took {
		if op := event.Estimated(); op != "" && event.Status == report.StatusDone {
			f.history.Add(op, event.ResourceType, event.Seconds)
		}
	}
	if len(took) > 0 {
		if err := f.history.Save(stack.DurationsFile()); err != nil {
			c.say("warning: %s", err)
		}
	}
}
