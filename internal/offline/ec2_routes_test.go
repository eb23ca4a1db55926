package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATableHasOneRouteADestination(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	table, gateway := e.table(vpc), e.gateway(vpc)
	route := props{"routeTableId": table, "destinationCidrBlock": "0.0.0.0/0", "gatewayId": gateway}
	id := e.id(routeToken, route)
	require.Equal(t, "r-"+table+"1080289494", id, "the provider's hash of 0.0.0.0/0")
	_, _, err := e.try(routeToken, route, false)
	refused(t, err, "RouteAlreadyExists")
	_, _, err = e.try(routeToken, props{"routeTableId": table, "destinationCidrBlock": "10.0.0.0/16", "gatewayId": gateway}, false)
	refused(t, err, "RouteAlreadyExists")

	_, out, in := e.read(routeTableToken, table, props{"vpcId": vpc})
	require.Equal(t, gateway, out.objects("routes")[0].text("gatewayId"), "a table shows its routes")
	require.NotContains(t, in, "routes", "but not as an input of its own")
	imported, _, _ := e.read(routeToken, table+"_0.0.0.0/0", nil)
	require.Equal(t, id, imported)
}

func TestARouteLeadsToAGatewayOfItsOwnVPC(t *testing.T) {
	t.Parallel()
	e := start(t)
	table := e.table(e.vpc())
	other := e.vpc()
	gateway := e.gateway(other)
	nat := e.nat(e.subnet(other, "10.0.0.0/20", "us-east-1a"), e.address())
	for _, target := range []props{{"gatewayId": gateway}, {"natGatewayId": nat}, {"gatewayId": e.id(igwToken, props{})}} {
		target["routeTableId"], target["destinationCidrBlock"] = table, "0.0.0.0/0"
		_, _, err := e.try(routeToken, target, false)
		refused(t, err, "InvalidParameterValue")
		require.ErrorContains(t, err, "belong to different networks")
	}
}

func TestARouteHasOneTargetAndOneDestination(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		inputs props
		reason string
	}{
		{props{"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0"}, "must be specified"},
		{props{"routeTableId": "rtb-1", "gatewayId": "igw-1"}, "must be specified"},
		{props{"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0", "gatewayId": "igw-1", "natGatewayId": "nat-1"},
			"only one of"},
	} {
		_, failures := e.check(routeToken, c.inputs)
		require.Len(t, failures, 1)
		require.Contains(t, failures[0].GetReason(), c.reason)
	}
}

func TestASubnetHasOneRouteTableOfItsVPC(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet, table := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.table(vpc)
	_, _, err := e.try(routeAssociationToken, props{"subnetId": subnet, "routeTableId": e.table(e.vpc())}, false)
	refused(t, err, "InvalidParameterValue")
	id := e.id(routeAssociationToken, props{"subnetId": subnet, "routeTableId": table})
	_, _, err = e.try(routeAssociationToken, props{"subnetId": subnet, "routeTableId": e.table(vpc)}, false)
	refused(t, err, "Resource.AlreadyAssociated")
	refused(t, e.delete(routeTableToken, table), "DependencyViolation")
	imported, _, _ := e.read(routeAssociationToken, subnet+"/"+table, nil)
	require.Equal(t, id, imported)
}

func TestTheMainTableIsRestored(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	main := func() any {
		_, out, _ := e.read(vpcToken, vpc, nil)
		return out["mainRouteTableId"]
	}
	original, table := main(), e.table(vpc)
	_, _, err := e.try(mainAssociationToken, props{"vpcId": vpc, "routeTableId": e.table(e.vpc())}, false)
	refused(t, err, "InvalidParameterValue")

	id, out := e.create(mainAssociationToken, props{"vpcId": vpc, "routeTableId": table})
	require.Equal(t, original, out["originalRouteTableId"])
	require.Equal(t, table, main())
	refused(t, e.delete(routeTableToken, table), "DependencyViolation")

	other := e.table(vpc)
	_, err = e.update(mainAssociationToken, id, props{"vpcId": vpc, "routeTableId": table}, props{"vpcId": vpc, "routeTableId": other})
	require.NoError(t, err)
	require.Equal(t, other, main())
	require.NoError(t, e.delete(routeTableToken, table))
	require.NoError(t, e.delete(mainAssociationToken, id))
	require.Equal(t, original, main())
}

func TestAMainAssociationDoesNotMoveToAnotherVPC(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc, other := e.vpc(), e.vpc()
	was := props{"vpcId": vpc, "routeTableId": e.table(vpc)}
	is := props{"vpcId": other, "routeTableId": e.table(other)}
	require.Empty(t, e.diff(mainAssociationToken, was, is).GetReplaces(), "the provider plans no replacement")
	_, err := e.update(mainAssociationToken, e.id(mainAssociationToken, was), was, is)
	refused(t, err, "InvalidParameterValue")
}
