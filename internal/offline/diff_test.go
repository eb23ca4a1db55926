package offline

import (
	"maps"
	"slices"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/types"
)

// The inputs whose change makes a new resource, as in pulumi-aws 6. What is not listed changes in place.
func TestWhatReplaces(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		types.VPC:                       {"cidrBlock", "instanceTenancy", "ipv4IpamPoolId", "ipv4NetmaskLength"},
		types.DHCPOptions:               {"domainName", "domainNameServers", "ipv6AddressPreferredLeaseTime", "netbiosNameServers", "netbiosNodeType", "ntpServers"},
		types.DHCPOptionsAssociation:    {"vpcId"},
		types.InternetGateway:           {},
		types.InternetGatewayAttachment: {"internetGatewayId", "vpcId"},
		types.Subnet:                    {"availabilityZone", "availabilityZoneId", "cidrBlock", "ipv6Native", "outpostArn", "vpcId"},
		types.ElasticIP:                 {"address", "domain", "ipamPoolId", "networkBorderGroup", "publicIpv4Pool", "vpc"},
		types.NATGateway:                {"allocationId", "connectivityType", "privateIp", "secondaryPrivateIpAddressCount", "subnetId"},
		types.RouteTable:                {"vpcId"},
		types.Route:                     {"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId", "routeTableId"},
		types.RouteTableAssociation:     {"gatewayId", "subnetId"},
		types.MainRouteTableAssociation: {},
		types.VPCEndpoint:               {"resourceConfigurationArn", "serviceName", "serviceNetworkArn", "serviceRegion", "vpcEndpointType", "vpcId"},
		types.VPCEndpointRouteTable:     {"routeTableId", "vpcEndpointId"},
		types.VPCEndpointService:        {},
		types.LoadBalancer:              {"customerOwnedIpv4Pool", "internal", "loadBalancerType", "name", "namePrefix"},
		types.DefaultSecurityGroup:      {"vpcId"},
		types.SecurityGroup:             {"description", "name", "namePrefix", "vpcId"},
		types.IngressRule:               {"securityGroupId"},
		types.EgressRule:                {"securityGroupId"},
		types.HostedZone:                {"delegationSetId", "name"},
		types.Record:                    {"name", "zoneId"},
		types.OIDCProvider:              {"url"},
		types.Role:                      {"name", "namePrefix", "path"},
		types.RolePolicy:                {"name", "namePrefix", "role"},
		types.RolePolicyAttachment:      {"policyArn", "role"},
		types.InstanceProfile:           {"name", "namePrefix", "path"},
		types.ServiceLinkedRole:         {"awsServiceName", "customSuffix"},
		types.Policy:                    {"description", "name", "namePrefix", "path"},
		types.User:                      {},
		types.UserPolicy:                {"name", "namePrefix", "user"},
		types.AccessKey:                 {"pgpKey", "user"},
		types.Bucket:                    {"bucket", "bucketPrefix", "objectLockEnabled"},
		types.Object:                    {"bucket", "key"},
		types.BucketOwnership:           {"bucket"},
		types.BucketPublicAccess:        {"bucket"},
		types.BucketEncryption:          {"bucket", "expectedBucketOwner"},
		types.BucketVersioning:          {"bucket", "expectedBucketOwner"},
		types.BucketLifecycle:           {"bucket", "expectedBucketOwner"},
		types.BucketPolicy:              {"bucket"},
		types.OriginAccessControl:       {},
		types.Distribution:              {"staging"},
		types.Key:                       {"customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion", "xksKeyId"},
		types.Alias:                     {"name", "namePrefix"},
		types.Queue:                     {"fifoQueue", "name", "namePrefix"},
		types.QueuePolicy:               {"queueUrl"},
		types.EventRule:                 {"eventBusName", "name", "namePrefix"},
		types.EventTarget:               {"eventBusName", "rule", "targetId"},
	}
	maps.Copy(want, networkOptionReplaces())
	e := start(t)
	kinds := catalogue().Kinds
	require.Len(t, want, len(kinds))
	for token, replacing := range want {
		for name := range kinds[token].Inputs {
			diff := e.diff(token, props.Map{name: "one"}, props.Map{name: "two"})
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
		olds, news  props.Map
	}{
		{"the order of a set", types.VPCEndpoint, props.Map{"routeTableIds": props.List("a", "b")}, props.Map{"routeTableIds": props.List("b", "a")}},
		{"the order of clients", types.OIDCProvider, props.Map{"clientIdLists": props.List("a", "b")}, props.Map{"clientIdLists": props.List("b", "a")}},
		{"the order of rules", types.SecurityGroup,
			props.Map{"ingress": []any{map[string]any{"protocol": "tcp", "cidrBlocks": props.List("a", "b")}, map[string]any{"protocol": "udp"}}},
			props.Map{"ingress": []any{map[string]any{"protocol": "udp", "self": false}, map[string]any{"protocol": "tcp", "cidrBlocks": props.List("b", "a")}}}},
		{"the layout of a document", types.Role, props.Map{"assumeRolePolicy": `{"Version":"2012-10-17","Statement":[{"Action":["a"],"Effect":"Allow"}]}`},
			props.Map{"assumeRolePolicy": `{ "Statement": {"Effect":"Allow","Action":"a"}, "Version": "2012-10-17" }`}},
		{"an issuer's scheme", types.OIDCProvider, props.Map{"url": "https://a.b/c"}, props.Map{"url": "a.b/c"}},
		{"a name's last dot", types.Record, props.Map{"name": "A.example.com."}, props.Map{"name": "a.example.com"}},
		{"what AWS has filled in", types.Subnet, props.Map{"availabilityZone": "us-east-1a"}, props.Map{}},
		{"nothing at all", types.VPC, props.Map{"tags": map[string]any{}}, props.Map{}},
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
		olds, news  props.Map
		path        string
		kind        pulumirpc.PropertyDiff_Kind
	}{
		{"the order of a list", types.OIDCProvider, props.Map{"thumbprintLists": props.List("a", "b")}, props.Map{"thumbprintLists": props.List("b", "a")},
			"thumbprintLists", pulumirpc.PropertyDiff_UPDATE},
		{"what is not known yet", types.Subnet, props.Map{"vpcId": "vpc-1"}, props.Map{"vpcId": props.Unknown{}}, "vpcId", pulumirpc.PropertyDiff_UPDATE_REPLACE},
		{"an element that is not known yet", types.VPCEndpoint, props.Map{"subnetIds": props.List("a")}, props.Map{"subnetIds": []any{props.Unknown{}}}, "subnetIds",
			pulumirpc.PropertyDiff_UPDATE},
		{"a document", types.Role, props.Map{"assumeRolePolicy": trustText}, props.Map{"assumeRolePolicy": policyText}, "assumeRolePolicy",
			pulumirpc.PropertyDiff_UPDATE},
		{"what is added", types.Subnet, props.Map{}, props.Map{"outpostArn": "x"}, "outpostArn", pulumirpc.PropertyDiff_ADD_REPLACE},
		{"what is taken away", types.Subnet, props.Map{"outpostArn": "x"}, props.Map{}, "outpostArn", pulumirpc.PropertyDiff_DELETE_REPLACE},
		{"a tag", types.VPC, props.Map{"tags": map[string]any{"a": "1"}}, props.Map{"tags": map[string]any{"a": "1", "kubernetes.io/x": "y"}},
			`tags["kubernetes.io/x"]`, pulumirpc.PropertyDiff_ADD},
		{"the last tag", types.VPC, props.Map{"tags": map[string]any{"a": "1"}}, props.Map{}, "tags.a", pulumirpc.PropertyDiff_DELETE},
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
	olds, news := props.Map{"tags": map[string]any{"a": "1", "b": "1"}}, props.Map{"tags": map[string]any{"a": "2", "b": "2"}}
	require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, e.diff(types.VPC, olds, news, "tags").GetChanges())
	require.Len(t, e.diff(types.VPC, olds, news, "tags.a").GetDetailedDiff(), 1)
}

