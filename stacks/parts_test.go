package stacks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// sharedNetwork returns the outputs of a network in account 210987654321 that is shared with 123456789012, or of one
// that is not shared.
func sharedNetwork(shared bool) *networkPart {
	n := &networkPart{
		Name: "demo", InfraID: "demo-x1", AccountID: "210987654321", Region: "us-east-1", VPCID: "vpc-0123456789abcdef0",
		Zones:   []string{"us-east-1a"},
		Private: map[string]string{"us-east-1a": "subnet-0123456789abcdef0"},
	}
	if shared {
		n.ClusterAccountID = "123456789012"
	}
	return n
}

func TestASharedNetworkIsUsedFromItsAccountsOnly(t *testing.T) {
	t.Parallel()
	owner := &config.Account{Profile: "network-team"}
	for name, test := range map[string]struct {
		shared  bool
		account string
		owner   *config.Account
		paths   []string
	}{
		"the cluster's account":                 {true, "123456789012", owner, nil},
		"an account that is not known yet":      {true, "", owner, nil},
		"a third account":                       {true, "333333333333", owner, []string{"networkStack"}},
		"the owner's account":                   {true, "210987654321", owner, []string{"networkStack"}},
		"shared, without the owner's account":   {true, "123456789012", nil, []string{"networkStack"}},
		"not shared":                            {false, "210987654321", nil, nil},
		"not shared, from another account":      {false, "123456789012", nil, []string{"networkStack"}},
		"not shared, with an account for owner": {false, "210987654321", owner, []string{"accounts.vpcOwner"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			identity := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
			c := &config.Cluster{Cluster: identity, NetworkStack: "net", Accounts: config.Accounts{VPCOwner: test.owner}}
			i := &config.IAM{Cluster: identity, NetworkStack: "net", Accounts: config.IAMAccounts{VPCOwner: test.owner}}
			for key, err := range map[string]error{
				config.ClusterKey: useNetwork(c, sharedNetwork(test.shared), "us-east-1", test.account), config.KindIAM.Key(): agreeWithNetwork(i, sharedNetwork(test.shared), test.account),
			} {
				var paths []string
				for _, f := range fault.In(err) {
					paths = append(paths, f.Path)
				}
				var want []string
				for _, path := range test.paths {
					want = append(want, key+"."+path)
				}
				require.Equal(t, want, paths)
			}
			require.Equal(t, test.shared, c.Network.Shared != nil)
		})
	}
}
