package network

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

func TestTheDHCPOptionsHaveTheGivenDomainNameOrTheRegionsDefault(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ region, given, want string }{
		"us-east-1":     {region: "us-east-1", want: "ec2.internal"},
		"other regions": {region: "eu-west-1", want: "eu-west-1.compute.internal"},
		"given":         {region: "us-east-1", given: "nodes.example.com", want: "nodes.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &account{lookups: goodAccount()}
			a.lookups["getRegion"] = map[string]any{"name": test.region}
			a.lookups["getRecords"] = map[string]any{"resourceRecordSets": []any{map[string]any{"type": "SOA",
				"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}
			_, err := a.run(t, &GuestNetworkArgs{
				Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com",
				EndpointAccess: hypershift.Private,
				Options:        Options{Zones: []Zone{{Name: test.region + "a"}}}, DHCPDomainName: pulumi.String(test.given),
			})
			require.NoError(t, err)
			options := a.inputs["aws:ec2/vpcDhcpOptions:VpcDhcpOptions network-dhcp-options"]
			require.Equal(t, test.want, options["domainName"].StringValue())
		})
	}
}

func TestEachFurtherClusterIsTaggedOnSubnetsAlone(t *testing.T) {
	t.Parallel()
	args := &GuestNetworkArgs{Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, Clusters: []string{"green-x1"}}
	tagging := args.Base().Tagging
	for _, tags := range []map[string]string{tagging.PrivateSubnet("a"), tagging.PublicSubnet("a", true), tagging.Discovery(true, false)} {
		require.Equal(t, "shared", tags["kubernetes.io/cluster/green-x1"])
	}
	require.NotContains(t, tagging.Plain("a"), "kubernetes.io/cluster/green-x1")
	require.NotContains(t, tagging.NATGateway("a"), "kubernetes.io/cluster/green-x1")

	for list, path := range map[string]string{
		"demo-x1": "[0]", "a,b,a": "[2]", "Not_One": "[0]", strings.Repeat("x", 33): "[0]",
	} {
		args.Clusters = strings.Split(list, ",")
		found := fault.In(args.validateClusters())
		require.Len(t, found, 1, list)
		require.Equal(t, path, found[0].Path, list)
	}
	args.Clusters = nil
	for i := range 45 {
		args.Clusters = append(args.Clusters, fmt.Sprintf("c-%d", i))
	}
	require.ErrorContains(t, args.validateClusters(), "more clusters than subnets can have tags: AWS allows 50, and 6 are others; use at most 44")
}
