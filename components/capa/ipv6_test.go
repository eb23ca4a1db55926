package capa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
)

// The example of docs/cluster-api.md passes the CRDs and the rules of the webhooks.
func TestALoadBalancerHasBothAddressFamiliesInAnExistingDualStackVPC(t *testing.T) {
	t.Parallel()
	args := private()
	existing(args)
	no := false
	args.SecurityGroups.Create = &no
	balancer := map[string]any{"targetGroupIPType": "ipv4"}
	ipv6 := map[string]any{"cidrBlock": "2001:db8:1234:1a00::/56"}
	args.PodsIPv6, args.ServicesIPv6 = "fd01::/48", "fd02::/112"
	args.Spec.AWSCluster = map[string]any{
		"network":                  map[string]any{"vpc": map[string]any{"ipv6": ipv6}},
		"controlPlaneLoadBalancer": balancer,
	}
	args.ControlPlane.Spec.Machine = map[string]any{"assignPrimaryIPv6": "disabled"}
	in := site(args)
	in.Zones, in.SecurityGroups = []capa.SiteZone{{
		Name:            "us-east-1a",
		PublicSubnetID:  "subnet-0123456789abcdef0",
		PrivateSubnetID: "subnet-0123456789abcdef1",
	}}, nil
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

func TestANetworkWithIPv6MakesTheClusterDualStack(t *testing.T) {
	t.Parallel()
	args := private()
	args.Network.IPv6 = true
	args.APIAccess = capa.APIAccess{
		CIDRs:           []string{"203.0.113.0/24", "2001:db8:ffff::/48"},
		ManagementCIDRs: []string{"198.51.100.7/32"},
	}
	in := site(args)
	in.VPCIPv6CIDR, in.SecurityGroups = "2001:db8:1234:1a00::/56", nil // CAPA creates the groups
	objects, err := args.Objects(in)
	require.NoError(t, err)
	found := map[string]any{}
	for _, o := range objects {
		found[o.Part] = o.Object
	}
	require.Equal(t, []any{capa.DefaultPods, capa.DefaultPodsIPv6},
		at(found[capa.PartCluster], "spec.clusterNetwork.pods.cidrBlocks"))
	require.Equal(t, []any{capa.DefaultServices, capa.DefaultServicesIPv6},
		at(found[capa.PartCluster], "spec.clusterNetwork.services.cidrBlocks"))
	require.Equal(t, map[string]any{
		"cidrBlock": "2001:db8:1234:1a00::/56",
	}, at(found[capa.PartAWSCluster], "spec.network.vpc.ipv6"))
	require.Equal(t, "ipv4", at(found[capa.PartAWSCluster], "spec.controlPlaneLoadBalancer.targetGroupIPType"))
	require.Equal(t, "disabled", at(found[capa.PartControlPlaneTemplate], "spec.template.spec.assignPrimaryIPv6"))
	rule := at(found[capa.PartAWSCluster], "spec.controlPlaneLoadBalancer.ingressRules").([]any)[0].(map[string]any)
	require.Equal(t, []any{"203.0.113.0/24", "198.51.100.7/32"}, rule["cidrBlocks"])
	require.Equal(t, []any{"2001:db8:ffff::/48", "2001:db8:1234:1a00::/56"}, rule["ipv6CidrBlocks"],
		"machines reach the load balancer from the VPC")
}

func TestTheSecondAddressFamilyIsRefusedWhereItCannotWork(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change        func(*capa.Args)
		path, problem string
	}{
		"in an existing VPC": {func(a *capa.Args) {
			existing(a)
			a.Network.IPv6 = true
		}, "network.ipv6", "applies to a VPC that is created"},
		"pods without IPv6": {func(a *capa.Args) {
			a.PodsIPv6, a.ServicesIPv6 = "fd01::/48", "fd02::/112"
		}, "podsIPv6", "has no IPv6"},
		"pods alone": {func(a *capa.Args) {
			existing(a)
			a.PodsIPv6 = "fd01::/48"
		}, "servicesIPv6", "is missing"},
		"IPv4": {func(a *capa.Args) {
			a.Network.IPv6, a.PodsIPv6 = true, "10.0.0.0/16"
		}, "podsIPv6", "is not an IPv6 CIDR"},
		"a long form": {func(a *capa.Args) {
			a.Network.IPv6, a.PodsIPv6 = true, "fd01:0::/48"
		}, "podsIPv6", "shortest form"},
		"too many nodes":   {func(a *capa.Args) { a.Network.IPv6, a.PodsIPv6 = true, "fd01::/47" }, "podsIPv6", "/47"},
		"less than a node": {func(a *capa.Args) { a.Network.IPv6, a.PodsIPv6 = true, "fd01::/65" }, "podsIPv6", "/65"},
		"too many Services": {func(a *capa.Args) {
			a.Network.IPv6, a.ServicesIPv6 = true, "fd02::/107"
		}, "servicesIPv6", "/107"},
		"too few Services": {func(a *capa.Args) {
			a.Network.IPv6, a.ServicesIPv6 = true, "fd02::/125"
		}, "servicesIPv6", "/125"},
		"an overlap": {func(a *capa.Args) {
			a.Network.IPv6, a.ServicesIPv6 = true, "fd01::/112"
		}, "servicesIPv6", "overlaps podsIPv6"},
		"clients without IPv6": {func(a *capa.Args) {
			a.APIAccess.CIDRs = []string{"::/0"}
		}, "apiAccess.cidrs[0]", "is not an IPv4 CIDR"},
		"clients in another form": {func(a *capa.Args) {
			a.Network.IPv6, a.APIAccess.CIDRs = true, []string{"0.0.0.0/0", "2001:DB8::/32"}
		}, "apiAccess.cidrs[1]", "shortest form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := private()
			test.change(args)
			faults := fault.In(args.Validate())
			require.NotEmpty(t, faults)
			require.Equal(t, test.path, faults[0].Path)
			require.Contains(t, faults[0].Problem, test.problem)
		})
	}
	args := private()
	existing(args)
	args.PodsIPv6, args.ServicesIPv6 = "fd01::/64", "fd02::/124"
	require.NoError(t, args.Validate(), "an existing VPC may have IPv6")
}
