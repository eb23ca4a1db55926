package layout

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func TestIPv6SubnetsAreInTheVPCAndNeverOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var address [16]byte
		copy(address[:7], rapid.SliceOfN(rapid.Byte(), 7, 7).Draw(t, "address"))
		address[0] = 0x20 | address[0]&0x1f // 2000::/3, the public addresses
		vpc := netip.PrefixFrom(netip.AddrFrom16(address), VPCIPv6)
		layout, err := NewIPv6(vpc.String())
		require.NoError(t, err)
		seen := map[string]bool{}
		for slot := range Slots {
			for _, cidr := range []string{layout.Public(slot), layout.Private(slot), layout.Secondary(slot)} {
				subnet := netip.MustParsePrefix(cidr)
				require.True(t, vpc.Contains(subnet.Addr()), "%s in %s", subnet, vpc)
				require.Equal(t, 64, subnet.Bits())
				require.Equal(t, subnet.Masked(), subnet)
				require.False(t, seen[cidr], cidr)
				seen[cidr] = true
			}
		}
	})
}

func TestTheNumberOfAnIPv6SubnetIsThatOfTheIPv4Subnet(t *testing.T) {
	t.Parallel()
	layout, err := NewIPv6("2001:db8:1234:5600::/56")
	require.NoError(t, err)
	require.Equal(t, "2001:db8:1234:5600::/64", layout.Public(0))
	require.Equal(t, "2001:db8:1234:5607::/64", layout.Public(7))
	require.Equal(t, "2001:db8:1234:5608::/64", layout.Private(0))
	require.Equal(t, "2001:db8:1234:560f::/64", layout.Private(7))
	require.Equal(t, "2001:db8:1234:5610::/64", layout.Secondary(0))
}

func TestOnlyANetworkThatAmazonProvidesIsDivided(t *testing.T) {
	t.Parallel()
	for _, cidr := range []string{"", "ten", "10.0.0.0/16", "2001:db8::/64", "2001:db8::/48", "2001:db8::1/56"} {
		_, err := NewIPv6(cidr)
		require.ErrorContains(t, err, "is not an IPv6 network of /56", cidr)
		require.Len(t, fault.In(err), 1)
	}
}
