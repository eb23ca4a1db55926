package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
)

// step returns a step of a plan on a resource with a URN and an ID made of its name.
func step(token, name string, change changes.Change, keys []string, before, after map[string]any) *changes.Step {
	return &changes.Step{
		URN: "urn:pulumi:dev::p::" + token + "::" + name, Name: name, Type: token, Change: change,
		Keys: keys, Old: before, New: after, ID: "id-" + name, Custom: true,
	}
}

func subnet(name, zone string, change changes.Change, before, after string) *changes.Step {
	s := step(awstype.Subnet, name, change, nil, nil, nil)
	if before != "" {
		s.Old = map[string]any{"cidrBlock": before, "availabilityZone": zone, "vpcId": "id-vpc"}
	}
	if after != "" {
		s.New = map[string]any{"cidrBlock": after, "availabilityZone": zone, "vpcId": "id-vpc"}
	}
	if change == changes.Replace {
		s.Keys = []string{"cidrBlock"}
	}
	return s
}

// middleZoneTaken returns the plan when zone b of a, b, c is taken out of the list.
func middleZoneTaken() *changes.Plan {
	vpc := map[string]any{"cidrBlock": "10.0.0.0/16"}
	return &changes.Plan{Steps: []*changes.Step{
		step(awstype.VPC, "vpc", changes.Same, nil, vpc, vpc),
		subnet("private-a", "us-east-1a", changes.Same, "10.0.128.0/20", "10.0.128.0/20"),
		subnet("private-b", "us-east-1b", changes.Delete, "10.0.144.0/20", ""),
		subnet("private-c", "us-east-1c", changes.Replace, "10.0.160.0/20", "10.0.144.0/20"),
		step(awstype.NATGateway, "nat-c", changes.Replace, []string{"subnetId"}, map[string]any{"subnetId": "id-private-c"},
			map[string]any{"subnetId": changes.UnknownValue}),
		step(awstype.NATGateway, "nat-b", changes.Delete, nil, map[string]any{"subnetId": "id-private-b"}, nil),
	}}
}

func refusals(t *testing.T, plan *changes.Plan, allowed ...string) map[string]changes.Refusal {
	t.Helper()
	err := Guard(plan, "dev", allowed, nil)
	if err == nil {
		return nil
	}
	var guard *changes.GuardError
	require.ErrorAs(t, err, &guard)
	byName := map[string]changes.Refusal{}
	for _, r := range guard.Refusals {
		byName[r.Name] = r
	}
	return byName
}

func TestRemovingAMiddleZoneIsRefusedWithTheSlotsToWrite(t *testing.T) {
	t.Parallel()
	r := refusals(t, middleZoneTaken())
	require.Len(t, r, 4)
	assert.Equal(t, "cidrBlock 10.0.160.0/20 -> 10.0.144.0/20", r["private-c"].Because)
	assert.Equal(t, "network.zones", r["private-c"].Input)
	assert.Equal(t, "set each zone's current slot: zones: [{name: us-east-1a, slot: 0}, {name: us-east-1c, slot: 2}]", r["private-c"].Remedy)
	assert.Equal(t, "us-east-1b is no longer in the config", r["private-b"].Because)
	assert.Equal(t, "its subnet private-c would be replaced", r["nat-c"].Because)
	assert.Equal(t, "its subnet private-b would be deleted", r["nat-b"].Because)
}

