package hypershift

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestARouterThatAnotherProcessDeletedHasNoNamesToRemove(t *testing.T) {
	t.Parallel()
	account, err := aws.OpenAccount(t.TempDir(), "123456789012", aws.Catalogue{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	site, err := aws.NewSite(props.Map{"region": "us-east-1"})
	require.NoError(t, err)
	cluster := guestOperators{&hostedCluster{infraID: "demo-x1", spec: props.Map{}}}
	require.NoError(t, account.Transact(func(tx *aws.Tx) error {
		a := &agent{Call: &aws.Call{Tx: tx, Site: site}}
		require.Nil(t, cluster.router(a.Call))
		return cluster.removeRouterNamesIn(a, []string{"Z0123456789"})
	}))
}
