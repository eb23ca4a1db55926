// Package view formats what several commands show of a plan or a stack: time, cost, policies, paths, pictures.
package view

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/forecasting"
)

// Options are the flags for the forecast of a plan.
type Options struct {
	// Policy is the value of --policy, and Picture the value of --picture.
	Policy, Picture string
}

// AddFlags adds the flags for the forecast of a plan.
func (o *Options) AddFlags(c *invocation.Invocation, cmd *cobra.Command) {
	c.AddPrices(cmd)
	AddPolicy(cmd, &o.Policy)
	cmd.Flags().StringVar(&o.Picture, "picture", "", "draw the stack and the plan into this `file`; its extension .html, .svg or .md is the format")
}

// AddPolicy adds --policy.
func AddPolicy(cmd *cobra.Command, value *string) {
	cmd.Flags().StringVar(value, "policy", "warn", "the `mode` for a plan that violates a policy: warn, or mandatory to refuse it")
	invocation.CompleteFlag(cmd, "policy", invocation.Fixed("warn", "mandatory"))
}

// Mandatory reports whether a violation of a policy is refused.
func (o Options) Mandatory() bool { return o.Policy == "mandatory" }

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

// ShowTime prints how long a plan takes, if that is known.
func ShowTime(c *invocation.Invocation, f *forecast.Forecast) {
	text := forecasting.TimeText(f, false)
	switch {
	case text == "":
	case c.JSON != nil:
		writeTime(c.JSON, f)
	default:
		c.SayText(strings.TrimSuffix(text, "\n"))
	}
}

// forecastTime is the estimated time for programs.
type forecastTime struct {
	Seconds float64  `json:"seconds"`
	Chain   []string `json:"chain"`
}

// writeForecast writes a forecast for programs.
func writeForecast(out *invocation.JSONLines, f *forecast.Forecast) {
	writeTime(out, f)
	out.Write("cost", f.Cost)
	out.Write("policies", f.Policies)
}

func writeTime(out *invocation.JSONLines, f *forecast.Forecast) {
	chain := []string{}
	for _, step := range f.Time.Chain {
		chain = append(chain, step.URN)
	}
	out.Write("time", forecastTime{Seconds: f.Time.Total.Seconds(), Chain: chain})
}
