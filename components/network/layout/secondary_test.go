package layout

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSecondarySubnetsFillTheirCIDRWithoutOverlap(t *testing.T) {
	t.Parallel()
	first, err := New("10.0.0.0/16", HostedReserved())
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(LargestVPC, SmallestVPC).Draw(t, "bits")
		address := netip.AddrFrom4([4]byte{100, byte(rapid.IntRange(65,
			87).Draw(t, "second")), byte(rapid.IntRange(0, 255).Draw(t, "third")), 0})
		cidr := netip.PrefixFrom(address, bits).Masked()
		layout, err := NewSecondary(cidr.String(), first, HostedReserved())
		require.NoError(t, err)
		var seen []netip.Prefix
		for slot := range Slots {
			subnet := netip.MustParsePrefix(layout.Subnet(slot))
			require.Equal(t, bits+3, subnet.Bits())
			require.True(t, cidr.Contains(subnet.Addr()), "%s in %s", subnet, cidr)
			for _, other := range seen {
				require.False(t, subnet.Overlaps(other), "%s and %s", subnet, other)
			}
			seen = append(seen, subnet)
		}
	})
}
