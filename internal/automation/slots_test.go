package automation

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestASubnetsSlotIsReadOffItsAddresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		vpc, subnet string
		slot        int
	}{
		{"10.0.0.0/16", "10.0.0.0/20", 0},
		{"10.0.0.0/16", "10.0.32.0/20", 2},
		{"10.0.0.0/16", "10.0.112.0/20", 7},
		{"10.0.0.0/16", "10.0.128.0/20", 0},
		{"10.0.0.0/16", "10.0.160.0/20", 2},
		{"10.0.16.0/20", "10.0.31.0/24", 7},
		{"172.20.64.0/18", "172.20.100.0/22", 1},
	} {
		slot, ok := slotOf(test.vpc, test.subnet)
		assert.True(t, ok, "%s in %s", test.subnet, test.vpc)
		assert.Equal(t, test.slot, slot, "%s in %s", test.subnet, test.vpc)
	}
}

func TestOtherSubnetsHaveNoSlot(t *testing.T) {
	t.Parallel()
	for _, test := range [][2]string{
		{"10.0.0.0/16", "10.1.0.0/20"},
		{"10.0.0.0/16", "10.0.0.0/24"},
		{"10.0.0.0/16", "nonsense"},
		{"", "10.0.0.0/20"},
		{"fd00::/56", "fd00::/60"},
	} {
		_, ok := slotOf(test[0], test[1])
		assert.False(t, ok, "%s in %s", test[1], test[0])
	}
}

func TestPublicAndPrivateSubnetOfAZoneHaveOneSlot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		slot := rapid.IntRange(0, 7).Draw(t, "slot")
		second := rapid.IntRange(0, 255).Draw(t, "second octet")
		vpc := fmt.Sprintf("10.%d.0.0/16", second)
		for _, third := range []int{16 * slot, 128 + 16*slot} {
			got, ok := slotOf(vpc, fmt.Sprintf("10.%d.%d.0/20", second, third))
			if !ok || got != slot {
				t.Fatalf("third octet %d is slot %d (%v), not %d", third, got, ok, slot)
			}
		}
	})
}
