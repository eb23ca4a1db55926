package lives

import (
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// inSomeZones returns services that AWS offers only in some zones. us-east-1a is use1-az3 in the account, and
// us-east-1c use1-az4.
func inSomeZones() []offline.Seed {
	return []offline.Seed{
		{Kind: offline.SeedAWSService, Name: "com.amazonaws.us-east-1.sts", ZoneIDs: []string{"use1-az4", "use1-az2"}},
		{Kind: offline.SeedAWSService, Name: "com.amazonaws.us-east-1.gone"},
	}
}

func TestAnInterfaceEndpointHasSubnetsOnlyInZonesThatOfferItsService(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(stackfile.Seeds(), inSomeZones()...)})
	stack.Configure(stackfile.Network(hypershift.Private,
		"zones: [us-east-1a, us-east-1c], nat: Single, interfaceEndpoints: [sts, kms]"))
	stack.Up()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	subnets := outputs["privateSubnetIDs"].Value.(map[string]any)
	all := []any{subnets["us-east-1a"], subnets["us-east-1c"]}
	for _, resource := range stack.Custom() {
		switch resource.URN.Name() {
		case "network-endpoint-sts":
			require.Equal(t, all[1:], resource.Outputs["subnetIds"])
		case "network-endpoint-kms":
			require.ElementsMatch(t, all, resource.Outputs["subnetIds"])
		}
	}
	require.Empty(t, stack.Preview())
}

func TestAServiceThatNoZoneOffersIsRefusedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	for service, want := range map[string]string{
		"sts": `interfaceEndpoints[1]: "sts" is offered in none of the network's zones, us-east-1a; leave it out, or add a zone that offers it: ` +
			`us-east-1c, us-east-1e`,
		"gone": `interfaceEndpoints[1]: "gone" is not a service with interface endpoints in us-east-1; correct it, or leave it out`,
	} {
		err := graph.Run(t, func(ctx *pulumi.Context) error {
			_, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
				Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com",
				EndpointAccess: hypershift.Private,
				Options: network.Options{
					Zones:              []network.Zone{{Name: "us-east-1a"}},
					InterfaceEndpoints: []string{"kms", service},
				},
			})
			return err
		}, offline.Options{Dir: t.TempDir(), Seeds: slices.Concat(stackfile.Seeds(), inSomeZones())},
			map[string]string{"aws:region": "us-east-1"})
		require.ErrorContains(t, err, want)
	}
}
