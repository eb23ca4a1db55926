package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestAnUpdateOfAMissingResourceHasAWSsCodeForItsType(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, inputs, _ := e.everyType()
	for token, code := range map[string]string{
		awstype.VPC: "InvalidVpcID.NotFound", awstype.Subnet: "InvalidSubnetID.NotFound",
		awstype.RouteTable: "InvalidRouteTableID.NotFound",
		awstype.Route:      "InvalidRoute.NotFound", awstype.RouteTableAssociation: "InvalidAssociationID.NotFound",
		awstype.MainRouteTableAssociation: "InvalidAssociationID.NotFound",
		awstype.VPCEndpointRouteTable:     "InvalidRouteTableId.NotFound",
		awstype.SecurityGroupIngressRule:  "InvalidSecurityGroupRuleId.NotFound",
		awstype.SecurityGroupEgressRule:   "InvalidSecurityGroupRuleId.NotFound",
		awstype.Distribution:              "NoSuchDistribution", awstype.BucketObject: "NoSuchKey",
		awstype.HostedZone: "NoSuchHostedZone",
		awstype.Role:       "NoSuchEntity",
		awstype.FlowLog:    "InvalidFlowLogId.NotFound", awstype.KeyPair: "InvalidKeyPair.NotFound",
		awstype.ResourceShare:       "UnknownResourceException",
		awstype.ResourceAssociation: "UnknownResourceException", awstype.PrincipalAssociation: "UnknownResourceException",
		awstype.Tag:                         "InvalidID",
		awstype.VPCAssociationAuthorization: "VPCAssociationAuthorizationNotFound",
		awstype.ZoneAssociation:             "VPCAssociationNotFound",
		awstype.SecondaryCIDR:               "InvalidVpcCidrBlockAssociationID.NotFound",
		awstype.Instance:                    "InvalidInstanceID.NotFound",
		awstype.VPCEndpointService:          "InvalidVpcEndpointServiceId.NotFound",
		awstype.LoadBalancer:                "LoadBalancerNotFound",
		awstype.LogGroup:                    "ResourceNotFoundException",
	} {
		require.NotNil(t, inputs[token], token)
		_, err := e.update(token, "none-of-that-id", without(inputs[token], "tagsAll"), without(inputs[token], "tagsAll"))
		refused(t, err, code)
	}
}

func TestAPublicZoneDoesNotBecomePrivate(t *testing.T) {
	t.Parallel()
	e := start(t)
	id := e.id(awstype.HostedZone, props.Map{"name": "example.org"})
	_, err := e.update(awstype.HostedZone, id, props.Map{"name": "example.org"},
		props.Map{"name": "example.org", "vpcs": []any{map[string]any{"vpcId": e.vpc()}}})
	refused(t, err, "PublicZoneVPCAssociation")
}
