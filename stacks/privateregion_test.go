package stacks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestNodesOnPrivateLinkAreInTheRegionOfTheirManagementStack(t *testing.T) {
	t.Parallel()
	for _, access := range hypershift.EndpointAccesses() {
		e := managed("")
		e.config.EndpointAccess = access
		require.NoError(t, e.checkPrivateRegion(), access)
		e.region = "us-west-2"
		err := e.checkPrivateRegion()
		if access == hypershift.Public {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, config.ManagementPath, fault.In(err)[0].Path, access)

		unmanaged := &clusterProgram{config: &config.Cluster{}, region: "us-west-2"}
		unmanaged.config.EndpointAccess = access
		require.NoError(t, unmanaged.checkPrivateRegion(), "where the management cluster is, is not known")
		unmanaged.config.Accounts.Management = &config.Account{Region: "us-east-1"}
		err = unmanaged.checkPrivateRegion()
		require.Equal(t, "hypershift-aws:cluster.accounts.management.region", fault.In(err)[0].Path, access)
	}
}
