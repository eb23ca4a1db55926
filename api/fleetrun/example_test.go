package fleetrun_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
)

// The outcomes of a fleet tell which stacks have not succeeded.
func ExampleOutcome() {
	outcomes := map[string]fleetrun.Outcome{
		"east": {Status: fleetrun.Succeeded},
		"west": {Status: fleetrun.Locked, Problem: "stack west is locked"},
	}
	for id, outcome := range outcomes {
		if outcome.Status != fleetrun.Succeeded {
			fmt.Println(id, outcome.Status, outcome.Problem)
		}
	}
	// Output: west locked stack west is locked
}
