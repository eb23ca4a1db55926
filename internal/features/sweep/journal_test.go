package sweep

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// TestATagThatIsNoInfraIDIsNoPath has tags that made the sweep of each cluster fail, or read another file, when they
// were part of a path.
func TestATagThatIsNoInfraIDIsNoPath(t *testing.T) {
	t.Parallel()
	journals := t.TempDir()
	a := newFake()
	a.addCluster("prod-x1", now)
	require.NoError(t, a.run(journals, "prod-x1").Journal.Note(inventory.SweepEntry{Event: inventory.EventBegun, Youngest: now}))
	tags := []string{"../other", "PROD", "prod-x1.jsonl/x", "prod-x1\n"}
	for _, tag := range tags {
		a.add(inventory.Resource{
			Type: awstype.Instance,
			ID:   "i-" + tag,
			Tags: map[string]string{hypershift.ClusterTagPrefix + tag: "owned"},
		})
	}
	f, err := Search(t.Context(), a, journals, now, Everything)
	require.NoError(t, err)
	require.Equal(t, []string{"prod-x1"}, f.Clusters())
	require.ElementsMatch(t, tags, f.Ignored())
	require.Equal(t, now, f.Before["prod-x1"].Youngest)

	journal := NewJournal(journals, a.place, "../other")
	require.Empty(t, journal.Path())
	require.Error(t, journal.Note(inventory.SweepEntry{Event: inventory.EventBegun}))
	entries, err := os.ReadDir(journals)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
