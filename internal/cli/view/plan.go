package view

import (
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/forecasting"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// logWidth is the number of columns of a plan that is not written to a terminal, and pageWidth the largest number on a terminal.
const (
	logWidth  = 80
	pageWidth = 150
)

// AddDetails adds --details.
func AddDetails(cmd *cobra.Command, details *bool) {
	cmd.Flags().BoolVar(details, "details", false, "show each resource, all values, each price with its source, each finding of a policy, and the raw text of errors")
}

// ShowPlan returns what shows a plan under a title with the stack's name: on stdout or, with -o json, as objects there. details may be set
// later.
func ShowPlan(c *invocation.Invocation, title string, details *bool) func(automation.Event) {
	if *details {
		c.ShowRaw()
	}
	return func(event automation.Event) {
		e, ok := event.(*automation.PlannedEvent)
		if !ok {
			return
		}
		decides := c.Streams.Asks && !c.Yes && e.Operation != gates.Preview
		if decides && !*details {
			c.OfferDetails(func() string { return planText(e, title, true, true, c.Streams.Width, c.Style(c.Streams.Width)) })
		}
		if c.JSON != nil {
			writeForecast(c.JSON, e.Forecast)
			for _, step := range plan.Events(e.Plan) {
				c.JSON.Report(step)
			}
		} else {
			c.Print(planText(e, title, *details, decides, c.Streams.OutWidth, c.Style(c.Streams.OutWidth)))
		}
		if decides && (c.JSON != nil || c.Streams.OutWidth == nil) {
			c.SayText(planText(e, title, *details, decides, c.Streams.Width, c.Style(c.Streams.Width))) // stdout is elsewhere, and the question follows
		}
	}
}

// planText returns a plan with its forecast. offered is true if a question follows that can be answered with "details".
func planText(e *automation.PlannedEvent, title string, details, offered bool, columns func() int, style report.Style) string {
	layout := plan.Layout{Width: logWidth, Details: details, Style: style, Refused: e.Refused, Destroy: e.Operation == gates.Destroy}
	if columns != nil {
		layout.Width = min(columns(), pageWidth)
	}
	if details {
		layout.Width = 0
	}
	text := title + " " + e.Stack + ":\n" + plan.Text(e.Plan, layout) + forecasting.Text(e.Forecast, layout.Width, details)
	if !details && !offered && e.Plan.Counts().Changes() > 0 {
		text += style.Paint(report.Dim, "--details shows each resource, value, price and finding") + "\n"
	}
	return text
}
