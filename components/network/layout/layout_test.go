package layout

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// vpcs draws every network address from /16 to /24 that can be a VPC's.
func vpcs() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		bits := rapid.IntRange(LargestVPC, SmallestVPC).Draw(t, "bits")
		base := rapid.SampledFrom([]string{"10.0.0.0/9", "172.16.0.0/13", "192.168.0.0/16", "198.18.0.0/15"}).Draw(t, "base")
		prefix := netip.MustParsePrefix(base)
		address := prefix.Addr().As4()
		address[1] += byte(rapid.IntRange(0, 1<<max(0, 16-prefix.Bits())-1).Draw(t, "second"))
		address[2] = byte(rapid.IntRange(0, 255).Draw(t, "third"))
		return netip.PrefixFrom(netip.AddrFrom4(address), bits).Masked().String()
	})
}

func TestSubnetsAreInTheVPCAndNeverOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cidr := vpcs().Draw(t, "vpc")
		layout, err := New(cidr, AWSReserved())
		require.NoError(t, err)
		vpc := netip.MustParsePrefix(cidr)
		var subnets []netip.Prefix
		for slot := range rapid.IntRange(1, Slots).Draw(t, "zones") {
			subnets = append(subnets, netip.MustParsePrefix(layout.Public(slot)), netip.MustParsePrefix(layout.Private(slot)))
		}
		for i, subnet := range subnets {
			require.True(t, vpc.Contains(subnet.Addr()), "%s in %s", subnet, vpc)
			require.Equal(t, vpc.Bits()+4, subnet.Bits())
			require.Equal(t, subnet.Masked(), subnet)
			for _, other := range subnets[:i] {
				require.False(t, subnet.Overlaps(other), "%s and %s", subnet, other)
			}
		}
	})
}

func TestTheSlotOfASubnetIsFoundByItsCIDR(t *testing.T) {
	t.Parallel()
	layout, err := New("10.20.0.0/18", HostedReserved())
	require.NoError(t, err)
	for slot := range Slots {
		for _, cidr := range []string{layout.Public(slot), layout.Private(slot)} {
			got, ok := layout.Slot(cidr)
			require.True(t, ok)
			require.Equal(t, slot, got)
		}
	}
	_, ok := layout.Slot("10.0.0.0/20")
	require.False(t, ok)
}

func TestASlash16HasHyperShiftsSubnets(t *testing.T) {
	t.Parallel()
	layout, err := New("", HostedReserved())
	require.NoError(t, err)
	for slot := range Slots {
		require.Equal(t, fmt.Sprintf("10.0.%d.0/20", 16*slot), layout.Public(slot))
		require.Equal(t, fmt.Sprintf("10.0.%d.0/20", 128+16*slot), layout.Private(slot))
	}
}

func TestAnUnsuitableCIDRIsRefusedWithASuitableOne(t *testing.T) {
	t.Parallel()
	for cidr, want := range map[string]string{
		"ten":            "is not an IPv4 CIDR",
		"10.0.0.0":       "is not an IPv4 CIDR",
		"fd00::/16":      "is not an IPv4 CIDR",
		"10.0.1.0/16":    "use 10.0.0.0/16",
		"10.0.0.0/25":    "is too small",
		"10.0.0.0/15":    "is larger than AWS allows for a VPC",
		"10.133.0.0/16":  "the cluster network",
		"172.31.16.0/20": "the service network",
		"100.64.0.0/16":  "OVN-Kubernetes' join subnet",
		"169.254.0.0/16": "the link-local network",
		"172.20.0.0/16":  "overlaps 172.20.0.1/32, the API server's address on each node",
	} {
		_, err := New(cidr, HostedReserved())
		require.ErrorContains(t, err, want, cidr)
		require.Len(t, fault.In(err), 1)
	}
}
