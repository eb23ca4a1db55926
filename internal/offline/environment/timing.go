package environment

import (
	"context"
	"time"
)

// Timing is how long AWS takes in an environment.
type Timing struct {
	// Heading is the heading of the time that a plan would take on AWS.
	Heading string
	// Measured is true if operations take as long as on AWS: their durations are recorded, and the remaining time is shown.
	Measured bool
	// Ready is how often a hosted cluster is read that is awaited, Deletion how often one that is deleted.
	Ready, Deletion time.Duration
	// divisor is how much faster than AWS the environment is.
	divisor time.Duration
}

func onAWS() Timing {
	return Timing{Heading: "time", Measured: true, Ready: 5 * time.Second, Deletion: time.Minute, divisor: 1}
}

func inMemory() Timing {
	return Timing{Heading: "time on AWS", Ready: 100 * time.Millisecond, Deletion: 800 * time.Millisecond, divisor: 1000}
}

// Wait waits until AWS has had this much time. It fails if the context ends before.
func (t Timing) Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d / t.divisor)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