func TestRefusalsOfOneCauseAreOneBlockWithOneRemedy(t *testing.T) {
	t.Parallel()
	zones := &changes.Plan{Steps: []*changes.Step{
		subnet("private-b", "us-east-1b", changes.Delete, "10.0.144.0/20", ""),
		subnet("public-b", "us-east-1b", changes.Delete, "10.0.16.0/20", ""),
		step(awstype.NATGateway, "nat-b", changes.Delete, nil, map[string]any{"subnetId": "id-public-b"}, nil),
	}}
	assert.EqualError(t, Guard(zones, "dev", nil, nil), `this plan replaces or deletes resources that a running cluster depends on; nothing was changed

  subnet private-b would be deleted
  subnet public-b would be deleted
    because  us-east-1b is no longer in the config
    set by   network.zones
    remedy   add us-east-1b again
    needed   nodes, endpoints, and load balancers are in it

  NAT gateway nat-b would be deleted
    because  its subnet public-b would be deleted
    remedy   keep that subnet, and it stays
    needed   nodes reach the internet through it, from its address

To allow this:

  `+"`hypershift-aws up -s dev --allow nat-b,private-b,public-b`"+`

or, below config in the stack's file, which is valid while the stack has resources with these IDs:

  hypershift-aws:allow:
    - {name: nat-b, id: id-nat-b}
    - {name: private-b, id: id-private-b}
    - {name: public-b, id: id-public-b}
`)

	ids := func(name string) map[string]any { return map[string]any{"name": name} }
	infraID := &changes.Plan{Steps: []*changes.Step{
		step(awstype.Role, "ingress", changes.Replace, []string{"name"}, ids("a-ingress"), ids("b-ingress")),
		step(awstype.Role, "node", changes.Replace, []string{"name"}, ids("a-node"), ids("b-node")),
	}}
	assert.ErrorContains(t, Guard(infraID, "dev", nil, nil), `
  IAM role ingress would be replaced
    because  name a-ingress -> b-ingress
  IAM role node would be replaced
    because  name a-node -> b-node
    set by   infraID
    remedy   set infraID back`)
}

func TestAnAddedZoneGetsAFreeSlotInTheRemedy(t *testing.T) {
	t.Parallel()
	plan := middleZoneTaken()
	plan.Steps = append(plan.Steps, subnet("private-d", "us-east-1d", changes.Create, "", "10.0.160.0/20"))
	assert.Contains(t, refusals(t, plan)["private-c"].Remedy, "{name: us-east-1c, slot: 2}, {name: us-east-1d, slot: 3}]")
}

func TestOnlyAllowedResourcesMayBeDeleted(t *testing.T) {
	t.Parallel()
	assert.Len(t, refusals(t, middleZoneTaken(), "private-b", "nat-b"), 2)
	assert.Empty(t, refusals(t, middleZoneTaken(), "private-b", "nat-b", "private-c", middleZoneTaken().Steps[4].URN))
}

func TestAnAllowedNameThatIsNotInThePlanIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nonsense", "private-a", "vpc"} {
		stray := Stray(middleZoneTaken(), []string{name})
		assert.Equal(t, []string{name}, stray)
		err := RefuseStray(middleZoneTaken(), stray)
		assert.Equal(t, failure.Refused, failure.ReasonOf(err), name)
		assert.ErrorContains(t, err, name)
	}
}

func TestChangesInPlaceAndOfUnguardedTypesPass(t *testing.T) {
	t.Parallel()
	assert.NoError(t, Guard(&changes.Plan{Steps: []*changes.Step{
		step(awstype.VPC, "vpc", changes.Update, nil, nil, nil),
		step(awstype.Role, "role", changes.Create, nil, nil, nil),
		step(awstype.RouteTable, "table", changes.Replace, nil, nil, nil),
		step(awstype.ElasticIP, "eip", changes.Delete, nil, nil, nil),
	}}, "dev", nil, nil))
}

