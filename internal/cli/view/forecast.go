// Package view shows what several commands have in common: a plan, its time, and summaries in Markdown.
package view

import (
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// forecastTime is the estimated time for programs.
type forecastTime struct {
	Seconds float64  `json:"seconds"`
	Chain   []string `json:"chain"`
}

// WriteTime writes the estimated time of a plan for programs.
func WriteTime(out *invocation.JSONLines, f *forecast.Forecast) {
	chain := []string{}
	for _, step := range f.Time.Chain {
		chain = append(chain, step.URN)
	}
	out.Write("time", forecastTime{Seconds: f.Time.Total.Seconds(), Chain: chain})
}
