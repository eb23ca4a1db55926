package adopt

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// judged returns the review of a plan with one step, for which the account has this finding.
func judged(step changes.Step, found Match, elsewhere map[state.Managed]string, allowed ...string) *takeover.Review {
	step.Custom = true
	return Judge("acme", &changes.Plan{Steps: []*changes.Step{&step}}, map[takeover.Key]Match{{Type: step.Type, Name: step.Name}: found}, allowed, elsewhere)
}

func TestEachRefusalNamesTheResourceAndTheRemedy(t *testing.T) {
	t.Parallel()
	subnet := changes.Step{Type: awstype.Subnet, Name: "network-private-us-east-1a", Change: changes.Create}
	with := func(change changes.Change, keys ...string) changes.Step {
		step := subnet
		step.Change, step.ID, step.Keys = change, "subnet-1", keys
		step.Old, step.New = map[string]any{"cidrBlock": "10.0.0.0/20"}, map[string]any{"cidrBlock": "10.1.0.0/20"}
		return step
	}
	for want, r := range map[string]*takeover.Review{
		"subnet network-private-us-east-1a: subnet-1 is in the state of stack other; forget it there first: `hypershift-aws forget -s other`": judged(
			with(changes.Import), Match{ID: "subnet-1"},
			map[state.Managed]string{{Type: awstype.Subnet, ID: "subnet-1"}: "other"}),
		"subnet network-private-us-east-1a (subnet-1) would be replaced: cidrBlock: 10.0.0.0/20 -> 10.1.0.0/20": judged(
			with(changes.Replace, "cidrBlock"), Match{ID: "subnet-1"}, nil),
		"subnet network-private-us-east-1a (subnet-1) would be deleted: the stack's file no longer has a key for it": judged(with(changes.Delete), Match{}, nil),
		"subnet network-private-us-east-1a may be any of subnet-1, subnet-2: set the right one with --id Subnet:network-private-us-east-1a=ID": judged(
			subnet, Match{Others: []string{"subnet-1", "subnet-2"}}, nil),
		"subnet network-private-us-east-1a does not exist, and every existing cluster has one: correct network.zones, network.vpcCIDR or endpointAccess, " +
			"or set its ID with --id Subnet:network-private-us-east-1a=ID, or have it created with --allow-create network-private-us-east-1a": judged(subnet, Match{}, nil),
		"subnet network-private-us-east-1a could not be looked up: AccessDenied: not authorized; allow it, or set its ID with --id Subnet:network-private-us-east-1a=ID": judged(
			subnet, Match{Err: errors.New("AccessDenied: not authorized")}, nil),
	} {
		require.Equal(t, []string{want}, r.Refused)
		require.ErrorContains(t, Refusal(r), "stack acme cannot adopt the cluster; nothing was changed:\n  "+want)
		require.ErrorContains(t, Refusal(r), want)
	}
}

func TestAdoptOverwritesNoSecret(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"data", `data["key"]`, "stringData"} {
		secret := changes.Step{
			Type:   "kubernetes:core/v1:Secret",
			Name:   "pull-secret",
			ID:     "clusters/demo",
			Change: changes.Import,
			Diffs:  []string{field},
		}
		r := judged(secret, Match{ID: "clusters/demo"}, nil)
		require.Len(t, r.Refused, 1, field)
		require.Contains(t, r.Refused[0], "adopt does not overwrite Secrets", field)
	}
}

func TestASearchThatIsDeniedMarksTheResultIncomplete(t *testing.T) {
	t.Parallel()
	r := judged(changes.Step{
		Type:   awstype.FlowLog,
		Name:   "network-flow-logs",
		Change: changes.Create,
	}, Match{Err: errors.New("UnauthorizedOperation: no")}, nil)
	require.Equal(t, []string{"flow log network-flow-logs: UnauthorizedOperation: no"}, r.Incomplete)
	require.ErrorContains(t, Missing(r), "the result is incomplete; these could not be listed:\n  flow log network-flow-logs: UnauthorizedOperation: no")
	require.NotEmpty(t, r.Refused, "what could not be looked up is not created")
}

