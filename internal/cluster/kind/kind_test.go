package kind

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestEachKindOfStackHasItsEntry(t *testing.T) {
	t.Parallel()
	for _, name := range stacks.Kinds().Names() {
		require.Equal(t, name, Of(name).Name)
		require.True(t, stacks.Kinds().IsKey(config.ProjectName+":"+Of(name).KubeconfigKey), "%s: %s", name, Of(name).KubeconfigKey)
	}
}

func TestOnlyClustersOfHyperShiftHaveAnInfraID(t *testing.T) {
	t.Parallel()
	cluster := &config.Cluster{}
	cluster.Name, cluster.InfraID = "demo", "demo-x1"
	_, _, infraID := Of(config.KindCluster).Cluster.Identify(cluster)
	require.Equal(t, "demo-x1", infraID)
	capa := &config.CAPA{}
	capa.Name = "demo"
	name, _, infraID := Of(config.KindCAPA).Cluster.Identify(capa)
	require.Equal(t, "demo", name)
	require.Empty(t, infraID, "its name tags its resources")
	require.Nil(t, Of(config.KindManagement).Cluster, "no cluster depends on a management account alone")
}
