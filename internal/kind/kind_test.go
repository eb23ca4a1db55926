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
		require.Equal(t, name, Of(name).Kind.Kind)
		require.True(t, stacks.Kinds().IsKey(config.ProjectName+":"+Of(name).KubeconfigKey), "%s: %s", name, Of(name).KubeconfigKey)
	}
}

func TestResourcesOfAClusterAreTaggedWithItsInfraIDOrItsName(t *testing.T) {
	t.Parallel()
	cluster := &config.Cluster{}
	cluster.Name, cluster.InfraID = "demo", "demo-x1"
	require.Equal(t, "demo-x1", Of(config.KindCluster).Cluster.ID(cluster))
	capa := &config.CAPA{}
	capa.Name = "demo"
	require.Equal(t, "demo", Of(config.KindCAPA).Cluster.ID(capa))
	require.Nil(t, Of(config.KindManagement).Cluster, "no cluster depends on a management account alone")
}
