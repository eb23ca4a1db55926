package pullrequest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	api "github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Comment is the content of a comment on one stack.
type Comment struct {
	// Stack is the stack's name, and Label marks its environment, "" for AWS.
	Stack string
	Label string
	// Plan is what an update would do; nil for a drift only.
	Plan *changes.Plan
	// Guarded are the steps that `up` would refuse, and Refused the other reasons why it would refuse the plan.
	Guarded []changes.Refusal
	Refused []string
	// Drift is the differences between AWS and the state, if DriftChecked is set.
	Drift        []changes.Difference
	DriftChecked bool
	// Given are the differences of existing resources that the stack's file names, with what they break.
	Given []string
	// Time is the estimated time as text; "" if unknown.
	Time string
	// Cost and Policies are Markdown; the first line of Cost is its total.
	Cost, Policies string
}

// OfPreview adds to the comment on a preview why the update would be refused, its time, its cost and the policies.
func OfPreview(
	comment Comment, refusals []operation.Refusal, unanswered error, of *api.Forecast,
) Comment {
	if unanswered != nil {
		comment.Refused = append(comment.Refused, "the management cluster does not answer: "+unanswered.Error())
	}
	for _, r := range refusals {
		var guard *changes.GuardError
		if errors.As(r.Err, &guard) { // the comment has a list of its steps
			comment.Guarded = append(comment.Guarded, guard.Refusals...)
			continue
		}
		comment.Refused = append(comment.Refused, r.Err.Error())
	}
	comment.Time, comment.Cost, comment.Policies = forecast.Markdown(of)
	return comment
}

// Markdown returns the comment, at most Limit long.
func (c Comment) Markdown() string {
	p := &page{limit: Limit}
	p.add("### hypershift-aws: stack " + code(c.Stack) + marked(c.Label) + "\n\n")
	c.body(p, true)
	return p.b.String()
}

// body writes the content about the stack, with details if detailed is set.
func (c Comment) body(p *page, detailed bool) {
	if c.Plan != nil {
		c.summary(p)
	}
	c.drift(p, detailed)
	if !detailed {
		return
	}
	if len(c.Guarded) > 0 {
		p.details("Allow the refused changes in the stack's file, while the stack has resources with these IDs",
			lines(changes.AllowText(config.AllowKey, c.Guarded)), true)
	}
	if c.Plan != nil {
		p.details("Changes, resource by resource", lines(plan.Text(c.Plan, plan.Layout{})), true)
	}
	p.details("Cost", lines(c.Cost), false)
	p.details("Policies", lines(c.Policies), false)
}

// marked returns the label of an environment behind a title.
func marked(label string) string {
	if label == "" {
		return ""
	}
	return " (" + label + ")"
}

func (c Comment) summary(p *page) {
	p.add("**" + plan.CountsText(c.Plan) + "**\n")
	if c.Time != "" {
		p.add("\nTime: " + Escape(c.Time) + "\n")
	}
	if first, _, _ := strings.Cut(c.Cost, "\n"); first != "" {
		p.add("\n" + first + "\n")
	}
	var allowed, others []changes.Refusal
	for _, r := range plan.Explain(c.Plan) {
		switch {
		case r.Unguarded:
			others = append(others, r)
		case !c.guards(r):
			allowed = append(allowed, r)
		}
	}
	p.list(":no_entry: **A running cluster depends on these; `up` refuses the plan without `--allow` for each:**", byCause(c.Guarded))
	p.list(":warning: **A running cluster depends on these, and the stack's file allows them:**", byCause(allowed))
	p.list(":warning: **Replaced or deleted:**", byCause(others))
	var refused []string
	for _, reason := range c.Refused {
		refused = append(refused, Escape(reason))
	}
	p.list(":no_entry: **`up` would refuse this plan:**", refused)
}

// guards reports whether `up` would refuse a step.
func (c Comment) guards(step changes.Refusal) bool {
	return slices.ContainsFunc(c.Guarded, func(r changes.Refusal) bool {
		return r.Name == step.Name && r.ID == step.ID && r.Change == step.Change
	})
}

// byCause returns the items of a list of refusals. The first of those with one cause has the input and the remedy, and
// the others are below it.
func byCause(refusals []changes.Refusal) (items []string) {
	for _, group := range changes.ByCause(refusals) {
		for i, r := range group {
			item := fmt.Sprintf("**%s** %s %s: %s", r.Change, r.Kind, code(r.Name), code(r.Because))
			switch {
			case i > 0:
				item = "  - " + item
			case r.Input != "":
				item += ", set by " + code(r.Input)
			}
			if i == 0 && r.Remedy != "" {
				item += "; instead: " + Escape(r.Remedy)
			}
			items = append(items, item)
		}
	}
	return items
}

func (c Comment) drift(p *page, detailed bool) {
	var given []string
	for _, line := range c.Given {
		given = append(given, Escape(line))
	}
	if detailed {
		p.list(":warning: **Existing resources differ from what the cluster needs:**", given)
	} else if len(given) > 0 {
		p.add(fmt.Sprintf("\n:warning: **%s of existing resources.**\n", report.Number(len(given), "difference")))
	}
	switch {
	case !c.DriftChecked:
		return
	case len(c.Drift) == 0:
		p.add("\nDrift: none; AWS matches the state.\n")
		return
	}
	gone := 0
	for _, d := range c.Drift {
		if d.Gone {
			gone++
		}
	}
	what := report.Number(len(c.Drift), "resource") + " changed"
	switch gone {
	case 0:
	case len(c.Drift):
		what = report.Number(gone, "resource") + " deleted"
	default:
		what = fmt.Sprintf("%s changed and %d deleted", report.Number(len(c.Drift)-gone, "resource"), gone)
	}
	p.add("\n:warning: **Drift: " + what + " outside the stack.**\n")
	if detailed {
		p.details("Drift", lines(plan.DriftText(c.Drift)), true)
	}
}

func lines(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
