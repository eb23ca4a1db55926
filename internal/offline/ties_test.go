package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartsGoWithTheWhole(t *testing.T) {
	t.Parallel()
	parts := map[string][]string{
		vpcToken:           {dhcpAssociationToken, defaultSecurityGroupToken, mainAssociationToken, secondaryToken, flowLogToken},
		shareToken:         {sharedResourceToken, sharedWithToken},
		subnetToken:        {routeAssociationToken},
		routeTableToken:    {routeToken, endpointTableToken},
		endpointToken:      {endpointTableToken},
		securityGroupToken: {ingressRuleToken, egressRuleToken},
		igwToken:           {igwAttachmentToken},
		zoneToken:          {recordToken, authorizationToken},
		roleToken:          {rolePolicyToken, attachmentToken},
	}
	for whole, tokens := range parts {
		dir := t.TempDir()
		e := attach(t, serve(t, Options{Dir: dir}), props{"region": "us-east-1"})
		_, inputs, ids := e.estate()
		id := ids[whole]
		if whole == igwToken {
			id = inputs[igwAttachmentToken].text("internetGatewayId")
		}
		accounts, err := Accounts(dir)
		require.NoError(t, err)
		require.NoError(t, accounts[0].Remove(id))
		for _, token := range tokens {
			found, _, _ := e.read(token, ids[token], nil)
			require.Empty(t, found, "%s without its %s", token, whole)
		}
	}
}

func TestWhatIsReferredToStays(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet, table := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.table(vpc)

	empty, attached := e.vpc(), e.id(igwToken, props{})
	attachment := e.id(igwAttachmentToken, props{"vpcId": empty, "internetGatewayId": attached})
	gateway := e.gateway(vpc)
	primary, secondary := e.address(), e.address()
	nat := e.id(natToken, props{"subnetId": subnet, "allocationId": primary, "secondaryAllocationIds": list(secondary)})
	group := e.id(securityGroupToken, props{"vpcId": vpc, "name": "x"})
	endpoint := e.id(endpointToken, props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2", "vpcEndpointType": "Interface",
		"securityGroupIds": list(group)})
	route := e.id(routeToken, props{"routeTableId": table, "destinationCidrBlock": "192.0.2.0/24", "vpcEndpointId": endpoint})
	edge := e.id(routeAssociationToken, props{"routeTableId": table, "gatewayId": gateway})
	for _, held := range []struct{ token, id, code string }{
		{igwToken, attached, "DependencyViolation"},
		{vpcToken, empty, "DependencyViolation"},
		{eipToken, primary, "InvalidIPAddress.InUse"},
		{eipToken, secondary, "InvalidIPAddress.InUse"},
		{endpointToken, endpoint, "DependencyViolation"},
		{securityGroupToken, group, "DependencyViolation"},
	} {
		refused(t, e.delete(held.token, held.id), held.code)
	}
	require.NoError(t, e.delete(igwAttachmentToken, attachment))
	require.NoError(t, e.delete(vpcToken, empty))
	require.NoError(t, e.delete(natToken, nat))
	require.NoError(t, e.delete(igwToken, gateway))
	found, _, _ := e.read(routeAssociationToken, edge, nil)
	require.Empty(t, found, "an edge association goes with its gateway")
	require.NoError(t, e.delete(routeToken, route))
	require.NoError(t, e.delete(endpointToken, endpoint))
	require.NoError(t, e.delete(securityGroupToken, group))
}
