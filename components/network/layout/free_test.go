package layout

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func TestAProposedNetworkOverlapsNothing(t *testing.T) {
	t.Parallel()
	for _, taken := range []string{"10.0.0.0/16", "10.0.0.0/8", "10.0.0.0/9"} {
		networks := ClusterNetworks{ServiceCIDRs: []string{taken}}
		free := Free(networks.Reserved())
		_, err := New(free, networks.Reserved())
		require.NoError(t, err, taken)
		_, err = New("", networks.Reserved())
		require.Equal(t, "use a CIDR that does not overlap, such as "+free, fault.In(err)[0].Remedy)
	}
	first, err := New("10.16.0.0/16", AWSReserved())
	require.NoError(t, err)
	_, err = NewSecondary("10.16.0.0/16", first, ClusterNetworks{JoinCIDR: "100.64.0.0/15"}.Reserved())
	require.Contains(t, fault.In(err)[0].Remedy, "such as 100.66.0.0/16")
	require.True(t, netip.MustParsePrefix("100.64.0.0/10").Overlaps(netip.MustParsePrefix("100.66.0.0/16")))
}

// HyperShift judges the address too: checkAdvertiseAddressOverlapping of its hostedcluster controller.
func TestTheAddressOfTheAPIServerIsInNoOtherNetwork(t *testing.T) {
	t.Parallel()
	other := ClusterNetworks{AdvertiseAddress: "10.77.0.1"}
	_, err := New("172.20.0.0/16", other.Reserved())
	require.NoError(t, err)
	_, err = New("10.77.0.0/16", other.Reserved())
	require.ErrorContains(t, err, "overlaps 10.77.0.1/32")
	require.NoError(t, other.Validate())
	wrong := ClusterNetworks{AdvertiseAddress: "172.20.0.1/32"}
	require.ErrorContains(t, wrong.Validate(), `advertiseAddress: "172.20.0.1/32" is not an address`)
	require.Len(t, wrong.Reserved(), len(other.Reserved())-1)
}
