package network

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// throughTransit returns the args of a network whose nodes reach the internet through a transit gateway.
func throughTransit() *GuestNetworkArgs {
	args := inExisting(hypershift.Private)
	args.Existing, args.NAT, args.Zones = nil, None, []Zone{{Name: "us-east-1a"}}
	args.TransitGateway = &TransitGateway{ID: pulumi.String("tgw-0123456789abcdef0")}
	return args
}

func TestATransitGatewayThatIsNotSharedIsRefusedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	a := &account{lookups: goodAccount()}
	a.but(answers{
		"getCallerIdentity": {"accountId": "123456789012", "arn": "arn:aws:iam::123456789012:root", "userId": "u"},
	})
	made, err := a.run(t, throughTransit())
	require.ErrorContains(t, err, `transitGateway.id: "tgw-0123456789abcdef0" cannot be looked up: no matching TransitGateway found; use a transit gateway of the VPC's account`)
	require.Empty(t, made)
}

func TestNATNoneNeedsNoEndpointsBehindATransitGateway(t *testing.T) {
	t.Parallel()
	require.NoError(t, throughTransit().Validate())
	args := throughTransit()
	args.TransitGateway.CIDRs = []string{"192.168.0.0/16"}
	require.ErrorContains(t, args.Validate(), "leaves the nodes without sts")
	args.NAT = ""
	require.NoError(t, args.Validate())
	require.Equal(t, PerZone, args.Base().natOrDefault())
	args.TransitGateway.CIDRs = nil
	require.Equal(t, None, args.Base().natOrDefault())
	require.Empty(t, args.WithDefaults().NAT)
}