// A leaf is judged alone if what it is part of stays, and with that otherwise: one permission is enough for both.
func TestALeafIsRefusedUnlessWhatItIsPartOfIsDeletedToo(t *testing.T) {
	t.Parallel()
	values := func(key, value string) map[string]any { return map[string]any{key: value} }
	for _, test := range []struct{ leaf, whole *changes.Step }{
		{step(awstype.Route, "leaf", changes.Delete, nil, values("routeTableId", "id-whole"),
			nil), step(awstype.RouteTable, "whole", changes.Delete, nil, nil, nil)},
		{step(awstype.Route, "leaf", changes.Delete, nil, values("natGatewayId", "id-whole"),
			nil), step(awstype.NATGateway, "whole", changes.Delete, nil, nil, nil)},
		{step(awstype.RouteTableAssociation, "leaf", changes.Delete, nil, values("subnetId", "id-whole"),
			nil), step(awstype.Subnet, "whole", changes.Delete, nil, nil, nil)},
		{step(awstype.RolePolicy, "leaf", changes.Delete, nil, values("role", "id-whole"),
			nil), step(awstype.Role, "whole", changes.Replace, nil, nil, nil)},
		{step(awstype.RolePolicyAttachment, "leaf", changes.Replace, nil, values("role", "id-whole"),
			nil), step(awstype.Role, "whole", changes.Replace, nil, nil, nil)},
		{step(awstype.InstanceProfile, "leaf", changes.Delete, nil, values("role", "id-whole"),
			nil), step(awstype.Role, "whole", changes.Delete, nil, nil, nil)},
		{step(awstype.Record, "leaf", changes.Delete, nil, values("zoneId", "id-whole"),
			nil), step(awstype.HostedZone, "whole", changes.Delete, nil, nil, nil)},
		{step(awstype.ZoneAssociation, "leaf", changes.Delete, nil, values("zoneId", "id-whole"),
			nil), step(awstype.HostedZone, "whole", changes.Delete, nil, nil, nil)},
		{step(awstype.VPCEndpoint, "leaf", changes.Delete, nil, values("vpcId", "id-whole"),
			nil), step(awstype.VPC, "whole", changes.Delete, nil, nil, nil)},
	} {
		both := &changes.Plan{Steps: []*changes.Step{test.leaf, test.whole}}
		_, leafRefused := refusals(t, both)["leaf"]
		assert.False(t, leafRefused, "%s: the whole is refused", test.leaf.Type)
		if guarded.Any(test.whole.Type) {
			assert.Empty(t, refusals(t, both, "whole"), "%s: one permission is enough", test.leaf.Type)
		}
		assert.Contains(t, refusals(t, &changes.Plan{
			Steps: []*changes.Step{test.leaf},
		}), "leaf", "%s: the whole stays", test.leaf.Type)
	}
	lost := []*changes.Step{
		step(awstype.RouteTableAssociation, "leaf", changes.Delete, nil, values("routeTableId", "id-table"), nil),
		step(awstype.RouteTable, "table", changes.Delete, nil, nil, nil),
	}
	assert.Contains(t, refusals(t, &changes.Plan{Steps: lost}), "leaf", "a subnet that stays loses its route table")
}

func TestLeftoversOfAnEarlierReplacementMayBeDeleted(t *testing.T) {
	t.Parallel()
	left := step(awstype.Subnet, "old", changes.Replace, nil, nil, nil)
	left.Leftover = true
	assert.NoError(t, Guard(&changes.Plan{Steps: []*changes.Step{left}}, "dev", nil, nil))
}

