package offline

import (
	"maps"
	"slices"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
)

// estate makes one resource of every type, in an order in which each finds what it refers to, and gives their inputs and
// IDs by type.
func (e *engine) estate() (order []string, inputs map[string]props, ids map[string]string) {
	e.t.Helper()
	inputs, ids = map[string]props{}, map[string]string{}
	add := func(token string, in props) string {
		ids[token] = e.id(token, in)
		inputs[token] = e.valid(token, in)
		order = append(order, token)
		return ids[token]
	}
	tags := map[string]any{"kubernetes.io/cluster/x": "owned"}
	vpc := add(vpcToken, props{"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": true, "tags": tags})
	options := add(dhcpToken, props{"domainName": "ec2.internal", "domainNameServers": list("AmazonProvidedDNS")})
	add(dhcpAssociationToken, props{"vpcId": vpc, "dhcpOptionsId": options})
	add(defaultSecurityGroupToken, props{"vpcId": vpc})
	gateway := add(igwToken, props{"vpcId": vpc})
	subnet := add(subnetToken, props{"vpcId": vpc, "cidrBlock": "10.0.0.0/20", "availabilityZone": "us-east-1a"})
	address := add(eipToken, props{"domain": "vpc"})
	add(natToken, props{"subnetId": subnet, "allocationId": address})
	table := add(routeTableToken, props{"vpcId": vpc})
	add(mainAssociationToken, props{"vpcId": vpc, "routeTableId": table})
	add(routeToken, props{"routeTableId": table, "destinationCidrBlock": "0.0.0.0/0", "gatewayId": gateway})
	add(routeAssociationToken, props{"routeTableId": table, "subnetId": subnet})
	endpoint := add(endpointToken, props{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.s3"})
	add(endpointTableToken, props{"vpcEndpointId": endpoint, "routeTableId": table})
	balancer := add(loadBalancerToken, props{"name": "router", "loadBalancerType": "network", "internal": true, "subnets": list(subnet)})
	add(endpointServiceToken, props{"acceptanceRequired": false, "networkLoadBalancerArns": list(balancer), "tags": tags})
	group := add(securityGroupToken, props{"vpcId": vpc, "name": "nodes",
		"ingress": []any{map[string]any{"protocol": "tcp", "fromPort": 22.0, "toPort": 22.0, "cidrBlocks": list("10.0.0.0/16")}}})
	add(ingressRuleToken, props{"securityGroupId": group, "ipProtocol": "tcp", "fromPort": 443.0, "toPort": 443.0,
		"cidrIpv4": "10.0.0.0/16"})
	add(egressRuleToken, props{"securityGroupId": group, "ipProtocol": "-1", "cidrIpv4": "0.0.0.0/0"})
	zone := add(zoneToken, props{"name": "demo.example.com", "vpcs": []any{map[string]any{"vpcId": vpc}}})
	add(recordToken, props{"zoneId": zone, "name": "api.demo.example.com", "type": "CNAME", "ttl": 300.0, "records": list("x.example.com")})
	add(oidcToken, props{"url": issuer, "clientIdLists": list("openshift", "sts.amazonaws.com")})
	role := add(roleToken, props{"name": "worker", "assumeRolePolicy": trustText})
	add(rolePolicyToken, props{"name": "worker", "role": role, "policy": policyText})
	policy := add(policyToken, props{"name": "boundary", "policy": policyText})
	add(attachmentToken, props{"role": role, "policyArn": policy})
	profile := add(profileToken, props{"name": "worker", "role": role})
	add(serviceLinkedRoleToken, props{"awsServiceName": "spot.amazonaws.com"})
	e.management(add)
	e.networkOptions(add, vpc, subnet, zone, profile)

	other := e.id(vpcToken, props{"cidrBlock": "10.1.0.0/16"})
	add(igwAttachmentToken, props{"vpcId": other, "internetGatewayId": e.id(igwToken, props{})})
	return order, inputs, ids
}

func TestEveryTypeComesUpReadsAsItWasMadeAndGoes(t *testing.T) {
	t.Parallel()
	e := start(t)
	order, inputs, ids := e.estate()
	require.ElementsMatch(t, slices.Collect(maps.Keys(knownTypes().kinds)), order, "the estate holds every type")

	for _, token := range order {
		found, out, in := e.read(token, ids[token], inputs[token])
		require.Equal(t, ids[token], found, token)
		for name := range out {
			require.Contains(t, knownTypes().kinds[token].outputs, name, token)
		}
		diff := e.diff(token, in, inputs[token])
		require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, diff.GetChanges(), "a refresh of %s finds a change: %v", token, diff)

		_, _, imported := e.read(token, ids[token], nil)
		diff = e.diff(token, imported, inputs[token])
		require.Empty(t, diff.GetReplaces(), "an import of %s would replace it", token)
	}
	for _, token := range slices.Backward(order) {
		require.NoError(t, e.delete(token, ids[token]), token)
		found, _, _ := e.read(token, ids[token], nil)
		require.Empty(t, found, token)
	}
}

func TestTagsChangeInPlaceOnEveryTaggableType(t *testing.T) {
	t.Parallel()
	e := start(t)
	order, inputs, ids := e.estate()
	taggable := 0
	for _, token := range order {
		if knownTypes().kinds[token].inputs["tags"].kind == 0 {
			continue
		}
		taggable++
		tagged := without(inputs[token], "tagsAll")
		tagged["tags"] = map[string]any{"team": "platform"}
		diff := e.diff(token, inputs[token], e.valid(token, tagged))
		require.Contains(t, diff.GetDetailedDiff(), "tags.team", token)
		require.Contains(t, diff.GetDetailedDiff(), "tagsAll.team", token)
		require.Empty(t, diff.GetReplaces(), token)
		out, err := e.update(token, ids[token], without(inputs[token], "tagsAll"), tagged)
		require.NoError(t, err, token)
		require.Equal(t, map[string]any{"team": "platform"}, out["tagsAll"], token)
	}
	require.GreaterOrEqual(t, taggable, 24)
}

func TestAnUpdateOfWhatIsGoneIsRefused(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, err := e.update(vpcToken, "vpc-none", props{"cidrBlock": "10.0.0.0/16"}, props{"cidrBlock": "10.0.0.0/16"})
	refused(t, err, "InvalidVpcID.NotFound")
}

func TestAPreviewTellsInputsAndLeavesTheRestUnknown(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, out, err := e.try(subnetToken, props{"vpcId": unknown{}, "cidrBlock": "10.0.0.0/20", "tags": map[string]any{"a": unknown{}}}, true)
	require.NoError(t, err)
	require.Empty(t, id)
	require.Equal(t, "10.0.0.0/20", out["cidrBlock"])
	require.Equal(t, false, out["mapPublicIpOnLaunch"], "a default is known beforehand")
	for _, name := range []string{"arn", "vpcId", "ownerId", "availabilityZone", "availabilityZoneId", "tagsAll"} {
		require.Equal(t, unknown{}, out[name], name)
	}
	require.NotContains(t, out, "outpostArn", "an input that is not given stays away")
}

func TestAPreviewOfAnUpdateKeepsWhatIsKnown(t *testing.T) {
	t.Parallel()
	e := start(t)
	olds, err := props{"cidrBlock": "10.0.0.0/16", "arn": "arn:x", "enableDnsHostnames": true}.marshal()
	require.NoError(t, err)
	news, err := props{"cidrBlock": "10.0.0.0/16", "tags": map[string]any{"a": unknown{}}}.marshal()
	require.NoError(t, err)
	planned, err := e.client.Update(t.Context(), &pulumirpc.UpdateRequest{Type: vpcToken, Name: "it", Id: "vpc-1", Olds: olds,
		News: news, Preview: true})
	require.NoError(t, err)
	out, err := unmarshal(planned.GetProperties())
	require.NoError(t, err)
	require.Equal(t, "arn:x", out["arn"])
	require.Equal(t, true, out["enableDnsHostnames"], "AWS keeps what is no longer said")
	require.Equal(t, map[string]any{"a": unknown{}}, out["tags"])
}

func without(p props, name string) props {
	p = p.clone()
	delete(p, name)
	return p
}

func TestAResourceThatIsOnlyLookedUpKeepsNoInputs(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, _, in := e.read(vpcToken, e.vpc(), props{})
	require.Empty(t, in)
}
