package forecast

import (
	"context"

	api "github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// Feature estimates the time and the cost of a plan, and learns from each change how long operations take.
type Feature struct {
	run.NoFeature

	// Prices returns the prices.
	Prices func() (price.Table, error)
	made   *Run
}

var _ run.Feature = (*Feature)(nil)

// Planned adds the time and the cost to the forecast.
func (f *Feature) Planned(_ context.Context, r *run.Operation, p *run.Planned) error {
	prices, err := f.Prices()
	if err != nil {
		return err
	}
	made, err := New(Inputs{
		Plan:      p.Plan,
		Prices:    prices,
		Durations: r.Stack.DurationsFile(),
		Parallel:  r.Engine.Parallel(),
		Timing:    r.Session.Environment.Timing(),
	})
	if err != nil {
		r.Say("warning: %s", err)
	}
	policies := p.Forecast.Policies
	*p.Forecast = made.Forecast
	p.Forecast.Policies, p.Remaining, f.made = policies, made.Remaining(), made
	return nil
}

// Ended records how long the operations of a change took. Where AWS takes no time, nothing is recorded.
func (f *Feature) Ended(_ context.Context, r *run.Operation, _ *run.Planned, err error) error {
	if r.Verb == gates.Preview || !r.Session.Environment.Timing().Measured {
		return err
	}
	if unsaved := f.made.Learn(r.Took()); unsaved != nil {
		r.Say("warning: %s", unsaved)
	}
	return err
}

// Time estimates the time of a plan alone.
func Time(r *run.Operation, planned Inputs) *api.Forecast {
	planned.Durations, planned.Timing = r.Stack.DurationsFile(), r.Session.Environment.Timing()
	planned.Parallel = r.Engine.Parallel()
	f, unread := Timed(planned)
	if unread != nil {
		r.Say("warning: %s", unread)
	}
	return &f.Forecast
}
