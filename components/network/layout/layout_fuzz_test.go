package layout

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzVPCCIDRs: whatever text is given, it is refused or laid out in subnets that AWS takes.
func FuzzVPCCIDRs(f *testing.F) {
	for _, seed := range []string{"", "10.0.0.0/16", "10.0.0.0/20", "10.0.0.1/16", "0.0.0.0/0", "::/16", "10.0.0.0/33",
		"10.132.0.0/16", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		layout, err := New(text, HostedReserved())
		if err != nil {
			return
		}
		vpc := netip.MustParsePrefix(layout.VPC())
		seen := map[string]bool{}
		for slot := range Slots {
			for _, cidr := range []string{layout.Public(slot), layout.Private(slot)} {
				subnet := netip.MustParsePrefix(cidr)
				require.True(t, vpc.Contains(subnet.Addr()) && subnet.Bits() >= 16 && subnet.Bits() <= 28, cidr)
				require.False(t, seen[cidr], cidr)
				seen[cidr] = true
				found, ok := layout.Slot(cidr)
				require.True(t, ok)
				require.Equal(t, slot, found)
			}
		}
	})
}
