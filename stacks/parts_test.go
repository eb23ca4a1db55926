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

func TestAFurtherClusterHasItsOwnZonesInTheNetworkOfAnother(t *testing.T) {
	t.Parallel()
	n := &networkPart{
		Name: "blue", InfraID: "blue-x1", BaseDomain: "example.com", EndpointAccess: "Private", AccountID: "123456789012",
		VPCID: "vpc-1", PrivateZoneID: "Z1", LocalZoneID: "Z2", Zones: []string{"us-east-1a"},
		Private: map[string]string{"us-east-1a": "subnet-1"}, Clusters: []string{"green-x1"},
	}
	for name, test := range map[string]struct {
		name, infraID, prefix string
		access                hypershift.EndpointAccess
		want                  []string
	}{
		"a further one":              {"green", "green-x1", "", hypershift.Private, nil},
		"its own":                    {"blue", "blue-x1", "", hypershift.Private, nil},
		"one that is not listed":     {"red", "red-x1", "", hypershift.Private, []string{"infraID"}},
		"public in a private one":    {"green", "green-x1", "", hypershift.Public, []string{"endpointAccess"}},
		"the same name":              {"blue", "green-x1", "other", hypershift.Private, []string{"name"}},
		"the same private zone":      {"green", "green-x1", "blue", hypershift.Private, []string{"baseDomain"}},
		"another one's name in both": {"blue", "green-x1", "", hypershift.Private, []string{"name", "baseDomain"}},
	} {
		c := &config.Cluster{
			Cluster: hypershift.Cluster{Name: test.name, InfraID: test.infraID}, NetworkStack: "net",
			BaseDomain: "example.com", BaseDomainPrefix: test.prefix, EndpointAccess: test.access,
		}
		var want []string
		for _, key := range test.want {
			want = append(want, config.ClusterKey+"."+key)
		}
		err := useNetwork(c, n, "", "123456789012")
		var got []string
		for _, f := range fault.In(err) {
			got = append(got, f.Path)
		}
		require.Equal(t, want, got, name)
		require.Equal(t, test.infraID == "green-x1", c.Network.Existing.LocalZoneID == nil, name)
	}
	i := &config.IAM{Cluster: hypershift.Cluster{Name: "green", InfraID: "green-x1"}, NetworkStack: "net"}
	require.ErrorContains(t, agreeWithNetwork(i, n, ""), "has no hosted zones of cluster green-x1")
}
