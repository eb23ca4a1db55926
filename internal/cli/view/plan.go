package view

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// logWidth is the number of columns of a plan that is not written to a terminal, and pageWidth the largest number on a
// terminal.
const (
	logWidth  = 80
	pageWidth = 150
)

// AddDetails adds --details.
func AddDetails(cmd *cobra.Command, details *bool) {
	cmd.Flags().BoolVar(details, "details", false, "show each resource, all values, each price with its source, each finding of a policy, and the raw text of errors")
}

// ShowPlan returns what shows a plan under a title with the stack's name, and the parts below it: on stdout or, with
// -o json, as objects there. details may be set later.
func ShowPlan(
	c *invocation.Invocation, title string, parts []invocation.PlanPart, details *bool,
) func(automation.Event) {
	if *details {
		c.ShowRaw()
	}
	return func(event automation.Event) {
		e, ok := event.(*automation.PlannedEvent)
		if !ok {
			return
		}
		text := planText{PlannedEvent: e, title: title, parts: parts, details: *details}
		text.asks = c.Streams.Asks && !c.Yes && e.Operation != gates.Preview
		onStderr := func(text planText) string { return text.in(c.Streams.Width, c.Style(c.Streams.Width)) }
		if text.asks && !text.details {
			detailed := text
			detailed.details = true
			c.OfferDetails(func() string { return onStderr(detailed) })
		}
		if c.JSON != nil {
			for _, part := range parts {
				part.JSON(c.JSON, e)
			}
			for _, step := range plan.Events(e.Plan) {
				c.JSON.Report(step)
			}
		} else {
			c.Print(text.in(c.Streams.OutWidth, c.Style(c.Streams.OutWidth)))
		}
		if text.asks && (c.JSON != nil || c.Streams.OutWidth == nil) {
			c.SayText(onStderr(text)) // stdout is elsewhere, and the question follows
		}
	}
}

// NotCompared returns the part of a plan that says what a preview doesn't look at: it compares the stack's file with
// its state, and AWS with the state only if compared returns true.
func NotCompared(compared func() bool) invocation.PlanPart {
	return invocation.PlanPart{
		Text: func(e *automation.PlannedEvent, _ int, _ bool) string {
			if compared() || len(e.Plan.Before) == 0 {
				return ""
			}
			return fmt.Sprintf("not compared with AWS: `hypershift-aws drift -s %s` shows what was changed outside the stack\n", e.Stack)
		},
		JSON: func(*invocation.JSONLines, *automation.PlannedEvent) {},
	}
}

// planText is a plan as text.
type planText struct {
	*automation.PlannedEvent
	title   string
	parts   []invocation.PlanPart
	details bool
	// asks is true if a question follows that can be answered with "details".
	asks bool
}

// in returns the text for a stream with this width, which is nil if it is not a terminal.
func (t planText) in(columns func() int, style report.Style) string {
	layout := plan.Layout{
		Width: logWidth, Details: t.details, Style: style, Refused: t.Refused, Destroy: t.Operation == gates.Destroy,
	}
	if columns != nil {
		layout.Width = min(columns(), pageWidth)
	}
	if t.details {
		layout.Width = 0
	}
	text := t.title + " " + t.Stack + ":\n" + plan.Text(t.Plan, layout)
	for _, part := range t.parts {
		text += part.Text(t.PlannedEvent, layout.Width, t.details)
	}
	if !t.details && !t.asks && t.Plan.Counts().Changes() > 0 {
		text += style.Paint(report.Dim, "--details shows each resource, value, price and finding") + "\n"
	}
	return text
}
