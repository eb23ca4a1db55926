package lives

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// ids returns the IDs of the stack's resources of a type, by name.
func ids(stack *enginetest.Stack, token string) map[string]string {
	found := map[string]string{}
	for _, r := range stack.Custom() {
		if string(r.Type) == token {
			found[r.URN.Name()] = string(r.ID)
		}
	}
	return found
}

const subnetType = "aws:ec2/subnet:Subnet"

// requireKept asserts that every resource of before still exists.
func requireKept(t *testing.T, before, after map[string]string) {
	t.Helper()
	for name, id := range before {
		require.Equal(t, id, after[name], name)
	}
}

func TestAddingAZoneMovesNoSubnet(t *testing.T) {
	t.Parallel()
	for _, access := range hypershift.EndpointAccesses() {
		t.Run(string(access), func(t *testing.T) {
			t.Parallel()
			stack := harness.NewCluster(t)
			stack.Configure(stackfile.Cluster{Access: access, NAT: network.PerZone, Zones: stackfile.ZoneNames(2)}.String())
			stack.Up()
			before := ids(stack, subnetType)
			stack.Configure(stackfile.Cluster{Access: access, NAT: network.PerZone, Zones: stackfile.ZoneNames(3)}.String())
			changes := stack.Up()
			require.Empty(t, changes.Replaced())
			require.Empty(t, changes.Of(apitype.OpDelete))
			after := ids(stack, subnetType)
			requireKept(t, before, after)
			require.Len(t, after, len(before)+2)
		})
	}
}

func TestRemovingAZoneMovesNoSubnetOfAZoneWithASlot(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.Cluster{
		Access: hypershift.Public,
		NAT:    network.PerZone,
		Zones:  stackfile.ZoneNames(3),
	}.String())
	stack.Up()
	stack.Configure(stackfile.Cluster{Access: hypershift.Public, NAT: network.PerZone, Zones: []string{
		"{name: us-east-1a, slot: 0}", "{name: us-east-1c, slot: 2}",
	}}.String())
	changes := stack.Up()
	require.Empty(t, changes.Replaced())
	for _, gone := range changes.Of(apitype.OpDelete) {
		require.Contains(t, gone, "us-east-1b")
	}
}

func TestEachModeChangeReplacesNothing(t *testing.T) {
	t.Parallel()
	modes := hypershift.EndpointAccesses()
	for _, nat := range sizes.First(1, []network.NATStrategy{network.PerZone, network.Single}) {
		for i, from := range modes {
			for _, to := range modes {
				if from == to || !sizes.All() && to != modes[(i+1)%len(modes)] {
					continue
				}
				t.Run(fmt.Sprintf("%s-%s-%s", nat, from, to), func(t *testing.T) {
					t.Parallel()
					stack := harness.NewCluster(t)
					stack.Configure(stackfile.Cluster{Access: from, NAT: nat, Zones: stackfile.ZoneNames(2)}.String())
					stack.Up()
					stack.Configure(stackfile.Cluster{Access: to, NAT: nat, Zones: stackfile.ZoneNames(2)}.String())
					changes := stack.Up()
					require.NotEmpty(t, changes)
					require.Empty(t, changes.Replaced())
					require.Empty(t, stack.Up(), "a second up")
					stack.Destroy()
					require.Empty(t, stack.Resources())
				})
			}
		}
	}
}

func TestChangingNATFromSingleToPerZoneReplacesNothing(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.Cluster{
		Access: hypershift.Private,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(3),
	}.String())
	stack.Up()
	before := ids(stack, "aws:ec2/natGateway:NatGateway")
	stack.Configure(stackfile.Cluster{
		Access: hypershift.Private,
		NAT:    network.PerZone,
		Zones:  stackfile.ZoneNames(3),
	}.String())
	changes := stack.Up()
	require.Empty(t, changes.Replaced())
	require.Empty(t, changes.Of(apitype.OpDelete))
	after := ids(stack, "aws:ec2/natGateway:NatGateway")
	requireKept(t, before, after)
	require.Len(t, after, 3)
}

func TestRefreshFindsADeletedResourceAndUpRecreatesIt(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.Cluster{
		Access: hypershift.Private,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(1),
	}.String())
	stack.Up()
	endpoint := ids(stack, "aws:ec2/vpcEndpoint:VpcEndpoint")["network-s3"]
	require.NoError(t, stack.Accounts()[0].Remove(endpoint))

	require.Equal(t, []string{"aws:ec2/vpcEndpoint:VpcEndpoint network-s3"}, stack.Refresh().Of(apitype.OpDelete))
	require.Equal(t, []string{"aws:ec2/vpcEndpoint:VpcEndpoint network-s3"}, stack.Up().Of(apitype.OpCreate))
	require.Empty(t, stack.Refresh())
}
