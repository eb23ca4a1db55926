package privatelink

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/network"
)

func TestZonesAreComparedByIDAndAMismatchShowsBothAccountsAndARemedy(t *testing.T) {
	t.Parallel()
	guest := network.ZoneTable{
		Account: "111111111111",
		Rows:    []network.ZoneRow{{Name: "us-east-1a", ID: "use1-az4"}, {Name: "us-east-1b", ID: "use1-az6"}},
	}
	management := network.ZoneTable{
		Account: "222222222222",
		Rows:    []network.ZoneRow{{Name: "us-east-1a", ID: "use1-az6"}, {Name: "us-east-1b", ID: "use1-az4"}},
	}
	covered := CoverageOf([]Balancer{{ZoneIDs: []string{"use1-az6"}}, {ZoneIDs: []string{"use1-az6"}}})
	require.NoError(t, CheckZones(guest, management, []network.Zone{{Name: "us-east-1b"}}, covered))

	err := CheckZones(guest, management, []network.Zone{{Name: "us-east-1b"}, {Name: "us-east-1a"}}, covered)
	require.EqualError(t, err, `[1]: "us-east-1a" is use1-az4 in account 111111111111, which the service behind the load balancers does not cover, `+
		`so no endpoint can be created there; use us-east-1b (use1-az6)`)
	var mismatch *ZoneMismatch
	require.ErrorAs(t, err, &mismatch)
	require.Equal(t, ""+
		"zone ID      guest 111111111111     management 222222222222    covered\n"+
		"use1-az4     us-east-1a             us-east-1b                 no\n"+
		"use1-az6     us-east-1b             us-east-1a                 yes\n", mismatch.Table())
}
