package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestTheCIDRsOfAVPCAreFromSlash16ToSlash28(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, cidr := range []string{"10.0.0.0/15", "10.0.0.0/29"} {
		_, _, err := e.try(awstype.VPC, props.Map{"cidrBlock": cidr}, false)
		refused(t, err, "InvalidVpc.Range")
		require.ErrorContains(t, err, "creating EC2 VPC: operation error EC2: CreateVpc, ")
	}
	_, _, err := e.try(awstype.VPC, props.Map{}, false)
	refused(t, err, "MissingParameter")
}

func TestAVPCComesWithTableGroupAndOptions(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, out := e.create(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16"})
	require.Regexp(t, `^rtb-0[0-9a-f]{16}$`, out["mainRouteTableId"])
	require.Equal(t, out["mainRouteTableId"], out["defaultRouteTableId"])
	require.Regexp(t, `^sg-0[0-9a-f]{16}$`, out["defaultSecurityGroupId"])
	require.Regexp(t, `^acl-0[0-9a-f]{16}$`, out["defaultNetworkAclId"])
	require.Regexp(t, `^dopt-0[0-9a-f]{16}$`, out["dhcpOptionsId"])
	require.Equal(t, true, out["enableDnsSupport"])
	require.Equal(t, false, out["enableDnsHostnames"])
	require.Equal(t, "default", out["instanceTenancy"])
	require.Equal(t, "123456789012", out["ownerId"])

	_, other := e.create(awstype.VPC, props.Map{"cidrBlock": "10.1.0.0/16"})
	require.Equal(t, out["dhcpOptionsId"], other["dhcpOptionsId"], "the default options are the account's")
}

func TestAVPCStaysWhileOthersAreInIt(t *testing.T) {
	t.Parallel()
	for token, inputs := range map[string]props.Map{
		awstype.Subnet:          {"cidrBlock": "10.0.0.0/20"},
		awstype.InternetGateway: {},
		awstype.RouteTable:      {},
		awstype.SecurityGroup:   {"name": "x"},
		awstype.VPCEndpoint:     {"serviceName": "com.amazonaws.us-east-1.s3"},
	} {
		e := start(t)
		vpc := e.vpc()
		inputs["vpcId"] = vpc
		id := e.id(token, inputs)
		err := e.delete(awstype.VPC, vpc)
		refused(t, err, "DependencyViolation")
		require.ErrorContains(t, err, "deleting EC2 VPC ("+vpc+")", token)
		require.NoError(t, e.delete(token, id))
		require.NoError(t, e.delete(awstype.VPC, vpc))
	}
}

func TestAVPCHasOneSetOfDHCPOptions(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, _, err := e.try(awstype.DHCPOptions, props.Map{}, false)
	refused(t, err, "MissingParameter")

	vpc := e.vpc()
	first := e.id(awstype.DHCPOptions, props.Map{"domainName": "one"})
	second := e.id(awstype.DHCPOptions, props.Map{"domainName": "two"})
	id := e.id(awstype.DHCPOptionsAssociation, props.Map{"vpcId": vpc, "dhcpOptionsId": first})
	require.Equal(t, first+"-"+vpc, id)
	options := func() any {
		_, out, _ := e.read(awstype.VPC, vpc, nil)
		return out["dhcpOptionsId"]
	}
	require.Equal(t, first, options())
	refused(t, e.delete(awstype.DHCPOptions, first), "DependencyViolation")

	_, err = e.update(awstype.DHCPOptionsAssociation, id, props.Map{"vpcId": vpc, "dhcpOptionsId": first},
		props.Map{"vpcId": vpc, "dhcpOptionsId": second})
	require.NoError(t, err)
	require.Equal(t, second, options())
	require.NoError(t, e.delete(awstype.DHCPOptions, first))

	require.NoError(t, e.delete(awstype.DHCPOptionsAssociation, id))
	require.Equal(t, "default", options(), "without an association a VPC has no options of its own")
}

func TestReferencesInEC2MustExist(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	subnet, table := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.table(vpc)
	e.gateway(vpc)
	group := e.id(awstype.SecurityGroup, props.Map{"vpcId": vpc, "name": "x"})
	for _, c := range []struct {
		token  string
		inputs props.Map
		code   string
	}{
		{awstype.Subnet, props.Map{"vpcId": "vpc-0", "cidrBlock": "10.0.0.0/20"}, "InvalidVpcID.NotFound"},
		{awstype.InternetGateway, props.Map{"vpcId": "vpc-0"}, "InvalidVpcID.NotFound"},
		{awstype.InternetGatewayAttachment, props.Map{
			"vpcId":             vpc,
			"internetGatewayId": "igw-0",
		}, "InvalidInternetGatewayID.NotFound"},
		{awstype.RouteTable, props.Map{"vpcId": "vpc-0"}, "InvalidVpcID.NotFound"},
		{awstype.SecurityGroup, props.Map{"vpcId": "vpc-0", "name": "y"}, "InvalidVpcID.NotFound"},
		{awstype.DefaultSecurityGroup, props.Map{"vpcId": "vpc-0"}, "InvalidVpcID.NotFound"},
		{awstype.NATGateway, props.Map{"subnetId": "subnet-0", "allocationId": e.address()}, "InvalidSubnetID.NotFound"},
		{awstype.NATGateway, props.Map{"subnetId": subnet, "allocationId": "eipalloc-0"}, "InvalidAllocationID.NotFound"},
		{awstype.ElasticIP, props.Map{"instance": "i-0"}, "InvalidInstanceID.NotFound"},
		{awstype.ElasticIP, props.Map{"networkInterface": "eni-0"}, "InvalidNetworkInterfaceID.NotFound"},
		{awstype.Route, props.Map{
			"routeTableId":         "rtb-0",
			"destinationCidrBlock": "0.0.0.0/0",
			"gatewayId":            "igw-0",
		}, "InvalidRouteTableID.NotFound"},
		{awstype.Route, props.Map{
			"routeTableId":         table,
			"destinationCidrBlock": "0.0.0.0/0",
			"gatewayId":            "igw-0",
		}, "InvalidInternetGatewayID.NotFound"},
		{awstype.Route, props.Map{
			"routeTableId":         table,
			"destinationCidrBlock": "0.0.0.0/0",
			"natGatewayId":         "nat-0",
		}, "NatGatewayNotFound"},
		{awstype.RouteTableAssociation, props.Map{
			"routeTableId": "rtb-0",
			"subnetId":     subnet,
		}, "InvalidRouteTableID.NotFound"},
		{awstype.RouteTableAssociation, props.Map{"routeTableId": table, "subnetId": "subnet-0"}, "InvalidSubnetID.NotFound"},
		{awstype.MainRouteTableAssociation, props.Map{"routeTableId": "rtb-0", "vpcId": vpc}, "InvalidRouteTableID.NotFound"},
		{awstype.DHCPOptionsAssociation, props.Map{"vpcId": vpc, "dhcpOptionsId": "dopt-0"}, "InvalidDhcpOptionID.NotFound"},
		{awstype.VPCEndpoint, props.Map{
			"vpcId":         vpc,
			"serviceName":   "com.amazonaws.us-east-1.s3",
			"routeTableIds": props.List("rtb-0"),
		}, "InvalidRouteTableID.NotFound"},
		{awstype.VPCEndpoint, props.Map{
			"vpcId":           vpc,
			"serviceName":     "com.amazonaws.us-east-1.ec2",
			"vpcEndpointType": "Interface",
			"subnetIds":       props.List("subnet-0"),
		},
			"InvalidSubnetID.NotFound"},
		{awstype.VPCEndpoint, props.Map{
			"vpcId":            vpc,
			"serviceName":      "com.amazonaws.us-east-1.ec2",
			"vpcEndpointType":  "Interface",
			"securityGroupIds": props.List("sg-0"),
		},
			"InvalidGroup.NotFound"},
		{awstype.VPCEndpointRouteTable, props.Map{
			"vpcEndpointId": "vpce-0",
			"routeTableId":  table,
		}, "InvalidVpcEndpointId.NotFound"},
		{awstype.SecurityGroupIngressRule, props.Map{
			"securityGroupId": "sg-0",
			"ipProtocol":      "-1",
			"cidrIpv4":        "0.0.0.0/0",
		}, "InvalidGroup.NotFound"},
		{awstype.SecurityGroupIngressRule, props.Map{
			"securityGroupId":           group,
			"ipProtocol":                "-1",
			"referencedSecurityGroupId": "sg-0",
		}, "InvalidGroup.NotFound"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		refused(t, err, c.code)
	}
}
