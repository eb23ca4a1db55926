package layout

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestARangeThatNoOrganizationHasIsTheInternet(t *testing.T) {
	t.Parallel()
	for cidr, internet := range map[string]bool{
		"0.0.0.0/0": true, "0.0.0.0/1": true, "128.0.0.0/1": true, "64.0.0.0/7": true, "::/0": true, "2000::/3": true,
		"::ffff:0:0/0": true,
		"10.0.0.0/8":   false, "203.0.113.0/24": false, "172.16.0.0/12": false, "fc00::/7": false, "2001:db8::/32": false,
		"": false, "pl-0123": false,
	} {
		assert.Equal(t, internet, IsInternet(cidr), cidr)
	}
}

func TestPublicAddressesAreThoseOfNoSpecialRange(t *testing.T) {
	t.Parallel()
	for cidr, public := range map[string]bool{
		"172.32.0.0/16": true, "11.0.0.0/14": true, "192.169.0.0/16": true, "172.16.0.0/11": true, "100.128.0.0/16": true,
		"172.31.0.0/16": false, "10.132.0.0/14": false, "100.96.0.0/14": false, "198.19.0.0/16": false,
		"240.0.0.0/14": false, "203.0.113.0/24": false, "2600::/16": false, "": false,
	} {
		require.Equal(t, public, IsPublic(cidr), cidr)
	}
}
