package adopt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

func TestANameThatAnotherStackHasInAnotherAccountIsFree(t *testing.T) {
	t.Parallel()
	deployment, err := state.ParseExport([]byte(`{"version":3,"deployment":{"manifest":{},"resources":[
		{"urn":"urn:pulumi:dev::p::aws:iam/role:Role::r","custom":true,"id":"hypershift-operator-ec2","type":"aws:iam/role:Role","provider":"urn:dev::1",
		 "outputs":{"arn":"arn:aws:iam::210987654321:role/hypershift-operator-ec2"}},
		{"urn":"urn:pulumi:dev::p::aws:iam/rolePolicy:RolePolicy::r","custom":true,"id":"hypershift-operator-ec2:p","type":"aws:iam/rolePolicy:RolePolicy",
		 "provider":"urn:dev::1","outputs":{}}]}}`))
	require.NoError(t, err)
	require.Empty(t, HeldIn(deployment, map[string]bool{"123456789012": true}))
	require.Equal(t, []Held{{Type: "aws:iam/role:Role", ID: "hypershift-operator-ec2"}, {Type: "aws:iam/rolePolicy:RolePolicy", ID: "hypershift-operator-ec2:p"}},
		HeldIn(deployment, map[string]bool{"210987654321": true}))

	// A provider none of whose resources has an ARN may be in any account.
	deployment, err = state.ParseExport([]byte(`{"version":3,"deployment":{"manifest":{},"resources":[{"urn":"urn:pulumi:dev::p::aws:ec2/eip:Eip::a","custom":true,
		"id":"eipalloc-1","type":"aws:ec2/eip:Eip","provider":"urn:dev::1","outputs":{}}]}}`))
	require.NoError(t, err)
	require.Equal(t, []Held{{Type: "aws:ec2/eip:Eip", ID: "eipalloc-1"}}, HeldIn(deployment, map[string]bool{"123456789012": true}))
}
