package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
)

func TestPartsGoWithTheWhole(t *testing.T) {
	t.Parallel()
	parts := map[string][]string{
		awstype.VPC: {awstype.DHCPOptionsAssociation, awstype.DefaultSecurityGroup,
			awstype.MainRouteTableAssociation, awstype.SecondaryCIDR, awstype.FlowLog},
		awstype.ResourceShare:   {awstype.ResourceAssociation, awstype.PrincipalAssociation},
		awstype.Subnet:          {awstype.RouteTableAssociation},
		awstype.RouteTable:      {awstype.Route, awstype.VPCEndpointRouteTable},
		awstype.VPCEndpoint:     {awstype.VPCEndpointRouteTable},
		awstype.SecurityGroup:   {awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule},
		awstype.InternetGateway: {awstype.InternetGatewayAttachment},
		awstype.HostedZone:      {awstype.Record, awstype.VPCAssociationAuthorization},
		awstype.Role:            {awstype.RolePolicy, awstype.RolePolicyAttachment},
	}
	for whole, tokens := range parts {
		dir := t.TempDir()
		e := attach(t, serve(t, Options{Dir: dir}), props.Map{"region": "us-east-1"})
		_, inputs, ids := e.everyType()
		id := ids[whole]
		if whole == awstype.InternetGateway {
			id = inputs[awstype.InternetGatewayAttachment].String("internetGatewayId")
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

func TestAResourceThatIsReferredToCannotBeDeleted(t *testing.T) {
	t.Parallel()
	const firewall = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"
	e := attach(t, serve(t, Options{
		Seeds: []seed.Seed{{Kind: seed.FirewallService, Name: firewall}},
	}), props.Map{"region": "us-east-1"})
	vpc := e.vpc()
	subnet, table := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.table(vpc)

	empty, attached := e.vpc(), e.id(awstype.InternetGateway, props.Map{})
	attachment := e.id(awstype.InternetGatewayAttachment, props.Map{"vpcId": empty, "internetGatewayId": attached})
	gateway := e.gateway(vpc)
	primary, secondary := e.address(), e.address()
	nat := e.id(awstype.NATGateway, props.Map{
		"subnetId":               subnet,
		"allocationId":           primary,
		"secondaryAllocationIds": props.List(secondary),
	})
	group := e.id(awstype.SecurityGroup, props.Map{"vpcId": vpc, "name": "x"})
	endpoint := e.id(awstype.VPCEndpoint, props.Map{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2",
		"vpcEndpointType":  "Interface",
		"securityGroupIds": props.List(group)})
	inspection := e.id(awstype.VPCEndpoint, props.Map{
		"vpcId":           vpc,
		"serviceName":     firewall,
		"vpcEndpointType": "GatewayLoadBalancer",
		"subnetIds":       props.List(subnet),
	})
	route := e.id(awstype.Route, props.Map{
		"routeTableId":         table,
		"destinationCidrBlock": "192.0.2.0/24",
		"vpcEndpointId":        inspection,
	})
	edge := e.id(awstype.RouteTableAssociation, props.Map{"routeTableId": table, "gatewayId": gateway})
	for _, held := range []struct{ token, id, code string }{
		{awstype.InternetGateway, attached, "DependencyViolation"},
		{awstype.VPC, empty, "DependencyViolation"},
		{awstype.ElasticIP, primary, "InvalidIPAddress.InUse"},
		{awstype.ElasticIP, secondary, "InvalidIPAddress.InUse"},
		{awstype.VPCEndpoint, inspection, "DependencyViolation"},
		{awstype.SecurityGroup, group, "DependencyViolation"},
	} {
		refused(t, e.delete(held.token, held.id), held.code)
	}
	require.NoError(t, e.delete(awstype.InternetGatewayAttachment, attachment))
	require.NoError(t, e.delete(awstype.VPC, empty))
	require.NoError(t, e.delete(awstype.NATGateway, nat))
	require.NoError(t, e.delete(awstype.InternetGateway, gateway))
	found, _, _ := e.read(awstype.RouteTableAssociation, edge, props.Map{})
	require.Empty(t, found, "an edge association is deleted with its gateway")
	require.NoError(t, e.delete(awstype.Route, route))
	require.NoError(t, e.delete(awstype.VPCEndpoint, inspection))
	require.NoError(t, e.delete(awstype.VPCEndpoint, endpoint))
	require.NoError(t, e.delete(awstype.SecurityGroup, group))
}
