package estimate

import (
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Text returns how long the steps take and what decides it: "about 2 min 20 s: VPC, subnet, NAT gateway, route". The
// label is the name of a type in messages. It is "" if there are no steps.
func Text(e forecast.Time, label func(token string) string) string {
	if len(e.Chain) == 0 {
		return ""
	}
	return "about " + report.RoundTime(e.Total) + ": " + Path(e, label)
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
