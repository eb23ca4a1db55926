package kind_test

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
		require.Equal(t, name, kind.ByName(name).Kind)
		require.True(t, stacks.Kinds().IsKey(config.ProjectName+":"+kind.ByName(name).KubeconfigKey), "%s: %s", name,
			kind.ByName(name).KubeconfigKey)
	}
}

func TestOnlyClustersOfHyperShiftHaveAnInfraID(t *testing.T) {
	t.Parallel()
	cluster := &config.Cluster{}
	cluster.Name, cluster.InfraID = "demo", "demo-x1"
	require.Equal(t, "demo-x1", config.IdentityOf(cluster).InfraID)
	capa := &config.CAPA{}
	capa.Name = "demo"
	require.Equal(t, "demo", config.IdentityOf(capa).Name)
	require.Empty(t, config.IdentityOf(capa).InfraID, "its name tags its resources")
	require.Nil(t, kind.ByName(config.KindManagement).Cluster, "no cluster depends on a management account alone")
}

func TestTheNamespaceOfAClustersObjectIsBesideItsKubeconfig(t *testing.T) {
	t.Parallel()
	for name, key := range map[config.Kind]string{
		config.KindCluster: "cluster.hostedCluster.namespace", config.KindCAPA: "capa.namespace",
		config.KindNodePools: "nodePools.namespace",
	} {
		require.Equal(t, config.ProjectName+":"+key, kind.ByName(name).NamespaceKey())
		require.True(t, stacks.Kinds().IsKey(kind.ByName(name).NamespaceKey()), name)
	}
}
