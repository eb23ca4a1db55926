package offline

import (
	"maps"
	"slices"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// The inputs whose change makes a new resource, as in pulumi-aws 6. What is not listed changes in place.
func TestWhatReplaces(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		awstype.VPC: {"cidrBlock", "instanceTenancy", "ipv4IpamPoolId", "ipv4NetmaskLength"},
		awstype.DHCPOptions: {"domainName", "domainNameServers", "ipv6AddressPreferredLeaseTime",
			"netbiosNameServers", "netbiosNodeType", "ntpServers"},
		awstype.DHCPOptionsAssociation:    {"vpcId"},
		awstype.InternetGateway:           {},
		awstype.InternetGatewayAttachment: {"internetGatewayId", "vpcId"},
		awstype.Subnet: {"availabilityZone", "availabilityZoneId", "cidrBlock", "ipv6Native", "outpostArn",
			"vpcId"},
		awstype.ElasticIP: {"address", "domain", "ipamPoolId", "networkBorderGroup", "publicIpv4Pool", "vpc"},
		awstype.NATGateway: {"allocationId", "connectivityType", "privateIp", "secondaryPrivateIpAddressCount",
			"subnetId"},
		awstype.RouteTable: {"vpcId"},
		awstype.Route: {"destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId",
			"routeTableId"},
		awstype.RouteTableAssociation:     {"gatewayId", "subnetId"},
		awstype.MainRouteTableAssociation: {},
		awstype.VPCEndpoint: {"resourceConfigurationArn", "serviceName", "serviceNetworkArn", "serviceRegion",
			"vpcEndpointType", "vpcId"},
		awstype.VPCEndpointRouteTable:    {"routeTableId", "vpcEndpointId"},
		awstype.VPCEndpointService:       {},
		awstype.LoadBalancer:             {"customerOwnedIpv4Pool", "internal", "loadBalancerType", "name", "namePrefix"},
		awstype.DefaultSecurityGroup:     {"vpcId"},
		awstype.SecurityGroup:            {"description", "name", "namePrefix", "vpcId"},
		awstype.SecurityGroupIngressRule: {"securityGroupId"},
		awstype.SecurityGroupEgressRule:  {"securityGroupId"},
		awstype.HostedZone:               {"delegationSetId", "name"},
		awstype.Record:                   {"name", "zoneId"},
		awstype.OIDCProvider:             {"url"},
		awstype.Role:                     {"name", "namePrefix", "path"},
		awstype.RolePolicy:               {"name", "namePrefix", "role"},
		awstype.RolePolicyAttachment:     {"policyArn", "role"},
		awstype.InstanceProfile:          {"name", "namePrefix", "path"},
		awstype.ServiceLinkedRole:        {"awsServiceName", "customSuffix"},
		awstype.Policy:                   {"description", "name", "namePrefix", "path"},
		awstype.User:                     {},
		awstype.UserPolicy:               {"name", "namePrefix", "user"},
		awstype.AccessKey:                {"pgpKey", "user"},
		awstype.Bucket:                   {"bucket", "bucketPrefix", "objectLockEnabled"},
		awstype.BucketObject:             {"bucket", "key"},
		awstype.BucketOwnership:          {"bucket"},
		awstype.BucketPublicAccess:       {"bucket"},
		awstype.BucketEncryption:         {"bucket", "expectedBucketOwner"},
		awstype.BucketVersioning:         {"bucket", "expectedBucketOwner"},
		awstype.BucketLifecycle:          {"bucket", "expectedBucketOwner"},
		awstype.BucketPolicy:             {"bucket"},
		awstype.OriginAccessControl:      {},
		awstype.Distribution:             {"staging"},
		awstype.KMSKey: {"customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion",
			"xksKeyId"},
		awstype.KMSAlias:    {"name", "namePrefix"},
		awstype.Queue:       {"fifoQueue", "name", "namePrefix"},
		awstype.QueuePolicy: {"queueUrl"},
		awstype.EventRule:   {"eventBusName", "name", "namePrefix"},
		awstype.EventTarget: {"eventBusName", "rule", "targetId"},
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

func TestEquivalentInputsAreNoChange(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		name, token string
		olds, news  props.Map
	}{
		{"the order of a set", awstype.VPCEndpoint, props.Map{
			"routeTableIds": props.List("a", "b"),
		}, props.Map{"routeTableIds": props.List("b", "a")}},
		{"the order of clients", awstype.OIDCProvider, props.Map{
			"clientIdLists": props.List("a", "b"),
		}, props.Map{"clientIdLists": props.List("b", "a")}},
		{"the order of rules", awstype.SecurityGroup,
			props.Map{
				"ingress": []any{map[string]any{
					"protocol":   "tcp",
					"cidrBlocks": props.List("a", "b"),
				}, map[string]any{"protocol": "udp"}},
			},
			props.Map{
				"ingress": []any{map[string]any{
					"protocol": "udp",
					"self":     false,
				}, map[string]any{"protocol": "tcp", "cidrBlocks": props.List("b", "a")}},
			}},
		{"the layout of a document", awstype.Role, props.Map{"assumeRolePolicy": `{"Version":"2012-10-17","Statement":[{"Action":["a"],"Effect":"Allow"}]}`},
			props.Map{"assumeRolePolicy": `{ "Statement": {"Effect":"Allow","Action":"a"}, "Version": "2012-10-17" }`}},
		{"an issuer's scheme", awstype.OIDCProvider, props.Map{"url": "https://a.b/c"}, props.Map{"url": "a.b/c"}},
		{"a name's last dot", awstype.Record, props.Map{"name": "A.example.com."}, props.Map{"name": "a.example.com"}},
		{"what AWS has filled in", awstype.Subnet, props.Map{"availabilityZone": "us-east-1a"}, props.Map{}},
		{"nothing at all", awstype.VPC, props.Map{"tags": map[string]any{}}, props.Map{}},
	} {
		diff := e.diff(c.token, c.olds, c.news)
		require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, diff.GetChanges(), "%s: %v", c.name, diff)
	}
}

