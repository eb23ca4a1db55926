package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAGatewayEndpointHasAPrefixListAndItsTables(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	one, two := e.table(vpc), e.table(vpc)
	id, out := e.create(endpointToken, props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.s3", "routeTableIds": list(one)})
	require.Regexp(t, `^vpce-0[0-9a-f]{16}$`, id)
	require.Regexp(t, `^pl-[0-9a-f]{8}$`, out["prefixListId"])
	require.Equal(t, "Gateway", out["vpcEndpointType"])
	require.Equal(t, "available", out["state"])

	e.id(endpointTableToken, props{"vpcEndpointId": id, "routeTableId": two})
	_, out, in := e.read(endpointToken, id, props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.s3"})
	require.ElementsMatch(t, list(one, two), out["routeTableIds"])
	require.NotContains(t, in, "routeTableIds")
}

func TestWhatAGatewayEndpointMayNot(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	table := e.table(vpc)
	endpoint := e.id(endpointToken, props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.s3", "routeTableIds": list(table)})
	for _, c := range []struct {
		token  string
		inputs props
		code   string
	}{
		{endpointToken, props{"serviceName": "com.amazonaws.us-east-1.ec2"}, "InvalidParameter"},
		{endpointToken, props{"serviceName": "com.amazonaws.us-west-2.s3"}, "InvalidServiceName"},
		{endpointToken, props{"serviceName": "s3"}, "InvalidServiceName"},
		{endpointToken, props{"serviceName": "cn.com.amazonaws.us-east-1.ec2"}, "InvalidServiceName"},
		{endpointToken, props{}, "MissingParameter"},
		{endpointToken, props{"serviceName": "com.amazonaws.us-east-1.s3", "policy": `{"Statement":[]}`}, "InvalidPolicyDocument"},
		{endpointToken, props{"serviceName": "com.amazonaws.us-east-1.s3", "routeTableIds": list(e.table(e.vpc()))}, "InvalidParameter"},
		{endpointToken, props{"serviceName": "com.amazonaws.us-east-1.s3", "routeTableIds": list(table)}, "RouteAlreadyExists"},
		{endpointTableToken, props{"vpcEndpointId": endpoint, "routeTableId": table}, "RouteAlreadyExists"},
	} {
		if c.token == endpointToken {
			c.inputs["vpcId"] = vpc
		}
		_, _, err := e.try(c.token, c.inputs, false)
		refused(t, err, c.code)
	}
}

func TestAnInterfaceEndpointHasAnInterfaceAndANameAZone(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	a, b := e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.subnet(vpc, "10.0.16.0/20", "us-east-1b")
	inputs := props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2", "vpcEndpointType": "Interface",
		"subnetIds": list(a), "privateDnsEnabled": true}
	id, out := e.create(endpointToken, inputs)
	require.Len(t, out["networkInterfaceIds"], 1)
	require.Len(t, out["securityGroupIds"], 1, "the VPC's default group")
	names := out.objects("dnsEntries")
	require.Len(t, names, 3)
	require.Regexp(t, `^`+id+`-[0-9a-f]{8}\.ec2\.us-east-1\.vpce\.amazonaws\.com$`, names[0]["dnsName"])
	require.Regexp(t, `-us-east-1a\.ec2\.us-east-1\.vpce\.amazonaws\.com$`, names[1]["dnsName"])
	require.Equal(t, "ec2.us-east-1.amazonaws.com", names[2]["dnsName"])

	wider := inputs.clone()
	wider["subnetIds"] = list(a, b)
	out, err := e.update(endpointToken, id, inputs, wider)
	require.NoError(t, err)
	require.Len(t, out["networkInterfaceIds"], 2)
	require.Len(t, out.objects("dnsEntries"), 4)

	_, _, err = e.try(endpointToken, inputs, false)
	refused(t, err, "InvalidParameter")
	require.ErrorContains(t, err, "conflicting DNS domain")
}

func TestWhatAnInterfaceEndpointMayNot(t *testing.T) {
	t.Parallel()
	e := start(t)
	silent := e.id(vpcToken, props{"cidrBlock": "10.0.0.0/16"})
	_, _, err := e.try(endpointToken, props{"vpcId": silent, "serviceName": "com.amazonaws.us-east-1.ec2",
		"vpcEndpointType": "Interface", "privateDnsEnabled": true}, false)
	refused(t, err, "InvalidParameter")
	require.ErrorContains(t, err, "enableDnsSupport and enableDnsHostnames")

	vpc := e.vpc()
	_, _, err = e.try(endpointToken, props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.ec2", "vpcEndpointType": "Interface",
		"subnetIds": list(e.subnet(vpc, "10.0.0.0/20", "us-east-1a"), e.subnet(vpc, "10.0.16.0/20", "us-east-1a"))}, false)
	refused(t, err, "DuplicateSubnetsInSameZone")
}

func TestChinaNamesSomeServicesByAPrefixOfItsOwn(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{}), props{"region": "cn-north-1"})
	vpc := e.vpc()
	for name, known := range map[string]bool{
		"cn.com.amazonaws.cn-north-1.ec2": true, "com.amazonaws.cn-north-1.ec2": false,
		"com.amazonaws.cn-north-1.elasticloadbalancing": true, "cn.com.amazonaws.cn-north-1.elasticloadbalancing": false,
	} {
		_, _, err := e.try(endpointToken, props{"vpcId": vpc, "serviceName": name, "vpcEndpointType": "Interface"}, false)
		if known {
			require.NoError(t, err, name)
		} else {
			refused(t, err, "InvalidServiceName")
		}
	}
}
