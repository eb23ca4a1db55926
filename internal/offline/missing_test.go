package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/types"
)

func TestAnUpdateOfWhatIsNotThereHasAWSsCodeForItsType(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, inputs, _ := e.everyType()
	for token, code := range map[string]string{
		types.VPC: "InvalidVpcID.NotFound", types.Subnet: "InvalidSubnetID.NotFound", types.RouteTable: "InvalidRouteTableID.NotFound",
		types.Route: "InvalidRoute.NotFound", types.RouteTableAssociation: "InvalidAssociationID.NotFound",
		types.MainRouteTableAssociation: "InvalidAssociationID.NotFound", types.VPCEndpointRouteTable: "InvalidRouteTableId.NotFound",
		types.IngressRule: "InvalidSecurityGroupRuleId.NotFound", types.EgressRule: "InvalidSecurityGroupRuleId.NotFound",
		types.Distribution: "NoSuchDistribution", types.Object: "NoSuchKey", types.HostedZone: "NoSuchHostedZone", types.Role: "NoSuchEntity",
		types.FlowLog: "InvalidFlowLogId.NotFound", types.KeyPair: "InvalidKeyPair.NotFound", types.ResourceShare: "UnknownResourceException",
		types.ResourceAssociation: "UnknownResourceException", types.PrincipalAssociation: "UnknownResourceException", types.Tag: "InvalidID",
		types.VPCAssociationAuthorization: "VPCAssociationAuthorizationNotFound", types.ZoneAssociation: "VPCAssociationNotFound",
		types.SecondaryCIDR: "InvalidVpcCidrBlockAssociationID.NotFound", types.Instance: "InvalidInstanceID.NotFound",
		types.VPCEndpointService: "InvalidVpcEndpointServiceId.NotFound", types.LoadBalancer: "LoadBalancerNotFound",
		types.LogGroup: "ResourceNotFoundException",
	} {
		require.NotNil(t, inputs[token], token)
		_, err := e.update(token, "none-of-that-id", without(inputs[token], "tagsAll"), without(inputs[token], "tagsAll"))
		refused(t, err, code)
	}
}

func TestAPublicZoneDoesNotBecomePrivate(t *testing.T) {
	t.Parallel()
	e := start(t)
	id := e.id(types.HostedZone, props.Map{"name": "example.org"})
	_, err := e.update(types.HostedZone, id, props.Map{"name": "example.org"},
		props.Map{"name": "example.org", "vpcs": []any{map[string]any{"vpcId": e.vpc()}}})
	refused(t, err, "PublicZoneVPCAssociation")
}
