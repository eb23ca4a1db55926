package offline

import (
	"maps"
	"slices"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
)

// The inputs whose change makes a new resource, as in pulumi-aws 6. What is not listed changes in place.
func TestWhatReplaces(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		vpcToken:                  {"cidrBlock", "instanceTenancy", "ipv4IpamPoolId", "ipv4NetmaskLength"},
		dhcpToken:                 {"domainName", "domainNameServers", "ipv6AddressPreferredLeaseTime", "netbiosNameServers", "netbiosNodeType", "ntpServers"},
		dhcpAssociationToken:      {"vpcId"},
		igwToken:                  {},
		igwAttachmentToken:        {"internetGatewayId", "vpcId"},
		subnetToken:               {"availabilityZone", "availabilityZoneId", "cidrBlock", "ipv6Native", "outpostArn", "vpcId"},
		eipToken:                  {"address", "customerOwnedIpv4Pool", "domain", "ipamPoolId", "networkBorderGroup", "publicIpv4Pool", "vpc"},
		natToken:                  {"allocationId", "connectivityType", "privateIp", "secondaryPrivateIpAddressCount", "subnetId"},
		routeTableToken:           {"vpcId"},
		routeToken:                {"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId", "routeTableId"},
		routeAssociationToken:     {"gatewayId", "subnetId"},
		mainAssociationToken:      {},
		endpointToken:             {"resourceConfigurationArn", "serviceName", "serviceNetworkArn", "serviceRegion", "vpcEndpointType", "vpcId"},
		endpointTableToken:        {"routeTableId", "vpcEndpointId"},
		endpointServiceToken:      {},
		loadBalancerToken:         {"internal", "loadBalancerType", "name", "namePrefix"},
		defaultSecurityGroupToken: {"vpcId"},
		securityGroupToken:        {"description", "name", "namePrefix", "vpcId"},
		ingressRuleToken:          {"securityGroupId"},
		egressRuleToken:           {"securityGroupId"},
		zoneToken:                 {"delegationSetId", "name"},
		recordToken:               {"name", "zoneId"},
		oidcToken:                 {"url"},
		roleToken:                 {"name", "namePrefix", "path"},
		rolePolicyToken:           {"name", "namePrefix", "role"},
		attachmentToken:           {"policyArn", "role"},
		profileToken:              {"name", "namePrefix", "path"},
		serviceLinkedRoleToken:    {"awsServiceName", "customSuffix"},
		policyToken:               {"description", "name", "namePrefix", "path"},
		userToken:                 {},
		userPolicyToken:           {"name", "namePrefix", "user"},
		accessKeyToken:            {"pgpKey", "user"},
		bucketToken:               {"bucket", "bucketPrefix", "objectLockEnabled"},
		objectToken:               {"bucket", "key"},
		ownershipToken:            {"bucket"},
		publicAccessToken:         {"bucket"},
		encryptionToken:           {"bucket", "expectedBucketOwner"},
		versioningToken:           {"bucket", "expectedBucketOwner"},
		lifecycleToken:            {"bucket", "expectedBucketOwner"},
		bucketPolicyToken:         {"bucket"},
		accessControlToken:        {},
		distributionToken:         {"staging"},
		keyToken:                  {"customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion", "xksKeyId"},
		aliasToken:                {"name", "namePrefix"},
		queueToken:                {"fifoQueue", "name", "namePrefix"},
		queuePolicyToken:          {"queueUrl"},
		eventRuleToken:            {"eventBusName", "name", "namePrefix"},
		eventTargetToken:          {"eventBusName", "rule", "targetId"},
	}
	maps.Copy(want, networkOptionReplaces())
	e := start(t)
	kinds := knownTypes().kinds
	require.Len(t, want, len(kinds))
	for token, replacing := range want {
		for name := range kinds[token].inputs {
			diff := e.diff(token, props{name: "one"}, props{name: "two"})
			require.Equal(t, pulumirpc.DiffResponse_DIFF_SOME, diff.GetChanges(), "%s.%s", token, name)
			if slices.Contains(replacing, name) {
				require.Equal(t, []string{name}, diff.GetReplaces(), "%s.%s", token, name)
				require.Equal(t, pulumirpc.PropertyDiff_UPDATE_REPLACE, diff.GetDetailedDiff()[name].GetKind())
			} else {
				require.Empty(t, diff.GetReplaces(), "%s.%s", token, name)
				require.Equal(t, pulumirpc.PropertyDiff_UPDATE, diff.GetDetailedDiff()[name].GetKind())
			}
		}
	}
}

