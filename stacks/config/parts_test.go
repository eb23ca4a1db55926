package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// sharedNetwork returns the outputs of a network in account 210987654321 that is shared with 123456789012, or of one that is not shared.
func sharedNetwork(shared bool) *NetworkOutputs {
	n := &NetworkOutputs{
		Name: "demo", InfraID: "demo-x1", AccountID: "210987654321", Region: "us-east-1", VPCID: "vpc-0123456789abcdef0", Zones: []string{"us-east-1a"},
		Private: map[string]string{"us-east-1a": "subnet-0123456789abcdef0"},
	}
	if shared {
		n.ClusterAccountID = "123456789012"
	}
	return n
}

func TestASharedNetworkIsUsedFromItsAccountsOnly(t *testing.T) {
	t.Parallel()
	owner := &Account{Profile: "network-team"}
	for name, test := range map[string]struct {
		shared  bool
		account string
		owner   *Account
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
			c := &Cluster{Cluster: identity, NetworkStack: "net", Accounts: Accounts{VPCOwner: test.owner}}
			i := &IAM{Cluster: identity, NetworkStack: "net", Accounts: IAMAccounts{VPCOwner: test.owner}}
			for key, err := range map[string]error{
				ClusterKey: c.UseNetwork(sharedNetwork(test.shared), "us-east-1", test.account), KindIAM.Key(): i.UseNetwork(sharedNetwork(test.shared), test.account),
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

func TestANetworkIsSharedWithTheAccountThatItsStackNames(t *testing.T) {
	t.Parallel()
	cluster := &Account{Profile: "cluster-team"}
	for name, test := range map[string]struct {
		network string
		account *Account
		path    string
	}{
		"shared":                     {"shared", cluster, ""},
		"shared without the account": {"shared", nil, "network.shared"},
		"an account without shared":  {"", cluster, "accounts.cluster"},
		"an empty account":           {"shared", &Account{}, "accounts.cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &Network{Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com", Accounts: NetworkAccounts{Cluster: test.account}}
			if test.network != "" {
				n.Network.Shared = sharedNetwork(true).Shared()
			}
			n.Resolve(Source{Stack: "net", Region: "us-east-1"})
			faults := fault.In(n.Validate("us-east-1"))
			if test.path == "" {
				require.Empty(t, faults)
				return
			}
			require.Len(t, faults, 1)
			require.Equal(t, test.path, faults[0].Path)
		})
	}
}
