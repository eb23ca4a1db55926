package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVPCsAreBetween16And28(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, cidr := range []string{"10.0.0.0/15", "10.0.0.0/29"} {
		_, _, err := e.try(vpcToken, props{"cidrBlock": cidr}, false)
		refused(t, err, "InvalidVpc.Range")
		require.ErrorContains(t, err, "creating EC2 VPC: operation error EC2: CreateVpc, ")
	}
	_, _, err := e.try(vpcToken, props{}, false)
	refused(t, err, "MissingParameter")
}

func TestAVPCComesWithTableGroupAndOptions(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, out := e.create(vpcToken, props{"cidrBlock": "10.0.0.0/16"})
	require.Regexp(t, `^rtb-0[0-9a-f]{16}$`, out["mainRouteTableId"])
	require.Equal(t, out["mainRouteTableId"], out["defaultRouteTableId"])
	require.Regexp(t, `^sg-0[0-9a-f]{16}$`, out["defaultSecurityGroupId"])
	require.Regexp(t, `^acl-0[0-9a-f]{16}$`, out["defaultNetworkAclId"])
	require.Regexp(t, `^dopt-0[0-9a-f]{16}$`, out["dhcpOptionsId"])
	require.Equal(t, true, out["enableDnsSupport"])
	require.Equal(t, false, out["enableDnsHostnames"])
	require.Equal(t, "default", out["instanceTenancy"])
	require.Equal(t, "123456789012", out["ownerId"])

	_, other := e.create(vpcToken, props{"cidrBlock": "10.1.0.0/16"})
	require.Equal(t, out["dhcpOptionsId"], other["dhcpOptionsId"], "the default options are the account's")
}

func TestAVPCStaysWhileOthersAreInIt(t *testing.T) {
	t.Parallel()
	for token, inputs := range map[string]props{
		subnetToken:        {"cidrBlock": "10.0.0.0/20"},
		igwToken:           {},
		routeTableToken:    {},
		securityGroupToken: {"name": "x"},
		endpointToken:      {"serviceName": "com.amazonaws.us-east-1.s3"},
	} {
		e := start(t)
		vpc := e.vpc()
		inputs["vpcId"] = vpc
		id := e.id(token, inputs)
		err := e.delete(vpcToken, vpc)
		refused(t, err, "DependencyViolation")
		require.ErrorContains(t, err, "deleting EC2 VPC ("+vpc+")", token)
		require.NoError(t, e.delete(token, id))
		require.NoError(t, e.delete(vpcToken, vpc))
	}
}

func TestDHCPOptionsOfAVPC(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, _, err := e.try(dhcpToken, props{}, false)
	refused(t, err, "MissingParameter")

	vpc := e.vpc()
	first := e.id(dhcpToken, props{"domainName": "one"})
	second := e.id(dhcpToken, props{"domainName": "two"})
	id := e.id(dhcpAssociationToken, props{"vpcId": vpc, "dhcpOptionsId": first})
	require.Equal(t, first+"-"+vpc, id)
	options := func() any {
		_, out, _ := e.read(vpcToken, vpc, nil)
		return out["dhcpOptionsId"]
	}
	require.Equal(t, first, options())
	refused(t, e.delete(dhcpToken, first), "DependencyViolation")

	_, err = e.update(dhcpAssociationToken, id, props{"vpcId": vpc, "dhcpOptionsId": first},
		props{"vpcId": vpc, "dhcpOptionsId": second})
	require.NoError(t, err)
	require.Equal(t, second, options())
	require.NoError(t, e.delete(dhcpToken, first))

	require.NoError(t, e.delete(dhcpAssociationToken, id))
	require.Equal(t, "default", options(), "without an association a VPC has no options of its own")
}

func TestReferencesInEC2MustExist(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet, table := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.table(vpc)
	e.gateway(vpc)
	group := e.id(securityGroupToken, props{"vpcId": vpc, "name": "x"})
	for _, c := range []struct {
		token  string
		inputs props
		code   string
	}{
		{subnetToken, props{"vpcId": "vpc-0", "cidrBlock": "10.0.0.0/20"}, "InvalidVpcID.NotFound"},
		{igwToken, props{"vpcId": "vpc-0"}, "InvalidVpcID.NotFound"},
		{igwAttachmentToken, props{"vpcId": vpc, "internetGatewayId": "igw-0"}, "InvalidInternetGatewayID.NotFound"},
		{routeTableToken, props{"vpcId": "vpc-0"}, "InvalidVpcID.NotFound"},
		{securityGroupToken, props{"vpcId": "vpc-0", "name": "y"}, "InvalidVpcID.NotFound"},
		{defaultSecurityGroupToken, props{"vpcId": "vpc-0"}, "InvalidVpcID.NotFound"},
		{natToken, props{"subnetId": "subnet-0", "allocationId": e.address()}, "InvalidSubnetID.NotFound"},
		{natToken, props{"subnetId": subnet, "allocationId": "eipalloc-0"}, "InvalidAllocationID.NotFound"},
		{eipToken, props{"instance": "i-0"}, "InvalidInstanceID.NotFound"},
		{eipToken, props{"networkInterface": "eni-0"}, "InvalidNetworkInterfaceID.NotFound"},
		{routeToken, props{"routeTableId": "rtb-0", "destinationCidrBlock": "0.0.0.0/0", "gatewayId": "igw-0"}, "InvalidRouteTableID.NotFound"},
		{routeToken, props{"routeTableId": table, "destinationCidrBlock": "0.0.0.0/0", "gatewayId": "igw-0"}, "InvalidInternetGatewayID.NotFound"},
		{routeToken, props{"routeTableId": table, "destinationCidrBlock": "0.0.0.0/0", "natGatewayId": "nat-0"}, "NatGatewayNotFound"},
		{routeAssociationToken, props{"routeTableId": "rtb-0", "subnetId": subnet}, "InvalidRouteTableID.NotFound"},
		{routeAssociationToken, props{"routeTableId": table, "subnetId": "subnet-0"}, "InvalidSubnetID.NotFound"},
		{mainAssociationToken, props{"routeTableId": "rtb-0", "vpcId": vpc}, "InvalidRouteTableID.NotFound"},
		{dhcpAssociationToken, props{"vpcId": vpc, "dhcpOptionsId": "dopt-0"}, "InvalidDhcpOptionID.NotFound"},
		{endpointToken, props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.s3", "routeTableIds": list("rtb-0")}, "InvalidRouteTableID.NotFound"},
		{endpointToken, props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2", "vpcEndpointType": "Interface", "subnetIds": list("subnet-0")}, "InvalidSubnetID.NotFound"},
		{endpointToken, props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2", "vpcEndpointType": "Interface", "securityGroupIds": list("sg-0")}, "InvalidGroup.NotFound"},
		{endpointTableToken, props{"vpcEndpointId": "vpce-0", "routeTableId": table}, "InvalidVpcEndpointId.NotFound"},
		{ingressRuleToken, props{"securityGroupId": "sg-0", "ipProtocol": "-1", "cidrIpv4": "0.0.0.0/0"}, "InvalidGroup.NotFound"},
		{ingressRuleToken, props{"securityGroupId": group, "ipProtocol": "-1", "referencedSecurityGroupId": "sg-0"}, "InvalidGroup.NotFound"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		refused(t, err, c.code)
	}
}