func TestAReplacementThatKeepsAUniqueNameDeletesFirst(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		name, token string
		olds, news  props.Map
		first       bool
	}{
		{"a role moves to another path", types.Role, props.Map{"name": "a", "path": "/"}, props.Map{"name": "a", "path": "/b/"}, true},
		{"a role gets another name", types.Role, props.Map{"name": "a"}, props.Map{"name": "b"}, false},
		{"a role policy moves to another role", types.RolePolicy, props.Map{"name": "a", "role": "a"}, props.Map{"name": "a", "role": "b"}, false},
		{"a group gets another description", types.SecurityGroup, props.Map{"name": "a", "vpcId": "v", "description": "x"},
			props.Map{"name": "a", "vpcId": "v", "description": "y"}, true},
		{"a VPC gets another block", types.VPC, props.Map{"cidrBlock": "10.0.0.0/16"}, props.Map{"cidrBlock": "10.1.0.0/16"}, false},
	} {
		require.Equal(t, c.first, e.diff(c.token, c.olds, c.news).GetDeleteBeforeReplace(), c.name)
	}
}

// The lists whose order says nothing and the texts that are JSON, as in pulumi-aws 6. All others are compared as they are.
func TestWhatIsComparedInAFormOfItsOwn(t *testing.T) {
	t.Parallel()
	sets := map[string][]string{
		types.NATGateway:           {"secondaryAllocationIds", "secondaryPrivateIpAddresses"},
		types.RouteTable:           {"propagatingVgws", "routes"},
		types.VPCEndpoint:          {"routeTableIds", "securityGroupIds", "subnetConfigurations", "subnetIds"},
		types.SecurityGroup:        {"egress", "ingress"},
		types.DefaultSecurityGroup: {"egress", "ingress"},
		types.HostedZone:           {"vpcs"},
		types.Record:               {"records"},
		types.Role:                 {"inlinePolicies", "managedPolicyArns"},
		types.OIDCProvider:         {"clientIdLists"},
		types.BucketEncryption:     {"rules"},
		types.Distribution:         {"aliases", "origins"},
		types.ResourceShare:        {"permissionArns"},
		types.VPCEndpointService: {"allowedPrincipals", "gatewayLoadBalancerArns", "networkLoadBalancerArns",
			"supportedIpAddressTypes", "supportedRegions"},
		types.LoadBalancer: {"securityGroups", "subnets"},
		types.Instance: {"ebsBlockDevices", "ephemeralBlockDevices", "networkInterfaces", "secondaryPrivateIps", "securityGroups",
			"vpcSecurityGroupIds"},
	}
	documents := map[string][]string{
		types.VPCEndpoint: {"policy"},
		types.Role:        {"assumeRolePolicy"},
		types.RolePolicy:  {"policy"},
		types.Policy:      {"policy"},

		types.UserPolicy:   {"policy"},
		types.Bucket:       {"policy"},
		types.BucketPolicy: {"policy"},
		types.Key:          {"policy"},
		types.Queue:        {"policy", "redriveAllowPolicy", "redrivePolicy"},
		types.QueuePolicy:  {"policy"},
		types.EventRule:    {"eventPattern"},
	}
	domains := map[string][]string{types.HostedZone: {"name"}, types.Record: {"name"}}
	e := start(t)
	for token, k := range catalogue().Kinds {
		for name := range k.Inputs {
			for what, c := range map[string]struct {
				belongs     []string
				before, now any
			}{
				"set":      {sets[token], props.List("a", "b"), props.List("b", "a")},
				"document": {documents[token], `{"a":1,"b":2}`, `{ "b": 2, "a": 1 }`},
				"domain":   {domains[token], "A.b.", "a.b"},
			} {
				want := pulumirpc.DiffResponse_DIFF_SOME
				if slices.Contains(c.belongs, name) {
					want = pulumirpc.DiffResponse_DIFF_NONE
				}
				require.Equal(t, want, e.diff(token, props.Map{name: c.before}, props.Map{name: c.now}).GetChanges(), "%s.%s as a %s", token, name, what)
			}
		}
	}
}
