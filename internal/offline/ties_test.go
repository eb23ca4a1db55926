package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/types"
)

func TestPartsGoWithTheWhole(t *testing.T) {
	t.Parallel()
	parts := map[string][]string{
		types.VPC:             {types.DHCPOptionsAssociation, types.DefaultSecurityGroup, types.MainRouteTableAssociation, types.SecondaryCIDR, types.FlowLog},
		types.ResourceShare:   {types.ResourceAssociation, types.PrincipalAssociation},
		types.Subnet:          {types.RouteTableAssociation},
		types.RouteTable:      {types.Route, types.VPCEndpointRouteTable},
		types.VPCEndpoint:     {types.VPCEndpointRouteTable},
		types.SecurityGroup:   {types.IngressRule, types.EgressRule},
		types.InternetGateway: {types.InternetGatewayAttachment},
		types.HostedZone:      {types.Record, types.VPCAssociationAuthorization},
		types.Role:            {types.RolePolicy, types.RolePolicyAttachment},
	}
	for whole, tokens := range parts {
		dir := t.TempDir()
		e := attach(t, serve(t, Options{Dir: dir}), props.Map{"region": "us-east-1"})
		_, inputs, ids := e.everyType()
		id := ids[whole]
		if whole == types.InternetGateway {
			id = inputs[types.InternetGatewayAttachment].String("internetGatewayId")
		}
		accounts, err := Accounts(dir)
		require.NoError(t, err)
		require.NoError(t, accounts[0].Remove(id))
		for _, token := range tokens {
			found, _, _ := e.read(token, ids[token], props.Map{})
			require.Empty(t, found, "%s without its %s", token, whole)
		}
	}
}

func TestWhatIsReferredToStays(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet, table := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.table(vpc)

	empty, attached := e.vpc(), e.id(types.InternetGateway, props.Map{})
	attachment := e.id(types.InternetGatewayAttachment, props.Map{"vpcId": empty, "internetGatewayId": attached})
	gateway := e.gateway(vpc)
	primary, secondary := e.address(), e.address()
	nat := e.id(types.NATGateway, props.Map{"subnetId": subnet, "allocationId": primary, "secondaryAllocationIds": props.List(secondary)})
	group := e.id(types.SecurityGroup, props.Map{"vpcId": vpc, "name": "x"})
	endpoint := e.id(types.VPCEndpoint, props.Map{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2", "vpcEndpointType": "Interface",
		"securityGroupIds": props.List(group)})
	route := e.id(types.Route, props.Map{"routeTableId": table, "destinationCidrBlock": "192.0.2.0/24", "vpcEndpointId": endpoint})
	edge := e.id(types.RouteTableAssociation, props.Map{"routeTableId": table, "gatewayId": gateway})
	for _, held := range []struct{ token, id, code string }{
		{types.InternetGateway, attached, "DependencyViolation"},
		{types.VPC, empty, "DependencyViolation"},
		{types.ElasticIP, primary, "InvalidIPAddress.InUse"},
		{types.ElasticIP, secondary, "InvalidIPAddress.InUse"},
		{types.VPCEndpoint, endpoint, "DependencyViolation"},
		{types.SecurityGroup, group, "DependencyViolation"},
	} {
		refused(t, e.delete(held.token, held.id), held.code)
	}
	require.NoError(t, e.delete(types.InternetGatewayAttachment, attachment))
	require.NoError(t, e.delete(types.VPC, empty))
	require.NoError(t, e.delete(types.NATGateway, nat))
	require.NoError(t, e.delete(types.InternetGateway, gateway))
	found, _, _ := e.read(types.RouteTableAssociation, edge, props.Map{})
	require.Empty(t, found, "an edge association goes with its gateway")
	require.NoError(t, e.delete(types.Route, route))
	require.NoError(t, e.delete(types.VPCEndpoint, endpoint))
	require.NoError(t, e.delete(types.SecurityGroup, group))
}