func TestWhatIsNoChange(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		name, token string
		olds, news  props
	}{
		{"the order of a set", endpointToken, props{"routeTableIds": list("a", "b")}, props{"routeTableIds": list("b", "a")}},
		{"the order of clients", oidcToken, props{"clientIdLists": list("a", "b")}, props{"clientIdLists": list("b", "a")}},
		{"the order of rules", securityGroupToken,
			props{"ingress": []any{map[string]any{"protocol": "tcp", "cidrBlocks": list("a", "b")}, map[string]any{"protocol": "udp"}}},
			props{"ingress": []any{map[string]any{"protocol": "udp", "self": false}, map[string]any{"protocol": "tcp", "cidrBlocks": list("b", "a")}}}},
		{"the layout of a document", roleToken, props{"assumeRolePolicy": `{"Version":"2012-10-17","Statement":[{"Action":["a"],"Effect":"Allow"}]}`},
			props{"assumeRolePolicy": `{ "Statement": {"Effect":"Allow","Action":"a"}, "Version": "2012-10-17" }`}},
		{"an issuer's scheme", oidcToken, props{"url": "https://a.b/c"}, props{"url": "a.b/c"}},
		{"a name's last dot", recordToken, props{"name": "A.example.com."}, props{"name": "a.example.com"}},
		{"what AWS has filled in", subnetToken, props{"availabilityZone": "us-east-1a"}, props{}},
		{"nothing at all", vpcToken, props{"tags": map[string]any{}}, props{}},
	} {
		diff := e.diff(c.token, c.olds, c.news)
		require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, diff.GetChanges(), "%s: %v", c.name, diff)
	}
}

func TestWhatIsAChange(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		name, token string
		olds, news  props
		path        string
		kind        pulumirpc.PropertyDiff_Kind
	}{
		{"the order of a list", oidcToken, props{"thumbprintLists": list("a", "b")}, props{"thumbprintLists": list("b", "a")},
			"thumbprintLists", pulumirpc.PropertyDiff_UPDATE},
		{"what is not known yet", subnetToken, props{"vpcId": "vpc-1"}, props{"vpcId": unknown{}}, "vpcId", pulumirpc.PropertyDiff_UPDATE_REPLACE},
		{"an element that is not known yet", endpointToken, props{"subnetIds": list("a")}, props{"subnetIds": []any{unknown{}}}, "subnetIds",
			pulumirpc.PropertyDiff_UPDATE},
		{"a document", roleToken, props{"assumeRolePolicy": trustText}, props{"assumeRolePolicy": policyText}, "assumeRolePolicy",
			pulumirpc.PropertyDiff_UPDATE},
		{"what is added", subnetToken, props{}, props{"outpostArn": "x"}, "outpostArn", pulumirpc.PropertyDiff_ADD_REPLACE},
		{"what is taken away", subnetToken, props{"outpostArn": "x"}, props{}, "outpostArn", pulumirpc.PropertyDiff_DELETE_REPLACE},
		{"a tag", vpcToken, props{"tags": map[string]any{"a": "1"}}, props{"tags": map[string]any{"a": "1", "kubernetes.io/x": "y"}},
			`tags["kubernetes.io/x"]`, pulumirpc.PropertyDiff_ADD},
		{"the last tag", vpcToken, props{"tags": map[string]any{"a": "1"}}, props{}, "tags.a", pulumirpc.PropertyDiff_DELETE},
	} {
		diff := e.diff(c.token, c.olds, c.news)
		require.Len(t, diff.GetDetailedDiff(), 1, c.name)
		require.Contains(t, diff.GetDetailedDiff(), c.path, c.name)
		require.Equal(t, c.kind, diff.GetDetailedDiff()[c.path].GetKind(), c.name)
		require.True(t, diff.GetHasDetailedDiff())
	}
}

