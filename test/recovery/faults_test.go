package recovery

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// faults returns the faults of a rehearsal, by name.
func faults() map[string]string {
	return map[string]string{
		"refused call":        `{call: 12, code: UnauthorizedOperation, message: You are not authorized to perform this operation.}`,
		"expired credentials": `{from: 20, code: ExpiredToken, message: The security token included in the request is expired}`,
		"dead engine":         `{call: 18, kill: engine}`,
		"dead program":        `{call: 22, kill: cli}`,
		"terminated program":  `{call: 14, kill: cli, signal: TERM}`,
	}
}

func TestUpSucceedsOrExplainsEachFault(t *testing.T) {
	t.Parallel()
	reference := harness.CreatedStack(t)
	want := reference.Graph()

	names := slices.Sorted(maps.Keys(faults()))
	rehearsals := map[string]string{
		"throttling":           `{throttle: {EC2: {burst: 4, perSecond: 40}, IAM: {burst: 2, perSecond: 30}}}`,
		"eventual consistency": `{scale: 0.01, settle: 20}`,
	}
	for i, name := range names {
		rehearsals[name] = `{faults: [` + faults()[name] + `]}`
		for _, other := range names[i+1:] {
			if sizes.All() {
				rehearsals[name+" and "+other] = `{faults: [` + faults()[name] + `, ` + faults()[other] + `]}`
			}
		}
	}
	for name, rehearsal := range sizes.Only(t, rehearsals, "dead engine", "refused call") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := harness.NewStack(t)
			run := e.With("HYPERSHIFT_AWS_OFFLINE_FAULTS=" + rehearsal)
			_, stderr, code := run.Exit("--offline", "up", "--yes")
			if code > 0 { // it has not been killed itself
				require.Contains(t, stderr, "error: ")
				require.NotContains(t, stderr, "without a word")
				require.NotContains(t, stderr, "panic")
			}
			e.UntilFree("--offline", "up", "--yes")
			require.Empty(t, harness.Differences(want, e.Graph()), "the end state")
			e.RequireTrue()
			e.Run("--offline", "destroy", "--yes")
			e.RequireTrue()
		})
	}
}
