package steps

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// step is a change of the file of a deployed stack, which has the same verdict however the stack is run.
type step struct {
	name string
	edit func(text string) string
	// refusal are parts of the message; none if the change is carried out.
	refusal []string
	// rule is what refuses it: a type of AWS, or one of the rules below.
	rule string
	// always is true for a step that `make test` runs.
	always bool
}

// stepsTable is a table of steps of one kind of stack.
type stepsTable struct {
	// base is the file of the deployed stack, key that of its section, and component the type of the plugin's component.
	base, key, component string
	ordinary, refused    []step
}

func clusterSteps() stepsTable {
	return stepsTable{stackfile.StepsBase(), config.ClusterKey, stacks.ClusterType, ordinarySteps(), refusedSteps()}
}

const (
	ruleKeys     = "keys"
	rulePolicies = "policies"
)

// ordinarySteps are changes of one after the other, which are carried out.
func ordinarySteps() []step {
	return []step{
		{name: "other tags", edit: stackfile.Replaced("tags: {team: platform}", "tags: {team: network}")},
		{
			name:   "an endpoint more",
			edit:   stackfile.Replaced("interfaceEndpoints: [kms]", "interfaceEndpoints: [kms, sts]"),
			always: true,
		},
		{name: "a zone more", edit: stackfile.Replaced("us-east-1c]", "us-east-1c, us-east-1d]")},
		{name: "other DNS domain", edit: stackfile.InNetwork("dhcpDomainName: nodes.example.com")},
		{name: "a role of a workload", edit: stackfile.Replaced("workloadRoles: [", `workloadRoles: [{namespace: shop, serviceAccount: stock, policies: ["`+stackfile.ReadOnly+`"]}, `)},
		{name: "flow logs", edit: stackfile.InNetwork("flowLogs: {}")},
		{
			name: "a network more behind the transit gateway",
			edit: stackfile.Replaced(stackfile.BehindTheHub, stackfile.BehindTheHub+", 100.64.0.0/16"),
		},
		{name: "the default security group stays", edit: stackfile.InNetwork("keepDefaultSecurityGroup: true")},
		{name: "a policy more", edit: stackfile.Replaced("iam: {", `iam: {extraPolicies: {ingress: ["`+stackfile.ReadOnly+`"]}, `)},
		{
			name: "a queue of interruptions",
			edit: stackfile.Replaced("    network:\n", "    interruptionQueue: true\n    network:\n"),
		},
	}
}

// refusedSteps are changes of what a cluster depends on.
func refusedSteps() []step {
	return []step{
		{name: "VPC replaced", rule: awstype.VPC, edit: stackfile.InNetwork("vpcCIDR: 10.1.0.0/16"),
			refusal: []string{"VPC network-vpc would be replaced", "set by   network.vpcCIDR"}},
		{name: "subnet replaced", rule: awstype.Subnet,
			edit:    stackfile.Replaced("us-east-1a, us-east-1b", "us-east-1b, us-east-1a"),
			refusal: []string{"subnet network-private-us-east-1a would be replaced"}},
		{name: "zone removed", rule: awstype.Subnet, edit: stackfile.Replaced(", us-east-1c", ""),
			refusal: []string{"subnet network-private-us-east-1c would be deleted", "add us-east-1c again"}, always: true},
		{name: "NAT gateway deleted", rule: awstype.NATGateway, edit: stackfile.Replaced("nat: PerZone", "nat: Single"),
			refusal: []string{"NAT gateway network-nat-us-east-1b would be deleted"}},
		{name: "role replaced", rule: awstype.Role, edit: stackfile.Replaced("infraID: demo-x1", "infraID: demo-x2"),
			refusal: []string{"IAM role", "would be replaced", "set by   infraID"}, always: true},
		{
			name:    "path of the roles",
			rule:    awstype.Role,
			edit:    stackfile.Replaced("iam: {", "iam: {path: /clusters/, "),
			refusal: []string{"IAM role", "would be replaced"},
		},
		{
			name:    "role deleted",
			rule:    awstype.Role,
			edit:    stackfile.Replaced(stackfile.OrdersRole, ""),
			refusal: []string{"IAM role roles-shop-orders-role would be deleted"},
		},
		{name: "hosted zone replaced", rule: awstype.HostedZone,
			edit:    stackfile.Replaced("baseDomain: example.com", "baseDomain: example.com\n    baseDomainPrefix: other"),
			refusal: []string{"hosted zone network-private-zone would be replaced"}},
		{name: "cluster renamed", rule: awstype.HostedZone, edit: stackfile.Replaced("    name: demo\n", "    name: other\n"),
			refusal: []string{"hosted zone network-local-zone would be replaced"}},
		{name: "hosted zone deleted", rule: awstype.HostedZone, edit: stackfile.Replaced("PublicAndPrivate", "Public"),
			refusal: []string{"hosted zone network-local-zone would be deleted", "set by   endpointAccess"}},
		{name: "key removed", rule: ruleKeys, edit: stackfile.Replaced("kmsKeyARN: "+stackfile.KMSKeyARN, "kmsKeyARN: none"),
			refusal: []string{"is not the key with which the existing cluster encrypts etcd",
				"set kmsKeyARN: " + stackfile.KMSKeyARN}},
		{name: "OIDC provider replaced", rule: awstype.OIDCProvider,
			edit:    stackfile.Replaced("bucketName: demo-oidc", "bucketName: other-oidc"),
			refusal: []string{"OIDC provider oidc-provider would be replaced", "set by   oidc"}},
		{name: "endpoint deleted", rule: awstype.VPCEndpoint, edit: stackfile.Replaced("[kms", "[ec2"),
			refusal: []string{"VPC endpoint network-endpoint-kms would be deleted", "set by   network.interfaceEndpoints"},
			always:  true},
		{name: "gateway endpoint deleted", rule: awstype.VPCEndpoint,
			edit:    stackfile.Replaced("gatewayEndpoints: [dynamodb]", "gatewayEndpoints: []"),
			refusal: []string{"VPC endpoint network-dynamodb would be deleted"}},
		{name: "route deleted", rule: awstype.Route, edit: stackfile.Replaced(", "+stackfile.BehindTheHub, ""),
			refusal: []string{"route network-private-us-east-1a-transit-" + stackfile.BehindTheHub + " would be deleted"},
			always:  true},
		{name: "attachment deleted", rule: awstype.TransitGatewayAttachment,
			edit:    stackfile.Replaced("transitGateway: {", "# {"),
			refusal: []string{"transit gateway attachment network-transit-gateway would be deleted"}},
		{
			name: "policy violated", rule: rulePolicies,
			edit: stackfile.Replaced("workloadRoles: [", `workloadRoles: [{namespace: shop, serviceAccount: admin, `+
				`policy: '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'}, `),
			refusal: []string{"violates policies: administrator (", "nothing was changed"}, always: true,
		},
		{name: "role policies deleted", rule: awstype.RolePolicy,
			edit:    stackfile.Replaced("iam: {", "iam: {managedPolicies: true, "),
			refusal: []string{"role policy", "would be deleted", "set by   iam"}},
		{name: "policy of a role removed", rule: awstype.RolePolicyAttachment, edit: stackfile.Replaced(`, "`+stackfile.ReadBuckets+`"`, ""),
			refusal: []string{"role policy attachment", "would be deleted"}},
	}
}