func TestIgnoredChangesAreNone(t *testing.T) {
	t.Parallel()
	e := start(t)
	olds, news := props{"tags": map[string]any{"a": "1", "b": "1"}}, props{"tags": map[string]any{"a": "2", "b": "2"}}
	require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, e.diff(vpcToken, olds, news, "tags").GetChanges())
	require.Len(t, e.diff(vpcToken, olds, news, "tags.a").GetDetailedDiff(), 1)
}

func TestAReplacementThatKeepsAUniqueNameDeletesFirst(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		name, token string
		olds, news  props
		first       bool
	}{
		{"a role moves to another path", roleToken, props{"name": "a", "path": "/"}, props{"name": "a", "path": "/b/"}, true},
		{"a role gets another name", roleToken, props{"name": "a"}, props{"name": "b"}, false},
		{"a role policy moves to another role", rolePolicyToken, props{"name": "a", "role": "a"}, props{"name": "a", "role": "b"}, false},
		{"a group gets another description", securityGroupToken, props{"name": "a", "vpcId": "v", "description": "x"},
			props{"name": "a", "vpcId": "v", "description": "y"}, true},
		{"a VPC gets another block", vpcToken, props{"cidrBlock": "10.0.0.0/16"}, props{"cidrBlock": "10.1.0.0/16"}, false},
	} {
		require.Equal(t, c.first, e.diff(c.token, c.olds, c.news).GetDeleteBeforeReplace(), c.name)
	}
}

// The lists whose order says nothing and the texts that are JSON, as in pulumi-aws 6. All others are compared as they are.
func TestWhatIsComparedInAFormOfItsOwn(t *testing.T) {
	t.Parallel()
	sets := map[string][]string{
		natToken:                  {"secondaryAllocationIds", "secondaryPrivateIpAddresses"},
		routeTableToken:           {"propagatingVgws", "routes"},
		endpointToken:             {"routeTableIds", "securityGroupIds", "subnetConfigurations", "subnetIds"},
		securityGroupToken:        {"egress", "ingress"},
		defaultSecurityGroupToken: {"egress", "ingress"},
		zoneToken:                 {"vpcs"},
		recordToken:               {"records"},
		roleToken:                 {"inlinePolicies", "managedPolicyArns"},
		oidcToken:                 {"clientIdLists"},
		encryptionToken:           {"rules"},
		distributionToken:         {"aliases", "origins"},
		shareToken:                {"permissionArns"},
		endpointServiceToken: {"allowedPrincipals", "gatewayLoadBalancerArns", "networkLoadBalancerArns",
			"supportedIpAddressTypes", "supportedRegions"},
		loadBalancerToken: {"securityGroups", "subnets"},
		instanceToken: {"ebsBlockDevices", "ephemeralBlockDevices", "networkInterfaces", "secondaryPrivateIps", "securityGroups",
			"vpcSecurityGroupIds"},
	}
	documents := map[string][]string{
		endpointToken:   {"policy"},
		roleToken:       {"assumeRolePolicy"},
		rolePolicyToken: {"policy"},
		policyToken:     {"policy"},

		userPolicyToken:   {"policy"},
		bucketToken:       {"policy"},
		bucketPolicyToken: {"policy"},
		keyToken:          {"policy"},
		queueToken:        {"policy", "redriveAllowPolicy", "redrivePolicy"},
		queuePolicyToken:  {"policy"},
		eventRuleToken:    {"eventPattern"},
	}
	domains := map[string][]string{zoneToken: {"name"}, recordToken: {"name"}}
	e := start(t)
	for token, k := range knownTypes().kinds {
		for name := range k.inputs {
			for what, c := range map[string]struct {
				belongs     []string
				before, now any
			}{
				"set":      {sets[token], list("a", "b"), list("b", "a")},
				"document": {documents[token], `{"a":1,"b":2}`, `{ "b": 2, "a": 1 }`},
				"domain":   {domains[token], "A.b.", "a.b"},
			} {
				want := pulumirpc.DiffResponse_DIFF_SOME
				if slices.Contains(c.belongs, name) {
					want = pulumirpc.DiffResponse_DIFF_NONE
				}
				require.Equal(t, want, e.diff(token, props{name: c.before}, props{name: c.now}).GetChanges(), "%s.%s as a %s", token, name, what)
			}
		}
	}
}
