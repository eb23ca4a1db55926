package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

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
			n := &Network{
				Cluster:    hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
				BaseDomain: "example.com",
				Accounts:   NetworkAccounts{Cluster: test.account},
			}
			if test.network != "" {
				n.Network.Shared = &network.SharedVPC{PrivateZonesIn: network.OwnerZones}
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
