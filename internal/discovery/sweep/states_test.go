package sweep

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

func TestAStateIsThatOfTheClusterWhoseTagItsResourcesHave(t *testing.T) {
	t.Parallel()
	deployment := func(outputs map[string]any) *state.Deployment {
		return &state.Deployment{Resources: []*state.Resource{
			{ResourceV3: apitype.ResourceV3{Type: "pulumi:pulumi:Stack", URN: "urn:pulumi:s::p::pulumi:pulumi:Stack::s", Outputs: outputs}},
			{ResourceV3: apitype.ResourceV3{Type: "pulumi:providers:kubernetes", URN: "urn:pulumi:s::p::pulumi:providers:kubernetes::k", Custom: true}},
			{ResourceV3: apitype.ResourceV3{Type: awstype.VPC, URN: "urn:pulumi:s::p::" + awstype.VPC + "::vpc", Custom: true, ID: "vpc-1"}},
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
