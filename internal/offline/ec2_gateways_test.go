package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestAVPCHasOneInternetGateway(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	e.gateway(vpc)
	_, _, err := e.try(awstype.InternetGateway, props.Map{"vpcId": vpc}, false)
	refused(t, err, "InvalidParameterValue")
	require.ErrorContains(t, err, "Network "+vpc+" already has an internet gateway attached")
	free := e.id(awstype.InternetGateway, props.Map{})
	_, _, err = e.try(awstype.InternetGatewayAttachment, props.Map{"vpcId": vpc, "internetGatewayId": free}, false)
	refused(t, err, "InvalidParameterValue")
}

func TestAnAttachmentShowsOnItsGateway(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc, gateway := e.vpc(), e.id(awstype.InternetGateway, props.Map{})
	attachment := e.id(awstype.InternetGatewayAttachment, props.Map{"vpcId": vpc, "internetGatewayId": gateway})
	require.Equal(t, gateway+":"+vpc, attachment)
	_, out, _ := e.read(awstype.InternetGateway, gateway, nil)
	require.Equal(t, vpc, out["vpcId"])
	_, _, err := e.try(awstype.InternetGatewayAttachment, props.Map{"vpcId": e.vpc(), "internetGatewayId": gateway}, false)
	refused(t, err, "Resource.AlreadyAssociated")
	refused(t, e.delete(awstype.InternetGateway, gateway), "DependencyViolation")
	require.NoError(t, e.delete(awstype.InternetGatewayAttachment, attachment))
	require.NoError(t, e.delete(awstype.InternetGateway, gateway))
}

func TestAnInternetGatewayStaysWhileAddressesNeedIt(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	gateway := e.gateway(vpc)
	nat := e.nat(e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.address())
	err := e.delete(awstype.InternetGateway, gateway)
	refused(t, err, "DependencyViolation")
	require.ErrorContains(t, err, "mapped public address(es)")
	_, err = e.update(awstype.InternetGateway, gateway, props.Map{"vpcId": vpc}, props.Map{"vpcId": e.vpc()})
	refused(t, err, "DependencyViolation")
	require.NoError(t, e.delete(awstype.NATGateway, nat))
	require.NoError(t, e.delete(awstype.InternetGateway, gateway))
}

func TestANATGatewayNeedsAFreeAddressAndAGateway(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet, address := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.address()
	_, _, err := e.try(awstype.NATGateway, props.Map{"subnetId": subnet, "allocationId": address}, false)
	refused(t, err, "Gateway.NotAttached")
	e.gateway(vpc)
	_, _, err = e.try(awstype.NATGateway, props.Map{"subnetId": subnet}, false)
	refused(t, err, "MissingParameter")
	_, _, err = e.try(awstype.NATGateway, props.Map{
		"subnetId":         subnet,
		"allocationId":     address,
		"connectivityType": "private",
	}, false)
	refused(t, err, "InvalidParameter")

	_, nat := e.create(awstype.NATGateway, props.Map{"subnetId": subnet, "allocationId": address})
	_, _, err = e.try(awstype.NATGateway, props.Map{"subnetId": subnet, "allocationId": address}, false)
	refused(t, err, "Resource.AlreadyAssociated")

	_, found, _ := e.read(awstype.ElasticIP, address, nil)
	require.Equal(t, found["publicIp"], nat["publicIp"])
	require.Equal(t, found["associationId"], nat["associationId"], "the address shows what it is bound to")
	require.Equal(t, found["networkInterface"], nat["networkInterfaceId"])
	require.Equal(t, "10.0.0.4", nat["privateIp"], "AWS keeps a subnet's first four addresses")
	refused(t, e.delete(awstype.ElasticIP, address), "InvalidIPAddress.InUse")

	_, private := e.create(awstype.NATGateway, props.Map{"subnetId": subnet, "connectivityType": "private"})
	require.Equal(t, "10.0.0.5", private["privateIp"])
	require.Equal(t, "", private["publicIp"])
}

func TestAnAddressIsForVPCsByDefault(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, out := e.create(awstype.ElasticIP, props.Map{})
	require.Equal(t, "vpc", out["domain"])
	require.Equal(t, id, out["allocationId"])
	require.Regexp(t, `^198\.1[89]\.\d+\.\d+$`, out["publicIp"])
}
