package capa

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func awsClusterWith(spec map[string]any) map[string]any {
	return map[string]any{"kind": "AWSCluster", "metadata": map[string]any{"name": "demo"}, "spec": spec}
}

func TestAChangeThatAWebhookRefusesIsReportedWithItsConfigKey(t *testing.T) {
	t.Parallel()
	vpc := func(id string) map[string]any {
		return awsClusterWith(map[string]any{"network": map[string]any{"vpc": map[string]any{"id": id}}})
	}
	args := &Args{}
	found := fault.In(args.forbidden(vpc("vpc-1"), vpc(notKnownYet)))
	require.Len(t, found, 1)
	require.Equal(t, "network.vpcCIDR", found[0].Path)
	require.Contains(t, found.Error(), "changes spec.network.vpc.id of the AWSCluster demo, which Cluster API refuses: ")
	require.Contains(t, found[0].Remedy, "another cluster")

	args.Network.Existing = &ExistingVPC{}
	require.Equal(t, "network.existing.vpcID", fault.In(args.forbidden(vpc("vpc-1"), vpc("vpc-2")))[0].Path)
	require.NoError(t, args.forbidden(vpc("vpc-1"), vpc("vpc-1")))

	args.Explain = func(err error) error { return errors.New("line 3: " + err.Error()) }
	require.ErrorContains(t, args.explained(errors.New("no")), "line 3: no")
	require.NoError(t, args.explained(nil))
}
