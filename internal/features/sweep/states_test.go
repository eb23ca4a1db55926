package sweep

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestAStateIsThatOfTheClusterWhoseTagItsResourcesHave(t *testing.T) {
	t.Parallel()
	deployment := func(outputs map[string]any) *state.Deployment {
		return &state.Deployment{Resources: []*state.Resource{
			{
				ResourceV3: apitype.ResourceV3{
					Type:    "pulumi:pulumi:Stack",
					URN:     "urn:pulumi:s::p::pulumi:pulumi:Stack::s",
					Outputs: outputs,
				},
			},
			{
				ResourceV3: apitype.ResourceV3{
					Type:   "pulumi:providers:kubernetes",
					URN:    "urn:pulumi:s::p::pulumi:providers:kubernetes::k",
					Custom: true,
				},
			},
			{
				ResourceV3: apitype.ResourceV3{
					Type:   awstype.VPC,
					URN:    "urn:pulumi:s::p::" + awstype.VPC + "::vpc",
					Custom: true,
					ID:     "vpc-1",
				},
			},
		}}
	}
	scope := Scope{Project: fakeProject{states: map[string]*state.Deployment{
		"hosted": deployment(map[string]any{"kind": "cluster", "infraID": "demo-x1", "name": "demo"}),
		"capi":   deployment(map[string]any{"kind": "capa", "infraID": "ignored", "name": "machines"}),
	}}}
	f := &Facts{}
	require.NoError(t, scope.addStates(t.Context(), f))
	require.Equal(t, map[string]string{"demo-x1": "hosted", "machines": "capi"}, f.StacksOf)
	require.Equal(t, f.StacksOf, f.Applied)
}

// A stack without a file may use what its state names, and its management cluster may have any cluster.
func TestWhatAStackWithoutAFileMayHaveIsUnknown(t *testing.T) {
	t.Parallel()
	deployment, err := state.ParseExport([]byte(`{"version": 3, "deployment": {"resources": [
		{"type": "pulumi:pulumi:Stack", "urn": "urn:pulumi:given::p::pulumi:pulumi:Stack::given", "outputs": {"kind": "cluster", "infraID": "demo-x1"}},
		{"type": "pulumi:providers:kubernetes", "urn": "urn:pulumi:given::p::pulumi:providers:kubernetes::k", "custom": true, "id": "k"},
		{"type": "aws:ec2/subnet:Subnet", "urn": "urn:pulumi:given::p::aws:ec2/subnet:Subnet::s", "custom": true, "id": "subnet-1", "inputs": {"vpcId": "vpc-shared"}}
	]}}`))
	require.NoError(t, err)
	facts := func(project fakeProject) *Facts {
		f := newFake().facts(t.TempDir())
		scope := Scope{Project: project, Kubeconfigs: []config.Kubeconfig{{File: "/kubeconfig"}}}
		require.NoError(t, scope.complete(t.Context(), &f))
		return &f
	}
	f := facts(fakeProject{states: map[string]*state.Deployment{"given": deployment}})
	held, why := newChecks(*f, Options{}).belongs(inventory.Resource{ID: "vpc-shared"})
	require.Equal(t, inventory.GateStack, held)
	require.Contains(t, why, "stack given")
	for _, infraID := range []string{"demo-x1", "other-x1"} {
		life, why := f.judgeLife(Options{SweepOptions: inventory.SweepOptions{InfraID: infraID}}, gate.InAWS{})
		require.Equal(t, gates.Unknown, life)
		require.Contains(t, why, "--kubeconfig")
	}

	none := facts(fakeProject{})
	held, _ = newChecks(*none, Options{}).belongs(inventory.Resource{ID: "vpc-shared"})
	require.NotEqual(t, inventory.GateStack, held)
	_, why = none.judgeLife(Options{SweepOptions: inventory.SweepOptions{InfraID: "other-x1"}}, gate.InAWS{})
	require.Contains(t, why, "not in ")
}
