package layout

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
