package offline

import (
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestATableHasOneRouteADestination(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	table, gateway := e.table(vpc), e.gateway(vpc)
	route := props.Map{"routeTableId": table, "destinationCidrBlock": "0.0.0.0/0", "gatewayId": gateway}
	id := e.id(awstype.Route, route)
	require.Equal(t, "r-"+table+"1080289494", id, "the provider's hash of 0.0.0.0/0")
	_, _, err := e.try(awstype.Route, route, false)
	refused(t, err, "RouteAlreadyExists")
	_, _, err = e.try(awstype.Route, props.Map{
		"routeTableId":         table,
		"destinationCidrBlock": "10.0.0.0/16",
		"gatewayId":            gateway,
	}, false)
	refused(t, err, "RouteAlreadyExists")

	_, out, in := e.read(awstype.RouteTable, table, props.Map{"vpcId": vpc})
	require.Equal(t, gateway, out.Objects("routes")[0].String("gatewayId"), "a table shows its routes")
	require.NotContains(t, in, "routes", "but not as an input of its own")
	imported, _, _ := e.read(awstype.Route, table+"_0.0.0.0/0", nil)
	require.Equal(t, id, imported)
}

func TestARouteLeadsToAGatewayOfItsOwnVPC(t *testing.T) {
	t.Parallel()
	e := start(t)
	table := e.table(e.vpc())
	other := e.vpc()
	gateway := e.gateway(other)
	nat := e.nat(e.subnet(other, "10.0.0.0/20", "us-east-1a"), e.address())
	for _, target := range []props.Map{{"gatewayId": gateway}, {"natGatewayId": nat}, {
		"gatewayId": e.id(awstype.InternetGateway, props.Map{}),
	}} {
		target["routeTableId"], target["destinationCidrBlock"] = table, "0.0.0.0/0"
		_, _, err := e.try(awstype.Route, target, false)
		refused(t, err, "InvalidParameterValue")
		require.ErrorContains(t, err, "belong to different networks")
	}
}

func TestARouteHasOneTargetAndOneDestination(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		inputs props.Map
		reason string
	}{
		{props.Map{"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0"}, "must be specified"},
		{props.Map{"routeTableId": "rtb-1", "gatewayId": "igw-1"}, "must be specified"},
		{props.Map{
			"routeTableId":         "rtb-1",
			"destinationCidrBlock": "0.0.0.0/0",
			"gatewayId":            "igw-1",
			"natGatewayId":         "nat-1",
		},
			"only one of"},
	} {
		_, failures := e.check(awstype.Route, c.inputs)
		require.Len(t, failures, 1)
		require.Contains(t, failures[0].GetReason(), c.reason)
	}
}

func TestASubnetHasOneRouteTableOfItsVPC(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet, table := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.table(vpc)
	_, _, err := e.try(awstype.RouteTableAssociation, props.Map{
		"subnetId":     subnet,
		"routeTableId": e.table(e.vpc()),
	}, false)
	refused(t, err, "InvalidParameterValue")
	id := e.id(awstype.RouteTableAssociation, props.Map{"subnetId": subnet, "routeTableId": table})
	_, _, err = e.try(awstype.RouteTableAssociation, props.Map{"subnetId": subnet, "routeTableId": e.table(vpc)}, false)
	refused(t, err, "Resource.AlreadyAssociated")
	refused(t, e.delete(awstype.RouteTable, table), "DependencyViolation")
	imported, _, _ := e.read(awstype.RouteTableAssociation, subnet+"/"+table, nil)
	require.Equal(t, id, imported)
}

func TestTheMainTableIsRestored(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	main := func() any {
		_, out, _ := e.read(awstype.VPC, vpc, nil)
		return out["mainRouteTableId"]
	}
	original, table := main(), e.table(vpc)
	_, _, err := e.try(awstype.MainRouteTableAssociation, props.Map{"vpcId": vpc, "routeTableId": e.table(e.vpc())}, false)
	refused(t, err, "InvalidParameterValue")

	id, out := e.create(awstype.MainRouteTableAssociation, props.Map{"vpcId": vpc, "routeTableId": table})
	require.Equal(t, original, out["originalRouteTableId"])
	require.Equal(t, table, main())
	refused(t, e.delete(awstype.RouteTable, table), "DependencyViolation")

	other := e.table(vpc)
	_, err = e.update(awstype.MainRouteTableAssociation, id, props.Map{
		"vpcId":        vpc,
		"routeTableId": table,
	}, props.Map{"vpcId": vpc, "routeTableId": other})
	require.NoError(t, err)
	require.Equal(t, other, main())
	require.NoError(t, e.delete(awstype.RouteTable, table))
	require.NoError(t, e.delete(awstype.MainRouteTableAssociation, id))
	require.Equal(t, original, main())
}

func TestAMainAssociationDoesNotMoveToAnotherVPC(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc, other := e.vpc(), e.vpc()
	was := props.Map{"vpcId": vpc, "routeTableId": e.table(vpc)}
	is := props.Map{"vpcId": other, "routeTableId": e.table(other)}
	require.Empty(t, e.diff(awstype.MainRouteTableAssociation, was, is).GetReplaces(), "the provider plans no replacement")
	_, err := e.update(awstype.MainRouteTableAssociation, e.id(awstype.MainRouteTableAssociation, was), was, is)
	refused(t, err, "InvalidParameterValue")
}

func TestAnAssociationThatDoesNotExistCannotBeImported(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	table := e.table(vpc)
	_, err := e.client.Read(t.Context(), &pulumirpc.ReadRequest{
		Type: awstype.RouteTableAssociation,
		Name: "it",
		Id:   "subnet-0/" + table,
	})
	require.ErrorContains(t, err, "No association found between subnet")

	_, settings, _ := e.read(awstype.VPC, vpc, nil)
	id, out, _ := e.read(awstype.DHCPOptionsAssociation, vpc, nil)
	require.Equal(t, settings.String("dhcpOptionsId")+"-"+vpc, id, "the provider imports the default options too")
	require.Equal(t, settings.String("dhcpOptionsId"), out.String("dhcpOptionsId"))
}
