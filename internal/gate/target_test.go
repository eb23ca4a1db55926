package gate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

func TestATargetDiffersInItsAccountsItsManagementClusterAndItsInfraID(t *testing.T) {
	t.Parallel()
	target := func(change func(*Target)) Target {
		made := Target{
			Stack: "prod", ManagementCluster: "mc-1", Server: "https://a", InfraID: "prod-x1",
			Accounts: []TargetAccount{{"", "111111111111", "us-east-1"}, {"vpcOwner", "222222222222", "us-east-1"}},
		}
		change(&made)
		return made
	}
	began := target(func(*Target) {})
	for name, c := range map[string]struct {
		change  func(*Target)
		differs string
	}{
		"the same":                   {func(*Target) {}, ""},
		"another management cluster": {func(t *Target) { t.ManagementCluster = "mc-2" }, "mc-2"},
		"another infra ID":           {func(t *Target) { t.InfraID = "staging-x1" }, "staging-x1"},
		"another account": {func(t *Target) {
			t.Accounts[1].Account = "333333333333"
		}, "accounts.vpcOwner was 222222222222, and is 333333333333"},
		"another region": {func(t *Target) {
			t.Accounts[0].Region = "eu-west-1"
		}, "the region of aws:"},
		"another address of the same cluster": {func(t *Target) { t.Server = "https://b" }, ""},
		"another server, the UID not readable": {func(t *Target) {
			t.ManagementCluster, t.Server = "", "https://b"
		}, "https://b"},
		"another file":                 {func(t *Target) { t.File = "b" }, "the stack's file"},
		"a management cluster unread":  {func(t *Target) { t.ManagementCluster = "" }, ""},
		"an account that is not known": {func(t *Target) { t.Accounts = t.Accounts[:1] }, ""},
	} {
		differs := began.Differs(target(c.change))
		if c.differs == "" {
			require.Empty(t, differs, name)
			continue
		}
		require.Contains(t, differs, c.differs, name)
		err := began.Changed(gates.Destroy, differs)
		require.Equal(t, failure.Refused, failure.ReasonOf(err), name)
	}
}