func TestDifferentInputsAreAChange(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		name, token string
		olds, news  props.Map
		path        string
		kind        pulumirpc.PropertyDiff_Kind
	}{
		{"the order of a list", awstype.OIDCProvider, props.Map{"thumbprintLists": props.List("a", "b")},
			props.Map{"thumbprintLists": props.List("b", "a")},
			"thumbprintLists", pulumirpc.PropertyDiff_UPDATE},
		{"what is not known yet", awstype.Subnet, props.Map{"vpcId": "vpc-1"}, props.Map{"vpcId": props.Unknown{}}, "vpcId",
			pulumirpc.PropertyDiff_UPDATE_REPLACE},
		{"an element that is not known yet", awstype.VPCEndpoint, props.Map{"subnetIds": props.List("a")},
			props.Map{"subnetIds": []any{props.Unknown{}}}, "subnetIds",
			pulumirpc.PropertyDiff_UPDATE},
		{"a document", awstype.Role, props.Map{"assumeRolePolicy": trustText}, props.Map{"assumeRolePolicy": policyText},
			"assumeRolePolicy",
			pulumirpc.PropertyDiff_UPDATE},
		{"what is added", awstype.Subnet, props.Map{}, props.Map{"outpostArn": "x"}, "outpostArn",
			pulumirpc.PropertyDiff_ADD_REPLACE},
		{"what is taken away", awstype.Subnet, props.Map{"outpostArn": "x"}, props.Map{}, "outpostArn",
			pulumirpc.PropertyDiff_DELETE_REPLACE},
		{"a tag", awstype.VPC, props.Map{"tags": map[string]any{"a": "1"}},
			props.Map{"tags": map[string]any{"a": "1", "kubernetes.io/x": "y"}},
			`tags["kubernetes.io/x"]`, pulumirpc.PropertyDiff_ADD},
		{"the last tag", awstype.VPC, props.Map{
			"tags": map[string]any{"a": "1"},
		}, props.Map{}, "tags.a", pulumirpc.PropertyDiff_DELETE},
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
	olds, news := props.Map{
		"tags": map[string]any{"a": "1", "b": "1"},
	}, props.Map{"tags": map[string]any{"a": "2", "b": "2"}}
	require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, e.diff(awstype.VPC, olds, news, "tags").GetChanges())
	require.Len(t, e.diff(awstype.VPC, olds, news, "tags.a").GetDetailedDiff(), 1)
}

