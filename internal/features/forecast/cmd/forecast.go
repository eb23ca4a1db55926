// Package cmd has the command prices, and the forecast of the plans of up, preview and destroy.
package cmd

import (
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast"
)

// Feature returns the command prices, and what up, preview and destroy show of a forecast.
func Feature() invocation.Feature {
	return invocation.Feature{
		Name:     "forecast",
		Commands: invocation.Adds(pricesCommand),
		Up: func(c *invocation.Invocation, up *invocation.UpCommand) {
			c.AddPrices(up.Command)
			up.PlanParts = append(up.PlanParts, planPart())
		},
		Preview: func(c *invocation.Invocation, preview *invocation.PreviewCommand) {
			c.AddPrices(preview.Command)
			preview.PlanParts = append(preview.PlanParts, planPart())
		},
		Destroy: func(_ *invocation.Invocation, destroy *invocation.DestroyCommand) {
			destroy.PlanParts = append(destroy.PlanParts, planPart())
		},
	}
}

// planPart shows the time, the cost and the policies of a plan.
func planPart() invocation.PlanPart {
	return invocation.PlanPart{
		Text: func(event *automation.PlannedEvent, width int, details bool) string {
			return forecast.Text(event.Forecast, width, details)
		},
		JSON: func(out *invocation.JSONLines, event *automation.PlannedEvent) {
			view.WriteTime(out, event.Forecast)
			out.Write("cost", event.Forecast.Cost)
			out.Write("policies", event.Forecast.Policies)
		},
	}
}
