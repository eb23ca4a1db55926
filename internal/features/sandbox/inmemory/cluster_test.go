package inmemory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClustersOfOneContextInTwoFoldersHaveTwoAddresses(t *testing.T) {
	t.Parallel()
	address := func(dir string) string {
		cluster, err := OpenCluster(dir, "", "", nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, cluster.Close()) }()
		return cluster.Address()
	}
	first, second := t.TempDir(), t.TempDir()
	require.NotEqual(t, address(first), address(second))
	require.Equal(t, address(first), address(first))
}