func TestWhatIsAllowedToBeCreatedIsCreated(t *testing.T) {
	t.Parallel()
	r := judged(changes.Step{
		Type:   awstype.Role,
		Name:   "roles-node-pool",
		Change: changes.Create,
	}, Match{}, nil, "roles-node-pool")
	require.NoError(t, Refusal(r))
	require.Equal(t, []takeover.Item{{
		Action: takeover.Create,
		Type:   awstype.Role,
		Name:   "roles-node-pool",
		Why:    "it does not exist",
	}}, r.Items)
}

func TestAResourceWithoutATagOfTheStackIsFoundByItsName(t *testing.T) {
	t.Parallel()
	tags := map[string]any{"hypershift-aws/stack": "hypershift-aws/mgmt/demo-oidc"}
	step := changes.Step{Type: awstype.Queue, Name: "prerequisites-interruptions-queue", Change: changes.Import,
		ID: "https://sqs/q", Diffs: []string{"tags"},
		Old: map[string]any{}, New: map[string]any{"tags": tags}}
	r := judged(step, Match{ID: "https://sqs/q"}, nil)
	require.Equal(t, takeover.Update, r.Items[0].Action)
	require.Contains(t, Text(r), "SQS queue prerequisites-interruptions-queue https://sqs/q  [found by its name; it has no tag of the cluster or the stack]")

	step.Old = map[string]any{"tags": tags}
	require.NotContains(t, Text(judged(step, Match{ID: "https://sqs/q"}, nil)), "found by its name")
}

func TestAKeyPairIsWrittenIntoTheStateWithTheTagsThatChange(t *testing.T) {
	t.Parallel()
	step := changes.Step{
		Type:   awstype.KeyPair,
		Name:   "network-bastion",
		Change: changes.Create,
		New:    map[string]any{"tags": map[string]any{"Name": "demo-bastion"}},
	}
	found := Match{
		ID:       "demo-bastion",
		Outputs:  map[string]any{"tags": map[string]any{"Name": "other"}},
		Resource: inventory.Resource{},
	}
	r := judged(step, found, nil)
	require.Equal(t, []takeover.Item{{Action: takeover.Update, Type: awstype.KeyPair, Name: "network-bastion",
		ID: "demo-bastion", Why: writtenAlone,
		Changes: []takeover.Change{{Field: "tags[Name]", From: "other", To: "demo-bastion"}}}}, r.Items)
	found.Refused = "key pair demo-bastion has another public key"
	require.Equal(t, []string{"key pair network-bastion: key pair demo-bastion has another public key"},
		judged(step, found, nil).Refused)
}

func TestANameThatAnotherStackHasInAnotherAccountIsFree(t *testing.T) {
	t.Parallel()
	deployment, err := state.ParseExport([]byte(`{"version":3,"deployment":{"manifest":{},"resources":[
		{"urn":"urn:pulumi:dev::p::aws:iam/role:Role::r","custom":true,"id":"hypershift-operator-ec2","type":"aws:iam/role:Role","provider":"urn:dev::1",
		 "outputs":{"arn":"arn:aws:iam::210987654321:role/hypershift-operator-ec2"}},
		{"urn":"urn:pulumi:dev::p::aws:iam/rolePolicy:RolePolicy::r","custom":true,"id":"hypershift-operator-ec2:p","type":"aws:iam/rolePolicy:RolePolicy",
		 "provider":"urn:dev::1","outputs":{}}]}}`))
	require.NoError(t, err)
	require.Empty(t, state.ManagedIn(deployment, map[string]bool{"123456789012": true}))
	require.Equal(t, []state.Managed{{
		Type: "aws:iam/role:Role",
		ID:   "hypershift-operator-ec2",
	}, {Type: "aws:iam/rolePolicy:RolePolicy", ID: "hypershift-operator-ec2:p"}},
		state.ManagedIn(deployment, map[string]bool{"210987654321": true}))

	// A provider none of whose resources has an ARN may be in any account.
	deployment, err = state.ParseExport([]byte(`{"version":3,"deployment":{"manifest":{},"resources":[{"urn":"urn:pulumi:dev::p::aws:ec2/eip:Eip::a","custom":true,
		"id":"eipalloc-1","type":"aws:ec2/eip:Eip","provider":"urn:dev::1","outputs":{}}]}}`))
	require.NoError(t, err)
	require.Equal(t, []state.Managed{{
		Type: "aws:ec2/eip:Eip",
		ID:   "eipalloc-1",
	}}, state.ManagedIn(deployment, map[string]bool{"123456789012": true}))
}
