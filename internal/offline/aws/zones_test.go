package aws

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRegionsHaveTheirZones(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]struct {
		names []string
		ids   []string
	}{
		"us-east-1": {[]string{"a", "b", "c", "d", "e", "f"},
			[]string{"use1-az1", "use1-az2", "use1-az3", "use1-az4", "use1-az5", "use1-az6"}},
		"us-west-1":      {[]string{"a", "c"}, []string{"usw1-az1", "usw1-az3"}},
		"ap-northeast-1": {[]string{"a", "c", "d"}, []string{"apne1-az1", "apne1-az2", "apne1-az4"}},
		"eu-central-1":   {[]string{"a", "b", "c"}, []string{"euc1-az1", "euc1-az2", "euc1-az3"}},
		"us-gov-west-1":  {[]string{"a", "b", "c"}, []string{"usgw1-az1", "usgw1-az2", "usgw1-az3"}},
		"cn-northwest-1": {[]string{"a", "b", "c"}, []string{"cnnw1-az1", "cnnw1-az2", "cnnw1-az3"}},
	} {
		var ids []string
		for i, z := range (Site{Account: DefaultAccount, Region: region}).Zones() {
			require.Equal(t, region+want.names[i], z.Name)
			ids = append(ids, z.ID)
		}
		require.ElementsMatch(t, want.ids, ids, region)
	}
}

func TestAccountsHaveTheirOwnNamesForZones(t *testing.T) {
	t.Parallel()
	one, two := Site{Account: "111111111111", Region: "us-east-1"}, Site{Account: "222222222222", Region: "us-east-1"}
	require.Equal(t, one.Zones(), one.Zones())
	require.NotEqual(t, one.Zones(), two.Zones())
}
