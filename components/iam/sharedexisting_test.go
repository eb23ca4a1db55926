package iam

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

func TestExistingRolesOfAVPCsOwnerAreAssumed(t *testing.T) {
	t.Parallel()
	b := &roleSetBuilder{args: &RoleSetArgs{
		Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
		SharedVPC: &SharedVPC{
			VPCOwnerAccountID: pulumi.String("210987654321"), IngressRoleARN: pulumi.String("i"),
			ControlPlaneRoleARN: pulumi.String("c"),
		},
	}}
	s := scope{vpcAccount: "210987654321", sharedIngressARN: "i", sharedControlPlaneARN: "c"}
	require.Equal(t, []string{"i"}, []string(b.assumeRoles(RoleIngress)(s).Statement[0].Resource))
	require.Equal(t, []string{"i", "c"}, []string(b.assumeRoles(RoleControlPlaneOperator)(s).Statement[0].Resource))
}
