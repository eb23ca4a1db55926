package binding_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestEachKindOfStackHasItsEntry(t *testing.T) {
	t.Parallel()
	for _, name := range stacks.Kinds().Names() {
		require.Equal(t, name, kind.ByName(name).Name)
		require.True(t, stacks.Kinds().IsKey(config.ProjectName+":"+kind.ByName(name).KubeconfigKey), "%s: %s", name, kind.ByName(name).KubeconfigKey)
	}
}

func TestOnlyClustersOfHyperShiftHaveAnInfraID(t *testing.T) {
	t.Parallel()
	cluster := &config.Cluster{}
	cluster.Name, cluster.InfraID = "demo", "demo-x1"
	_, _, infraID := kind.ByName(config.KindCluster).Cluster.Identify(cluster)
	require.Equal(t, "demo-x1", infraID)
	capa := &config.CAPA{}
	capa.Name = "demo"
	name, _, infraID := kind.ByName(config.KindCAPA).Cluster.Identify(capa)
	require.Equal(t, "demo", name)
	require.Empty(t, infraID, "its name tags its resources")
	require.Nil(t, kind.ByName(config.KindManagement).Cluster, "no cluster depends on a management account alone")
}