// runner is a way of running a stack.
type runner struct {
	configure func(text string)
	// up carries out the file. It reports false with the message if that is refused.
	up func() (message string, ok bool)
	// account describes the resources in AWS, and the calls to it as far as they are counted.
	account func() any
}

// verdict returns what is wrong with a runner's answer to a step, "" if nothing is.
func (r runner) verdict(s step, base string) string {
	r.configure(s.edit(base))
	if len(s.refusal) == 0 {
		if message, done := r.up(); !done {
			return "it is refused: " + message
		}
		return ""
	}
	before := r.account()
	message, done := r.up()
	if done {
		return "it is carried out"
	}
	for _, part := range s.refusal {
		if !strings.Contains(message, part) {
			return "the message does not contain " + part + ": " + message
		}
	}
	if !assert.ObjectsAreEqual(before, r.account()) {
		return "AWS was called"
	}
	return ""
}

// create deploys the stack of a file.
func (r runner) create(t *testing.T, text string) {
	t.Helper()
	require.Empty(t, r.verdict(step{edit: func(string) string { return text }}, ""))
}

// runners returns the ways of running a table of steps, by their names.
func runners(table stepsTable) map[string]func(t *testing.T) runner {
	return map[string]func(t *testing.T) runner{
		"CLI":                       byCLI,
		"pulumi without preview":    func(t *testing.T) runner { return byPulumi(t, table, "--skip-preview") },
		"pulumi with preview":       func(t *testing.T) runner { return byPulumi(t, table) },
		"Automation API":            func(t *testing.T) runner { return byEngine(t, table, program.Run) },
		"embedding program":         func(t *testing.T) runner { return byEngine(t, table, embedding(program.Guarded)) },
		"YAML":                      func(t *testing.T) runner { return byYAML(t, table) },
		"calls of the agent, a pod": func(t *testing.T) runner { return byAgent(t, table, nil) },
	}
}

func TestEachStepHasTheSameVerdictHoweverTheStackIsRun(t *testing.T) {
	t.Parallel()
	runTable(t, clusterSteps(), "CLI", "pulumi without preview")
}

func TestEachStepOfAManagementStackHasTheSameVerdictHoweverItIsRun(t *testing.T) {
	t.Parallel()
	runTable(t, managementSteps(), "CLI", "calls of the agent, a pod")
}

// runTable runs the steps of a table in each way, or in the ways of `make test`.
func runTable(t *testing.T, table stepsTable, ways ...string) {
	t.Helper()
	for name, start := range sizes.Only(t, runners(table), ways...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runSteps(t, table, start(t), sizes.All())
		})
	}
}

// runSteps runs the steps of the table, or those that `make test` runs.
func runSteps(t *testing.T, table stepsTable, r runner, all bool) {
	t.Helper()
	text := table.base
	r.create(t, text)
	for _, s := range table.ordinary {
		if s.always || all {
			require.NotEqual(t, text, s.edit(text), s.name)
			require.Empty(t, r.verdict(s, text), s.name)
			text = s.edit(text)
		}
	}
	for _, s := range table.refused {
		if s.always || all {
			require.NotEqual(t, text, s.edit(text), s.name)
			require.Empty(t, r.verdict(s, text), s.name)
		}
	}
}

func TestTheTableHasTwentyStepsOfEachWay(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, table := range []stepsTable{clusterSteps(), managementSteps()} {
		for _, s := range append(table.ordinary, table.refused...) {
			require.False(t, names[s.name], s.name)
			names[s.name] = true
			require.NotEqual(t, table.base, s.edit(table.base), s.name)
			require.Equal(t, len(s.refusal) == 0, s.rule == "", s.name)
		}
	}
	require.GreaterOrEqual(t, len(names), 20)
}
