package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestAGatewayEndpointHasAPrefixListAndItsTables(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	one, two := e.table(vpc), e.table(vpc)
	id, out := e.create(awstype.VPCEndpoint, props.Map{
		"vpcId":         vpc,
		"serviceName":   "com.amazonaws.us-east-1.s3",
		"routeTableIds": props.List(one),
	})
	require.Regexp(t, `^vpce-0[0-9a-f]{16}$`, id)
	require.Regexp(t, `^pl-[0-9a-f]{8}$`, out["prefixListId"])
	require.Equal(t, "Gateway", out["vpcEndpointType"])
	require.Equal(t, "available", out["state"])

	e.id(awstype.VPCEndpointRouteTable, props.Map{"vpcEndpointId": id, "routeTableId": two})
	_, out, in := e.read(awstype.VPCEndpoint, id, props.Map{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.s3"})
	require.ElementsMatch(t, props.List(one, two), out["routeTableIds"])
	require.NotContains(t, in, "routeTableIds")
}

func TestGatewayEndpointRefusals(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	table := e.table(vpc)
	endpoint := e.id(awstype.VPCEndpoint, props.Map{
		"vpcId":         vpc,
		"serviceName":   "com.amazonaws.us-east-1.s3",
		"routeTableIds": props.List(table),
	})
	for _, c := range []struct {
		token  string
		inputs props.Map
		code   string
	}{
		{awstype.VPCEndpoint, props.Map{"serviceName": "com.amazonaws.us-east-1.ec2"}, "InvalidParameter"},
		{awstype.VPCEndpoint, props.Map{"serviceName": "com.amazonaws.us-west-2.s3"}, "InvalidServiceName"},
		{awstype.VPCEndpoint, props.Map{"serviceName": "s3"}, "InvalidServiceName"},
		{awstype.VPCEndpoint, props.Map{"serviceName": "cn.com.amazonaws.us-east-1.ec2"}, "InvalidServiceName"},
		{awstype.VPCEndpoint, props.Map{}, "MissingParameter"},
		{awstype.VPCEndpoint, props.Map{"serviceName": "com.amazonaws.us-east-1.s3", "policy": `{"Statement":[]}`}, "InvalidPolicyDocument"},
		{awstype.VPCEndpoint, props.Map{
			"serviceName":   "com.amazonaws.us-east-1.s3",
			"routeTableIds": props.List(e.table(e.vpc())),
		}, "InvalidParameter"},
		{awstype.VPCEndpoint, props.Map{
			"serviceName":   "com.amazonaws.us-east-1.s3",
			"routeTableIds": props.List(table),
		}, "RouteAlreadyExists"},
		{awstype.VPCEndpointRouteTable, props.Map{"vpcEndpointId": endpoint, "routeTableId": table}, "RouteAlreadyExists"},
	} {
		if c.token == awstype.VPCEndpoint {
			c.inputs["vpcId"] = vpc
		}
		_, _, err := e.try(c.token, c.inputs, false)
		refused(t, err, c.code)
	}
}

func TestAnInterfaceEndpointHasAnInterfaceAndANamePerZone(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	a, b := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.subnet(vpc, "10.0.16.0/20", "us-east-1b")
	inputs := props.Map{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2", "vpcEndpointType": "Interface",
		"subnetIds": props.List(a), "privateDnsEnabled": true}
	id, out := e.create(awstype.VPCEndpoint, inputs)
	require.Len(t, out["networkInterfaceIds"], 1)
	require.Len(t, out["securityGroupIds"], 1, "the VPC's default group")
	names := out.Objects("dnsEntries")
	require.Len(t, names, 3)
	require.Regexp(t, `^`+id+`-[0-9a-f]{8}\.ec2\.us-east-1\.vpce\.amazonaws\.com$`, names[0]["dnsName"])
	require.Regexp(t, `-us-east-1a\.ec2\.us-east-1\.vpce\.amazonaws\.com$`, names[1]["dnsName"])
	require.Equal(t, "ec2.us-east-1.amazonaws.com", names[2]["dnsName"])

	wider := inputs.Clone()
	wider["subnetIds"] = props.List(a, b)
	out, err := e.update(awstype.VPCEndpoint, id, inputs, wider)
	require.NoError(t, err)
	require.Len(t, out["networkInterfaceIds"], 2)
	require.Len(t, out.Objects("dnsEntries"), 4)

	_, _, err = e.try(awstype.VPCEndpoint, inputs, false)
	refused(t, err, "InvalidParameter")
	require.ErrorContains(t, err, "conflicting DNS domain")
}

func TestInterfaceEndpointRefusals(t *testing.T) {
	t.Parallel()
	e := start(t)
	silent := e.id(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16"})
	_, _, err := e.try(awstype.VPCEndpoint, props.Map{"vpcId": silent, "serviceName": "com.amazonaws.us-east-1.ec2",
		"vpcEndpointType": "Interface", "privateDnsEnabled": true}, false)
	refused(t, err, "InvalidParameter")
	require.ErrorContains(t, err, "enableDnsSupport and enableDnsHostnames")

	vpc := e.vpc()
	_, _, err = e.try(awstype.VPCEndpoint, props.Map{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2",
		"vpcEndpointType": "Interface",
		"subnetIds": props.List(e.subnet(vpc, "10.0.0.0/20", "us-east-1a"),
			e.subnet(vpc, "10.0.16.0/20", "us-east-1a"))},
		false)
	refused(t, err, "DuplicateSubnetsInSameZone")
}

func TestChinaNamesSomeServicesByAPrefixOfItsOwn(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{}), props.Map{"region": "cn-north-1"})
	vpc := e.vpc()
	for name, known := range map[string]bool{
		"cn.com.amazonaws.cn-north-1.ec2": true, "com.amazonaws.cn-north-1.ec2": false,
		"com.amazonaws.cn-north-1.elasticloadbalancing": true, "cn.com.amazonaws.cn-north-1.elasticloadbalancing": false,
	} {
		_, _, err := e.try(awstype.VPCEndpoint, props.Map{
			"vpcId":           vpc,
			"serviceName":     name,
			"vpcEndpointType": "Interface",
		}, false)
		if known {
			require.NoError(t, err, name)
		} else {
			refused(t, err, "InvalidServiceName")
		}
	}
}
