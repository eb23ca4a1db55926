package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACountHasItsNounInTheRightNumber(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 resources": Number(0, "resource"), "1 resource": Number(1, "resource"), "2 resources": Number(2, "resource"),
		"1 policy": Number(1, "policy"), "2 policies": Number(2, "policy"), "2 gateways": Number(2, "gateway"), "2 stashes": Number(2, "stash"),
		"2 DHCP options": Number(2, "DHCP options"), "2 addresses": Number(2, "address"), "is": Are(1), "are": Are(2),
	} {
		require.Equal(t, want, got)
	}
}