func TestEachInputIsNamedByItsKeyInTheConfig(t *testing.T) {
	t.Parallel()
	values := func(key string, value any) map[string]any { return map[string]any{key: value} }
	private := func(name string) map[string]any {
		return map[string]any{"name": name, "vpcs": []any{map[string]any{"vpcId": "vpc-1"}}}
	}
	for _, test := range []struct {
		step  *changes.Step
		input string
	}{
		{step(awstype.VPC, "x", changes.Replace, []string{"cidrBlock"}, values("cidrBlock", "10.0.0.0/16"),
			values("cidrBlock", "10.1.0.0/16")), "network.vpcCIDR"},
		{step(awstype.HostedZone, "x", changes.Replace, []string{"name"}, private("a.example.com"),
			private("b.example.com")), "name, baseDomain or baseDomainPrefix"},
		{step(awstype.HostedZone, "x", changes.Delete, nil, private("demo.hypershift.local"), nil), "endpointAccess"},
		{step(awstype.HostedZone, "x", changes.Replace, []string{"name"}, values("name", "a.example.com"),
			values("name", "b.example.com")), "zone"},
		{step(awstype.HostedZone, "x", changes.Delete, nil, values("name", "clusters.example.com"), nil), "zone"},
		{step(awstype.Role, "x", changes.Replace, []string{"name"}, values("name", "a-node-pool"),
			values("name", "b-node-pool")), "infraID"},
		{step(awstype.Role, "roles-kms-provider", changes.Delete, nil, nil, nil), "kmsKeyARN"},
		{step(awstype.OIDCProvider, "x", changes.Replace, []string{"url"}, values("url", "a"),
			values("url", "b")), "oidc or infraID"},
		{step(awstype.OIDCProvider, "x", changes.Delete, nil, nil, nil), "oidc"},
		{step(awstype.NATGateway, "x", changes.Delete, nil, nil, nil), "network.nat or network.zones"},
		{step(awstype.Role, "x", changes.Replace, []string{"provider"}, nil, nil), "aws: config"},
	} {
		r := refusals(t, &changes.Plan{Steps: []*changes.Step{test.step}})
		assert.Equal(t, test.input, r[test.step.Name].Input, "%s %s", test.step.Change, test.step.Type)
	}
}

func TestASubnetOfAVPCThatIsReplacedIsNotBlamedOnItsZone(t *testing.T) {
	t.Parallel()
	private := subnet("private-a", "us-east-1a", changes.Replace, "10.0.128.0/20", "10.1.128.0/20")
	private.Keys = []string{"cidrBlock", "vpcId"}
	plan := &changes.Plan{Steps: []*changes.Step{
		step(awstype.VPC, "vpc", changes.Replace, []string{"cidrBlock"}, map[string]any{"cidrBlock": "10.0.0.0/16"},
			map[string]any{"cidrBlock": "10.1.0.0/16"}),
		private,
	}}
	r := refusals(t, plan)["private-a"]
	assert.Equal(t, "its VPC vpc would be replaced", r.Because)
	assert.Empty(t, r.Input)
}

func TestTheRefusalNamesTheCommandThatAllowsIt(t *testing.T) {
	t.Parallel()
	text := Guard(middleZoneTaken(), "dev", nil, nil).Error()
	assert.Contains(t, text, "subnet private-c would be replaced")
	assert.Contains(t, text, "hypershift-aws up -s dev --allow nat-b,nat-c,private-b,private-c")
	assert.Contains(t, text, "needed   nodes, endpoints, and load balancers are in it")
	text = Guard(middleZoneTaken(), "dev", []string{"private-b", "nat-b"}, nil).Error()
	assert.Contains(t, text, "hypershift-aws up -s dev --allow private-b,nat-b,nat-c,private-c",
		"with the names that are allowed already")
}

func TestAWrongNameIsRefusedWithTheNamesOfThePlan(t *testing.T) {
	t.Parallel()
	require.Empty(t, Stray(middleZoneTaken(), []string{"private-b"}))
	stray := Stray(middleZoneTaken(), []string{"private-x", "private-b"})
	require.Equal(t, []string{"private-x"}, stray)
	var refused *failure.Error
	require.ErrorAs(t, RefuseStray(middleZoneTaken(), stray), &refused)
	assert.Equal(t, "the plan's names are: --allow nat-b,nat-c,private-b,private-c", refused.Remedy)
	require.ErrorAs(t, RefuseStray(&changes.Plan{}, stray), &refused)
	assert.NotContains(t, refused.Remedy, "names are")
}

// object returns a step that deletes an object of Kubernetes.
func object(token, name string) *changes.Step {
	metadata := map[string]any{"name": name, "namespace": "hypershift"}
	return step(token, name, changes.Delete, nil, map[string]any{"metadata": metadata}, nil)
}

