package permissions

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// TestASweepMayListAndDeleteEachTypeThatItCovers: and its first statement deletes nothing.
func TestASweepMayListAndDeleteEachTypeThatItCovers(t *testing.T) {
	t.Parallel()
	documents := Sweep()
	require.Len(t, documents, 1)
	list, remove := documents[0].Statement[0], documents[0].Statement[1]
	for _, s := range awstype.Sweeps() {
		require.NotEmpty(t, s.Label, s.Token)
		require.Positive(t, s.Deletion.Rank, s.Token)
		require.NotEmpty(t, s.Sweep.Delete, s.Token)
		require.Subset(t, list.Action, s.Reads.Lists(), s.Token)
		require.Subset(t, remove.Action, s.Sweep.Delete, s.Token)
	}
	for _, action := range list.Action {
		require.Regexp(t, regexp.MustCompile(`:(Describe|List|Get)`), action)
	}
}
