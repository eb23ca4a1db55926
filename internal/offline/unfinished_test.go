package offline

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// TestTheRecordOfATypeSaysWhatAKilledCreationLeaves compares what recovery expects of a creation that was killed
// between two requests with the requests of the provider.
func TestTheRecordOfATypeSaysWhatAKilledCreationLeaves(t *testing.T) {
	t.Parallel()
	for _, record := range awstype.All() {
		var sets []string
		for _, further := range aws.Further(record.Token, props.Map{"tags": map[string]any{"a": "b"}}) {
			sets = append(sets, further...)
		}
		require.Equal(t, slices.Contains(sets, "tags"), record.Find.TaggedLater, record.Token)
		for _, output := range record.Find.Emptied {
			require.Contains(t, sets, output, record.Token)
		}
	}
}