func TestAReplacementThatKeepsAUniqueNameDeletesFirst(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		name, token string
		olds, news  props.Map
		first       bool
	}{
		{"a role moves to another path", awstype.Role, props.Map{"name": "a", "path": "/"},
			props.Map{"name": "a", "path": "/b/"}, true},
		{"a role gets another name", awstype.Role, props.Map{"name": "a"}, props.Map{"name": "b"}, false},
		{"a role policy moves to another role", awstype.RolePolicy, props.Map{"name": "a", "role": "a"},
			props.Map{"name": "a", "role": "b"}, false},
		{"a group gets another description", awstype.SecurityGroup, props.Map{"name": "a", "vpcId": "v", "description": "x"},
			props.Map{"name": "a", "vpcId": "v", "description": "y"}, true},
		{"a VPC gets another block", awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16"},
			props.Map{"cidrBlock": "10.1.0.0/16"}, false},
	} {
		require.Equal(t, c.first, e.diff(c.token, c.olds, c.news).GetDeleteBeforeReplace(), c.name)
	}
}

// The lists whose order says nothing and the texts that are JSON, as in pulumi-aws 6. All others are compared as they
// are.
func TestInputsAreComparedInNormalizedForms(t *testing.T) {
	t.Parallel()
	sets := map[string][]string{
		awstype.NATGateway:           {"secondaryAllocationIds", "secondaryPrivateIpAddresses"},
		awstype.RouteTable:           {"propagatingVgws", "routes"},
		awstype.VPCEndpoint:          {"routeTableIds", "securityGroupIds", "subnetConfigurations", "subnetIds"},
		awstype.SecurityGroup:        {"egress", "ingress"},
		awstype.DefaultSecurityGroup: {"egress", "ingress"},
		awstype.HostedZone:           {"vpcs"},
		awstype.Record:               {"records"},
		awstype.Role:                 {"inlinePolicies", "managedPolicyArns"},
		awstype.OIDCProvider:         {"clientIdLists"},
		awstype.BucketEncryption:     {"rules"},
		awstype.Distribution:         {"aliases", "origins"},
		awstype.ResourceShare:        {"permissionArns"},
		awstype.VPCEndpointService: {"allowedPrincipals", "gatewayLoadBalancerArns", "networkLoadBalancerArns",
			"supportedIpAddressTypes", "supportedRegions"},
		awstype.LoadBalancer:             {"securityGroups", "subnets"},
		awstype.TransitGatewayAttachment: {"subnetIds"},
		awstype.Instance: {"ebsBlockDevices", "ephemeralBlockDevices", "networkInterfaces", "secondaryPrivateIps",
			"securityGroups",
			"vpcSecurityGroupIds"},
	}
	documents := map[string][]string{
		awstype.VPCEndpoint: {"policy"},
		awstype.Role:        {"assumeRolePolicy"},
		awstype.RolePolicy:  {"policy"},
		awstype.Policy:      {"policy"},

		awstype.UserPolicy:   {"policy"},
		awstype.Bucket:       {"policy"},
		awstype.BucketPolicy: {"policy"},
		awstype.KMSKey:       {"policy"},
		awstype.Queue:        {"policy", "redriveAllowPolicy", "redrivePolicy"},
		awstype.QueuePolicy:  {"policy"},
		awstype.EventRule:    {"eventPattern"},
	}
	domains := map[string][]string{awstype.HostedZone: {"name"}, awstype.Record: {"name"}}
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
				require.Equal(t, want, e.diff(token, props.Map{name: c.before}, props.Map{name: c.now}).GetChanges(),
					"%s.%s as a %s", token, name, what)
			}
		}
	}
}
