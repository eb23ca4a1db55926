package offline

import (
	"encoding/json"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestTheSiteAnswersForItself(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{}), props.Map{"region": "cn-north-1"})
	partition, err := e.invoke("aws:index/getPartition:getPartition", nil)
	require.NoError(t, err)
	require.Equal(t, props.Map{"id": "aws-cn", "partition": "aws-cn", "dnsSuffix": "amazonaws.com.cn",
		"reverseDnsPrefix": "cn.com.amazonaws"}, partition)
	region, err := e.invoke("aws:index/getRegion:getRegion", nil)
	require.NoError(t, err)
	require.Equal(t, "cn-north-1", region["name"])
	require.Equal(t, "cn-north-1", region["id"])
	identity, err := e.invoke("aws:index/getCallerIdentity:getCallerIdentity", nil)
	require.NoError(t, err)
	require.Equal(t, "123456789012", identity["accountId"])
	require.Equal(t, "arn:aws-cn:iam::123456789012:user/offline", identity["arn"])
}

func TestZonesCanBeFilteredAndLookedUp(t *testing.T) {
	t.Parallel()
	e := start(t)
	all, err := e.invoke("aws:index/getAvailabilityZones:getAvailabilityZones", props.Map{"state": "available"})
	require.NoError(t, err)
	require.Equal(t, props.List("us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1e", "us-east-1f"),
		all["names"])
	require.Len(t, all["zoneIds"], 6)
	some, err := e.invoke("aws:index/getAvailabilityZones:getAvailabilityZones",
		props.Map{"excludeNames": props.List("us-east-1e"),
			"filters": []any{map[string]any{"name": "zone-name", "values": props.List("us-east-1a", "us-east-1e")}}})
	require.NoError(t, err)
	require.Equal(t, props.List("us-east-1a"), some["names"])
	_, err = e.invoke("aws:index/getAvailabilityZones:getAvailabilityZones",
		props.Map{"filters": []any{map[string]any{"name": "colour", "values": props.List("red")}}})
	require.ErrorContains(t, err, "InvalidParameterValue")

	one, err := e.invoke("aws:index/getAvailabilityZone:getAvailabilityZone", props.Map{"name": "us-east-1a"})
	require.NoError(t, err)
	require.Equal(t, all.Strings("zoneIds")[0], one["zoneId"])
	require.Equal(t, "a", one["nameSuffix"])
	byID, err := e.invoke("aws:index/getAvailabilityZone:getAvailabilityZone", props.Map{"zoneId": one["zoneId"]})
	require.NoError(t, err)
	require.Equal(t, "us-east-1a", byID["name"])
	_, err = e.invoke("aws:index/getAvailabilityZone:getAvailabilityZone", props.Map{"name": "us-east-1z"})
	require.ErrorContains(t, err, "InvalidParameterValue: Invalid availability zone: [us-east-1z]")
}

func TestHostedZonesAreFoundByNameAndKind(t *testing.T) {
	t.Parallel()
	e := start(t)
	public := e.publicZone("example.com")
	vpc := e.vpc()
	private := e.id(awstype.HostedZone, privateZone("example.com", vpc))
	for _, c := range []struct {
		args props.Map
		want string
	}{
		{props.Map{"name": "example.com"}, public},
		{props.Map{"name": "example.com.", "privateZone": true}, private},
		{props.Map{"name": "example.com", "vpcId": vpc}, private},
		{props.Map{"zoneId": private}, private},
	} {
		found, err := e.invoke("aws:route53/getZone:getZone", c.args)
		require.NoError(t, err)
		require.Equal(t, c.want, found["zoneId"])
		require.EqualValues(t, 2, found["resourceRecordSetCount"])
	}
	_, err := e.invoke("aws:route53/getZone:getZone", props.Map{"name": "example.org"})
	require.ErrorContains(t, err, "no matching Route 53 Hosted Zone found")
	e.publicZone("example.com")
	_, err = e.invoke("aws:route53/getZone:getZone", props.Map{"name": "example.com"})
	require.ErrorContains(t, err, "multiple Route 53 Hosted Zones matched")
}

func TestVPCsAndSubnetsAreFoundByIDAndTags(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.id(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "tags": map[string]any{"a": "1"}})
	e.vpc()
	found, err := e.invoke("aws:ec2/getVpc:getVpc", props.Map{"tags": map[string]any{"a": "1"}})
	require.NoError(t, err)
	require.Equal(t, vpc, found["id"])
	require.Equal(t, "10.0.0.0/16", found["cidrBlock"])
	_, err = e.invoke("aws:ec2/getVpc:getVpc", props.Map{"cidrBlock": "10.0.0.0/16"})
	require.ErrorContains(t, err, "multiple EC2 VPCs matched")
	_, err = e.invoke("aws:ec2/getVpc:getVpc", props.Map{"id": "vpc-0"})
	require.ErrorContains(t, err, "no matching EC2 VPC found")

	subnet := e.subnet(vpc, "10.0.0.0/20", "us-east-1a")
	found, err = e.invoke("aws:ec2/getSubnet:getSubnet", props.Map{"vpcId": vpc, "availabilityZone": "us-east-1a"})
	require.NoError(t, err)
	require.Equal(t, subnet, found["id"])
	require.EqualValues(t, 4091, found["availableIpAddressCount"])
}

func TestLookupsOfMissingResources(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, err := e.invoke("aws:kms/getKey:getKey", props.Map{"keyId": keyARN})
	require.ErrorContains(t, err, "NotFoundException: Key '"+keyARN+"' does not exist")
	_, err = e.invoke("aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider", props.Map{"url": issuer})
	require.ErrorContains(t, err, "not found")
	_, err = e.invoke("aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider", props.Map{"arn": "arn:x"})
	require.ErrorContains(t, err, "NoSuchEntity")
}

// Programs in YAML read which types, inputs and functions there are.
func TestTheSchemaHasEveryTypeAndItsProperties(t *testing.T) {
	t.Parallel()
	e := start(t)
	response, err := e.client.GetSchema(t.Context(), &pulumirpc.GetSchemaRequest{})
	require.NoError(t, err)
	type members struct {
		InputProperties, Properties map[string]any
		RequiredInputs              []string
	}
	var schema struct {
		Name      string
		Provider  members
		Resources map[string]members
		Functions map[string]struct{ Inputs, Outputs members }
	}
	require.NoError(t, json.Unmarshal([]byte(response.GetSchema()), &schema))
	require.Equal(t, "aws", schema.Name)
	require.Contains(t, schema.Provider.InputProperties, "assumeRoles")
	for _, of := range awstype.All() {
		require.NotEmpty(t, schema.Resources[of.Token].InputProperties, of.Token)
	}
	subnet := schema.Resources["aws:ec2/subnet:Subnet"]
	require.Contains(t, subnet.InputProperties, "cidrBlock")
	require.Contains(t, subnet.Properties, "arn")
	require.Contains(t, subnet.RequiredInputs, "vpcId")
	region := schema.Functions["aws:index/getRegion:getRegion"]
	require.Contains(t, region.Inputs.Properties, "name")
	require.Contains(t, region.Outputs.Properties, "endpoint")
}
