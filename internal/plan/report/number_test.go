package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestACountHasItsNounInTheRightNumber(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 resources": Number(0, "resource"), "1 resource": Number(1, "resource"), "2 resources": Number(2, "resource"),
		"1 policy": Number(1, "policy"), "2 policies": Number(2, "policy"), "2 gateways": Number(2, "gateway"),
		"2 stashes":      Number(2, "stash"),
		"2 DHCP options": Number(2, "DHCP options"), "2 addresses": Number(2, "address"), "is": Are(1), "are": Are(2),
	} {
		require.Equal(t, want, got)
	}
}

func TestDurationsAreRounded(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "1 s", 2 * time.Second: "2 s", 13 * time.Second: "15 s", 58 * time.Second: "1 min", 64 * time.Second: "1 min",
		138 * time.Second: "2 min 20 s", 11*time.Minute + 40*time.Second: "12 min", 65 * time.Minute: "1 h 5 min",
	} {
		require.Equal(t, want, RoundTime(d), "%s", d)
	}
}
