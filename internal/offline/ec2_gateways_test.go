package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAVPCHasOneInternetGateway(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	e.gateway(vpc)
	_, _, err := e.try(igwToken, props{"vpcId": vpc}, false)
	refused(t, err, "InvalidParameterValue")
	require.ErrorContains(t, err, "Network "+vpc+" already has an internet gateway attached")
	free := e.id(igwToken, props{})
	_, _, err = e.try(igwAttachmentToken, props{"vpcId": vpc, "internetGatewayId": free}, false)
	refused(t, err, "InvalidParameterValue")
}

func TestAnAttachmentShowsOnItsGateway(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc, gateway := e.vpc(), e.id(igwToken, props{})
	attachment := e.id(igwAttachmentToken, props{"vpcId": vpc, "internetGatewayId": gateway})
	require.Equal(t, gateway+":"+vpc, attachment)
	_, out, _ := e.read(igwToken, gateway, nil)
	require.Equal(t, vpc, out["vpcId"])
	_, _, err := e.try(igwAttachmentToken, props{"vpcId": e.vpc(), "internetGatewayId": gateway}, false)
	refused(t, err, "Resource.AlreadyAssociated")
	refused(t, e.delete(igwToken, gateway), "DependencyViolation")
	require.NoError(t, e.delete(igwAttachmentToken, attachment))
	require.NoError(t, e.delete(igwToken, gateway))
}

func TestAnInternetGatewayStaysWhileAddressesNeedIt(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	gateway := e.gateway(vpc)
	nat := e.nat(e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.address())
	err := e.delete(igwToken, gateway)
	refused(t, err, "DependencyViolation")
	require.ErrorContains(t, err, "mapped public address(es)")
	_, err = e.update(igwToken, gateway, props{"vpcId": vpc}, props{"vpcId": e.vpc()})
	refused(t, err, "DependencyViolation")
	require.NoError(t, e.delete(natToken, nat))
	require.NoError(t, e.delete(igwToken, gateway))
}

func TestANATGatewayNeedsAFreeAddressAndAGateway(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet, address := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.address()
	_, _, err := e.try(natToken, props{"subnetId": subnet, "allocationId": address}, false)
	refused(t, err, "Gateway.NotAttached")
	e.gateway(vpc)
	_, _, err = e.try(natToken, props{"subnetId": subnet}, false)
	refused(t, err, "MissingParameter")
	_, _, err = e.try(natToken, props{"subnetId": subnet, "allocationId": address, "connectivityType": "private"}, false)
	refused(t, err, "InvalidParameter")

	_, nat := e.create(natToken, props{"subnetId": subnet, "allocationId": address})
	_, _, err = e.try(natToken, props{"subnetId": subnet, "allocationId": address}, false)
	refused(t, err, "Resource.AlreadyAssociated")

	_, found, _ := e.read(eipToken, address, nil)
	require.Equal(t, found["publicIp"], nat["publicIp"])
	require.Equal(t, found["associationId"], nat["associationId"], "the address shows what it is bound to")
	require.Equal(t, found["networkInterface"], nat["networkInterfaceId"])
	require.Equal(t, "10.0.0.4", nat["privateIp"], "AWS keeps a subnet's first four addresses")
	refused(t, e.delete(eipToken, address), "InvalidIPAddress.InUse")

	_, private := e.create(natToken, props{"subnetId": subnet, "connectivityType": "private"})
	require.Equal(t, "10.0.0.5", private["privateIp"])
	require.Equal(t, "", private["publicIp"])
}

func TestAnAddressIsForVPCsByDefault(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, out := e.create(eipToken, props{})
	require.Equal(t, "vpc", out["domain"])
	require.Equal(t, id, out["allocationId"])
	require.Regexp(t, `^198\.1[89]\.\d+\.\d+$`, out["publicIp"])
}
