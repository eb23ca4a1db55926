package offline

import (
	"maps"
	"slices"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// everyType creates one resource of every type, in an order in which each finds what it refers to, and gives their
// inputs and IDs by type.
func (e *engine) everyType() (order []string, inputs map[string]props.Map, ids map[string]string) {
	e.t.Helper()
	inputs, ids = map[string]props.Map{}, map[string]string{}
	add := func(token string, in props.Map) string {
		ids[token] = e.id(token, in)
		inputs[token] = e.valid(token, in)
		order = append(order, token)
		return ids[token]
	}
	tags := map[string]any{"kubernetes.io/cluster/x": "owned"}
	vpc := add(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": true, "tags": tags})
	options := add(awstype.DHCPOptions, props.Map{
		"domainName":        "ec2.internal",
		"domainNameServers": props.List("AmazonProvidedDNS"),
	})
	add(awstype.DHCPOptionsAssociation, props.Map{"vpcId": vpc, "dhcpOptionsId": options})
	add(awstype.DefaultSecurityGroup, props.Map{"vpcId": vpc})
	gateway := add(awstype.InternetGateway, props.Map{"vpcId": vpc})
	subnet := add(awstype.Subnet, props.Map{"vpcId": vpc, "cidrBlock": "10.0.0.0/20", "availabilityZone": "us-east-1a"})
	address := add(awstype.ElasticIP, props.Map{"domain": "vpc"})
	add(awstype.NATGateway, props.Map{"subnetId": subnet, "allocationId": address})
	table := add(awstype.RouteTable, props.Map{"vpcId": vpc})
	add(awstype.MainRouteTableAssociation, props.Map{"vpcId": vpc, "routeTableId": table})
	add(awstype.Route, props.Map{"routeTableId": table, "destinationCidrBlock": "0.0.0.0/0", "gatewayId": gateway})
	add(awstype.RouteTableAssociation, props.Map{"routeTableId": table, "subnetId": subnet})
	endpoint := add(awstype.VPCEndpoint, props.Map{"vpcId": vpc, "serviceName": "com.amazonaws.us-east-1.s3"})
	add(awstype.VPCEndpointRouteTable, props.Map{"vpcEndpointId": endpoint, "routeTableId": table})
	balancer := add(awstype.LoadBalancer, props.Map{
		"name":             "router",
		"loadBalancerType": "network",
		"internal":         true,
		"subnets":          props.List(subnet),
	})
	add(awstype.VPCEndpointService, props.Map{
		"acceptanceRequired":      false,
		"networkLoadBalancerArns": props.List(balancer),
		"tags":                    tags,
	})
	group := add(awstype.SecurityGroup, props.Map{"vpcId": vpc, "name": "nodes",
		"ingress": []any{map[string]any{
			"protocol":   "tcp",
			"fromPort":   22.0,
			"toPort":     22.0,
			"cidrBlocks": props.List("10.0.0.0/16"),
		}}})
	add(awstype.SecurityGroupIngressRule, props.Map{"securityGroupId": group, "ipProtocol": "tcp", "fromPort": 443.0,
		"toPort":   443.0,
		"cidrIpv4": "10.0.0.0/16"})
	add(awstype.SecurityGroupEgressRule, props.Map{"securityGroupId": group, "ipProtocol": "-1", "cidrIpv4": "0.0.0.0/0"})
	zone := add(awstype.HostedZone, props.Map{"name": "demo.example.com", "vpcs": []any{map[string]any{"vpcId": vpc}}})
	add(awstype.Record, props.Map{
		"zoneId":  zone,
		"name":    "api.demo.example.com",
		"type":    "CNAME",
		"ttl":     300.0,
		"records": props.List("x.example.com"),
	})
	add(awstype.OIDCProvider, props.Map{"url": issuer, "clientIdLists": props.List("openshift", "sts.amazonaws.com")})
	role := add(awstype.Role, props.Map{"name": "worker", "assumeRolePolicy": trustText})
	add(awstype.RolePolicy, props.Map{"name": "worker", "role": role, "policy": policyText})
	policy := add(awstype.Policy, props.Map{"name": "boundary", "policy": policyText})
	add(awstype.RolePolicyAttachment, props.Map{"role": role, "policyArn": policy})
	profile := add(awstype.InstanceProfile, props.Map{"name": "worker", "role": role})
	add(awstype.ServiceLinkedRole, props.Map{"awsServiceName": "spot.amazonaws.com"})
	e.management(add)
	e.networkOptions(add, vpc, subnet, zone, profile)

	other := e.id(awstype.VPC, props.Map{"cidrBlock": "10.1.0.0/16"})
	add(awstype.InternetGatewayAttachment, props.Map{
		"vpcId":             other,
		"internetGatewayId": e.id(awstype.InternetGateway, props.Map{}),
	})
	return order, inputs, ids
}

func TestEveryTypeIsCreatedReadAsCreatedAndDeleted(t *testing.T) {
	t.Parallel()
	e := start(t)
	order, inputs, ids := e.everyType()
	require.ElementsMatch(t, slices.Collect(maps.Keys(catalogue().Kinds)), order, "a type is missing")

	for _, token := range order {
		found, out, in := e.read(token, ids[token], inputs[token])
		require.Equal(t, ids[token], found, token)
		require.Equal(t, ids[token], out["id"], token)
		for name := range out {
			if name != "id" {
				require.Contains(t, catalogue().Kinds[token].Outputs, name, token)
			}
		}
		if _, has := catalogue().Kinds[token].Outputs["arn"]; has {
			require.Regexp(t, `^arn:aws:[a-z0-9]+:`, out["arn"], token)
			if record, _ := awstype.Lookup(token); record.Find.Tags.Listed() {
				require.Equal(t, record.Find.Tags.ResourceARN(ids[token], "aws", "us-east-1", "123456789012"), out["arn"], token)
			}
		}
		diff := e.diff(token, in, inputs[token])
		if token == awstype.HostedZone {
			require.Equal(t, []string{"vpcs"}, diff.GetDiffs(), "a zone shows the VPC of its association")
		} else {
			require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, diff.GetChanges(), "a refresh of %s finds a change: %v", token,
				diff)
		}

		_, _, imported := e.read(token, ids[token], nil)
		diff = e.diff(token, imported, inputs[token])
		if token == awstype.KeyPair {
			require.Equal(t, []string{"publicKey"}, diff.GetReplaces(), "AWS does not return the public key")
			continue
		}
		require.Empty(t, diff.GetReplaces(), "an import of %s would replace it", token)
	}
	for _, token := range slices.Backward(order) {
		require.NoError(t, e.delete(token, ids[token]), token)
		found, _, _ := e.read(token, ids[token], props.Map{})
		require.Empty(t, found, token)
	}
}

func TestTagsChangeInPlaceOnEveryTaggableType(t *testing.T) {
	t.Parallel()
	e := start(t)
	order, inputs, ids := e.everyType()
	taggable := 0
	for _, token := range order {
		if catalogue().Kinds[token].Inputs["tags"].Kind == 0 {
			continue
		}
		taggable++
		tagged := without(inputs[token], "tagsAll")
		tagged["tags"] = map[string]any{"team": "platform"}
		checked := e.valid(token, tagged)
		diff := e.diff(token, inputs[token], checked)
		require.Contains(t, diff.GetDetailedDiff(), "tags.team", token)
		if strings.HasPrefix(token, "aws:vpc/") {
			require.NotContains(t, checked, "tagsAll", "an output alone in the types of Terraform's plugin framework")
		} else {
			require.Contains(t, diff.GetDetailedDiff(), "tagsAll.team", token)
		}
		require.Empty(t, diff.GetReplaces(), token)
		out, err := e.update(token, ids[token], without(inputs[token], "tagsAll"), tagged)
		require.NoError(t, err, token)
		require.Equal(t, map[string]any{"team": "platform"}, out["tagsAll"], token)
	}
	require.GreaterOrEqual(t, taggable, 24)
}

func TestAnUpdateOfADeletedResourceIsRefused(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, err := e.update(awstype.VPC, "vpc-none", props.Map{"cidrBlock": "10.0.0.0/16"},
		props.Map{"cidrBlock": "10.0.0.0/16"})
	refused(t, err, "InvalidVpcID.NotFound")
}

func TestAPreviewReturnsInputsAndLeavesTheRestUnknown(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, out, err := e.try(awstype.Subnet, props.Map{
		"vpcId":     props.Unknown{},
		"cidrBlock": "10.0.0.0/20",
		"tags":      map[string]any{"a": props.Unknown{}},
	}, true)
	require.NoError(t, err)
	require.Empty(t, id)
	require.Equal(t, "10.0.0.0/20", out["cidrBlock"])
	require.Equal(t, false, out["mapPublicIpOnLaunch"], "a default is known beforehand")
	for _, name := range []string{"arn", "vpcId", "ownerId", "availabilityZone", "availabilityZoneId", "tagsAll"} {
		require.Equal(t, props.Unknown{}, out[name], name)
	}
	require.NotContains(t, out, "outpostArn", "an input that is not given stays away")
}

func TestAPreviewOfAnUpdateKeepsKnownValues(t *testing.T) {
	t.Parallel()
	e := start(t)
	olds, err := props.Marshal(props.Map{"cidrBlock": "10.0.0.0/16", "arn": "arn:x", "enableDnsHostnames": true})
	require.NoError(t, err)
	news, err := props.Marshal(props.Map{"cidrBlock": "10.0.0.0/16", "tags": map[string]any{"a": props.Unknown{}}})
	require.NoError(t, err)
	planned, err := e.client.Update(t.Context(), &pulumirpc.UpdateRequest{Type: awstype.VPC, Name: "it", Id: "vpc-1",
		Olds: olds,
		News: news, Preview: true})
	require.NoError(t, err)
	out, err := props.Unmarshal(planned.GetProperties())
	require.NoError(t, err)
	require.Equal(t, "arn:x", out["arn"])
	require.Equal(t, true, out["enableDnsHostnames"], "AWS keeps what is no longer said")
	require.Equal(t, map[string]any{"a": props.Unknown{}}, out["tags"])
}

func without(p props.Map, name string) props.Map {
	p = p.Clone()
	delete(p, name)
	return p
}

func TestAResourceThatIsOnlyLookedUpKeepsNoInputs(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, _, in := e.read(awstype.VPC, e.vpc(), props.Map{})
	require.Empty(t, in)
}
