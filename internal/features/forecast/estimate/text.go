package estimate

import (
	"fmt"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

// Text returns how long the steps take and what decides it: "about 2 min 20 s: VPC, subnet, NAT gateway, route". The label is the name of a
// type in messages. It is "" if there are no steps.
func Text(e forecast.Time, label func(token string) string) string {
	if len(e.Chain) == 0 {
		return ""
	}
	return "about " + Round(e.Total) + ": " + Path(e, label)
}

// Path returns the operations that decide the time.
func Path(e forecast.Time, label func(token string) string) string {
	var names []string
	for _, s := range e.Chain {
		name := label(s.Type)
		switch s.Op {
		case forecast.Delete:
			name = "deleting " + name
		case forecast.Import:
			name = "importing " + name
		case forecast.Create, forecast.Update:
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// Round formats a duration with the precision of an estimate: "5 s", "2 min 20 s", "1 h 5 min".
func Round(d time.Duration) string {
	switch {
	case d < time.Minute-5*time.Second/2:
		return fmt.Sprintf("%d s", max(1, roundTo(d, 5*time.Second)/time.Second))
	case d < 10*time.Minute:
		d = roundTo(d, 10*time.Second)
	default:
		d = roundTo(d, time.Minute)
	}
	var parts []string
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
			d -= n * unit.size
		}
	}
	return strings.Join(parts, " ")
}

// roundTo rounds to a unit, and times below the unit to a second.
func roundTo(d, unit time.Duration) time.Duration {
	if d < unit {
		return d.Round(time.Second)
	}
	return d.Round(unit)
}
