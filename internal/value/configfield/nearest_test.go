package configfield

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheNearestKeyIsFoundInOtherSpellings(t *testing.T) {
	t.Parallel()
	known := []string{"existing", "id", "nat", "privateLinkAllowedCIDRs", "vpcCIDR", "zoneID", "zones"}
	for key, want := range map[string]string{
		"private_link_allowed_cidrs": "privateLinkAllowedCIDRs", "vpc-cidr": "vpcCIDR", "VPC_CIDR": "vpcCIDR", "ID": "id",
		"zoneId": "zoneID", "zone": "zones", "exist": "existing", "natt": "nat", "zon": "", "": "", "unlike": "",
	} {
		require.Equal(t, want, Nearest(key, known), key)
	}
}
