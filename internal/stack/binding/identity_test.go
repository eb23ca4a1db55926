package binding

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// countedCluster counts how often it is asked.
type countedCluster struct {
	address, uid string
	err          error
	asked        int
}

func (c *countedCluster) ClusterUID(context.Context) (string, error) {
	c.asked++
	return c.uid, c.err
}

func (c *countedCluster) Address() string { return c.address }

func TestAFleetRunAsksEachManagementClusterOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := &workspace.Session{Environ: engine.Environ{AnswersVariable + "=" + dir}}
	first, second := &countedCluster{address: "https://a", uid: "u-1"}, &countedCluster{address: "https://b", uid: "u-2"}
	for range 1000 {
		for _, cluster := range []*countedCluster{first, second} {
			uid, err := ClusterUID(t.Context(), run, cluster)
			require.NoError(t, err)
			require.Equal(t, cluster.uid, uid)
		}
	}
	require.Equal(t, []int{1, 1}, []int{first.asked, second.asked})

	silent := &countedCluster{address: "https://c", err: errors.New("timeout")}
	restricted := &countedCluster{address: "https://d"}
	for range 2 {
		_, err := ClusterUID(t.Context(), run, silent)
		require.ErrorIs(t, err, silent.err)
		uid, err := ClusterUID(t.Context(), run, restricted)
		require.NoError(t, err)
		require.Empty(t, uid)
	}
	require.Equal(t, []int{2, 2}, []int{silent.asked, restricted.asked}, "only answers are kept")

	alone := &workspace.Session{}
	for range 2 {
		_, err := ClusterUID(t.Context(), alone, first)
		require.NoError(t, err)
	}
	require.Equal(t, 3, first.asked, "without a fleet run each process asks")

	kept, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, path := range kept {
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-believedFor)))
	}
	_, err = ClusterUID(t.Context(), run, first)
	require.NoError(t, err)
	require.Equal(t, 4, first.asked, "an old answer is not believed")
}
