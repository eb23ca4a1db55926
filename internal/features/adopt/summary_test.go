package adopt

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
)

// An adoption imports first and updates then: for the engine these are two updates, and for the user one adoption.
func TestTheSummaryOfAnAdoptionIsThatOfAllItsParts(t *testing.T) {
	t.Parallel()
	require.Nil(t, together(nil), "without a run of the engine nothing is said")
	imports := &event.Summary{
		Operation: "up", Stack: "dev", Result: "succeeded", Seconds: 3, Counts: event.Counts{Imported: 40, Created: 1},
	}
	rest := &event.Summary{
		Operation: "up", Stack: "dev", Result: "failed", Seconds: 2, Counts: event.Counts{Updated: 2, Same: 42},
	}
	whole := together([]*event.Summary{imports, rest})
	require.Equal(t, &event.Summary{
		Operation: "adopt", Stack: "dev", Result: "failed", Seconds: 5,
		Counts: event.Counts{Imported: 40, Created: 1, Updated: 2, Same: 1},
	}, whole)
	require.Equal(t, 42, rest.Same, "the parts stay as they are")
}

func TestAReasonThatAllResourcesOfAGroupHaveIsSaidOnce(t *testing.T) {
	t.Parallel()
	left := func(whys ...string) string {
		r := &takeover.Review{}
		for i, why := range whys {
			r.Items = append(r.Items, takeover.Item{
				Action: takeover.Leave, Type: "aws:ec2/instance:Instance", ID: "i-" + strconv.Itoa(i), Why: why,
			})
		}
		return Text(r)
	}
	require.Contains(t, left("same", "same"), "not adopted (2): same\n  instance i-0\n  instance i-1\n")
	require.Contains(t, left("same", "another"), "not adopted (2)\n  instance i-0  [same]\n  instance i-1  [another]\n")
	require.Contains(t, left("alone"), "not adopted (1)\n  instance i-0  [alone]\n")
}