func TestObjectsThatLivingClustersNeedAreGuarded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		token, name, input string
	}{
		{"kubernetes:hypershift.openshift.io/v1beta1:HostedCluster", "demo", ""},
		{"kubernetes:hypershift.openshift.io/v1beta1:NodePool", "demo-us-east-1a", "nodePools"},
		{"kubernetes:cluster.x-k8s.io/v1beta2:MachineDeployment", "demo-md-0", "workers"},
		{"kubernetes:core/v1:Namespace", "hypershift", "kubeconfig"},
		{"kubernetes:core/v1:Secret", "external-dns-credentials", "operator.identity, zone or kubeconfig"},
		{"kubernetes:apps/v1:Deployment", "operator", "operator.install or zone"},
	} {
		r, refused := refusals(t, &changes.Plan{Steps: []*changes.Step{object(test.token, test.name)}})[test.name]
		require.True(t, refused, test.token)
		assert.Equal(t, test.input, r.Input, test.token)
		assert.NotEmpty(t, r.Needed, test.token)
		assert.NotEmpty(t, r.Remedy, test.token)
	}
	for token, name := range map[string]string{
		"kubernetes:core/v1:Secret": "demo-ssh-key", "kubernetes:core/v1:ConfigMap": "demo-proxy-ca",
		"kubernetes:core/v1:NamespacePatch": "clusters",
	} {
		assert.Empty(t, refusals(t, &changes.Plan{Steps: []*changes.Step{object(token, name)}}), token)
	}
}

func TestTheUserOfAnOperatorIsGuardedWithItsKey(t *testing.T) {
	t.Parallel()
	user := step(awstype.User, "ec2", changes.Delete, nil, map[string]any{"name": "id-ec2"}, nil)
	key := step(awstype.AccessKey, "key", changes.Delete, nil, map[string]any{"user": "id-ec2"}, nil)
	assert.Len(t, refusals(t, &changes.Plan{Steps: []*changes.Step{user, key}}), 1)
	assert.Len(t, refusals(t, &changes.Plan{Steps: []*changes.Step{key}}), 1, "a key whose user stays")
	assert.Empty(t, refusals(t, &changes.Plan{Steps: []*changes.Step{user, key}}, "ec2"))
}

func TestTheGuardRefusesToPauseNodesWithInstanceStores(t *testing.T) {
	t.Parallel()
	pool := func(instanceType, since string, replicas int) map[string]any {
		metadata := map[string]any{"name": "demo"}
		if since != "" {
			metadata["annotations"] = map[string]any{"hypershift-aws/paused-since": since}
		}
		aws := map[string]any{"instanceType": instanceType}
		return map[string]any{
			"metadata": metadata,
			"spec":     map[string]any{"replicas": replicas, "platform": map[string]any{"aws": aws}},
		}
	}
	const token = "kubernetes:hypershift.openshift.io/v1beta1:NodePool"
	pause := func(instanceType, before, after string) *changes.Plan {
		return &changes.Plan{Steps: []*changes.Step{
			step(token, "demo", changes.Update, nil, pool(instanceType, before, 2), pool(instanceType, after, 0)),
		}}
	}
	const night = "2026-11-28T20:00:00Z"
	refused := refusals(t, pause("m6id.large", "", night))["demo"]
	require.Equal(t, "nodesPausedSince", refused.Input)
	require.Contains(t, refused.Because, "m6id.large")
	require.NotContains(t, refused.Remedy, "add the new pool first")
	require.Empty(t, refusals(t, pause("m6id.large", "", night), "demo"), "allowed by name")
	require.Empty(t, refusals(t, pause("m6id.large", night, "2026-11-29T20:00:00Z")), "paused already")
	require.Empty(t, refusals(t, pause("m6id.large", night, "")), "resumed")
	require.Empty(t, refusals(t, pause("m6i.large", "", night)), "its volumes are EBS's")
}
