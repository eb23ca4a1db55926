package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnUpdateOfWhatIsNotThereHasAWSsCodeForItsType(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, inputs, _ := e.estate()
	for token, code := range map[string]string{
		vpcToken: "InvalidVpcID.NotFound", subnetToken: "InvalidSubnetID.NotFound", routeTableToken: "InvalidRouteTableID.NotFound",
		routeToken: "InvalidRoute.NotFound", routeAssociationToken: "InvalidAssociationID.NotFound",
		mainAssociationToken: "InvalidAssociationID.NotFound", endpointTableToken: "InvalidRouteTableId.NotFound",
		ingressRuleToken: "InvalidSecurityGroupRuleId.NotFound", egressRuleToken: "InvalidSecurityGroupRuleId.NotFound",
		distributionToken: "NoSuchDistribution", objectToken: "NoSuchKey", zoneToken: "NoSuchHostedZone", roleToken: "NoSuchEntity",
		flowLogToken: "InvalidFlowLogId.NotFound", keyPairToken: "InvalidKeyPair.NotFound", shareToken: "UnknownResourceException",
		sharedResourceToken: "UnknownResourceException", sharedWithToken: "UnknownResourceException", tagToken: "InvalidID",
		authorizationToken: "VPCAssociationAuthorizationNotFound", zoneAssociationToken: "VPCAssociationNotFound",
		secondaryToken: "InvalidVpcCidrBlockAssociationID.NotFound", instanceToken: "InvalidInstanceID.NotFound",
		endpointServiceToken: "InvalidVpcEndpointServiceId.NotFound", loadBalancerToken: "LoadBalancerNotFound",
		logGroupToken: "ResourceNotFoundException",
	} {
		require.NotNil(t, inputs[token], token)
		_, err := e.update(token, "none-of-that-id", without(inputs[token], "tagsAll"), without(inputs[token], "tagsAll"))
		refused(t, err, code)
	}
}

func TestAPublicZoneDoesNotBecomePrivate(t *testing.T) {
	t.Parallel()
	e := start(t)
	id := e.id(zoneToken, props{"name": "example.org"})
	_, err := e.update(zoneToken, id, props{"name": "example.org"},
		props{"name": "example.org", "vpcs": []any{map[string]any{"vpcId": e.vpc()}}})
	refused(t, err, "PublicZoneVPCAssociation")
}
