package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

func TestAsReturnsASectionOnlyAsWhatItIs(t *testing.T) {
	t.Parallel()
	cluster := &Cluster{Cluster: hypershift.Cluster{Name: "demo"}}
	file := &File{Config: Config{Kind: KindCluster, Section: cluster}}
	require.Same(t, cluster, As[*Cluster](file))
	require.Same(t, cluster, As[*Cluster](&file.Config))
	require.Nil(t, As[*CAPA](file))
	require.NotNil(t, As[TaggedSection](file))
	require.Nil(t, As[MachineNetwork](file))
	require.Nil(t, As[*Cluster]((*File)(nil)))
	require.Nil(t, As[TaggedSection]((*Config)(nil)))
	require.Nil(t, As[*Cluster](&File{}), "a file that could not be read")
}

func TestOnlyASectionOfAClusterHasAnIdentity(t *testing.T) {
	t.Parallel()
	require.Equal(t, ClusterIdentity{Object: "HostedCluster", Relation: PartOfCluster, Name: "demo", InfraID: "demo-x1"},
		IdentityOf(&Network{Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}}))
	require.Zero(t, IdentityOf(&Management{}))
	require.Zero(t, IdentityOf(nil))
}

func TestACreatedVPCHasItsDefaultCIDR(t *testing.T) {
	t.Parallel()
	c := &Cluster{}
	require.Equal(t, []string{"10.0.0.0/16"}, c.VPCCIDRs())
	c.NetworkStack = "net"
	require.Nil(t, c.VPCCIDRs(), "another stack creates it")
}
