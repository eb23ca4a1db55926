package capa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
)

// The example of docs/capa.md passes the CRDs and the rules of the webhooks.
func TestALoadBalancerHasBothAddressFamiliesInAnExistingDualStackVPC(t *testing.T) {
	t.Parallel()
	args := private()
	existing(args)
	no := false
	args.SecurityGroups.Create = &no
	balancer := map[string]any{"targetGroupIPType": "ipv4"}
	ipv6 := map[string]any{"cidrBlock": "2001:db8:1234:1a00::/56", "egressOnlyInternetGatewayId": "eigw-0123456789abcdef0"}
	args.Spec.AWSCluster = map[string]any{"network": map[string]any{"vpc": map[string]any{"ipv6": ipv6}}, "controlPlaneLoadBalancer": balancer}
	args.ControlPlane.Spec.Machine = map[string]any{"assignPrimaryIPv6": "disabled"}
	in := site(args)
	in.Zones, in.SecurityGroups = []capa.SiteZone{{Name: "us-east-1a", PublicSubnetID: "subnet-0123456789abcdef0", PrivateSubnetID: "subnet-0123456789abcdef1"}}, nil
	objects, err := args.Objects(in)
	require.NoError(t, err)
	found := map[string]any{}
	for _, o := range objects {
		found[o.Part] = o.Object
	}
	require.Equal(t, ipv6, at(found[capa.PartAWSCluster], "spec.network.vpc.ipv6"))
	require.Equal(t, "vpc-0123456789abcdef0", at(found[capa.PartAWSCluster], "spec.network.vpc.id"))
	require.Equal(t, "ipv4", at(found[capa.PartAWSCluster], "spec.controlPlaneLoadBalancer.targetGroupIPType"))
	require.Equal(t, "disabled", at(found[capa.PartControlPlaneTemplate], "spec.template.spec.assignPrimaryIPv6"))
}
