package adopt

import (
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
	left := func(id, why string) takeover.Item {
		return takeover.Item{Action: takeover.Leave, Type: "aws:ec2/instance:Instance", ID: id, Why: why}
	}
	require.Contains(t, Text(&takeover.Review{Items: []takeover.Item{left("i-1", "of the operators"), left("i-2", "of the operators")}}),
		"not adopted (2): of the operators\n  instance i-1\n  instance i-2\n")
	require.Contains(t, Text(&takeover.Review{Items: []takeover.Item{left("i-1", "of the operators"), left("i-2", "another")}}),
		"not adopted (2)\n  instance i-1  [of the operators]\n  instance i-2  [another]\n")
	require.Contains(t, Text(&takeover.Review{Items: []takeover.Item{left("i-1", "alone")}}), "not adopted (1)\n  instance i-1  [alone]\n")
}
