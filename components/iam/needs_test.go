package iam

import (
	"testing"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// needsOf returns the needs of a given role by action.
func needsOf(t *testing.T, access hypershift.EndpointAccess, name RoleName) map[string]Need {
	t.Helper()
	args := &RoleSetArgs{EndpointAccess: access, Options: &RoleOptions{Existing: &Existing{
		Roles: map[RoleName]pulumi.StringInput{name: pulumi.String("arn:aws:iam::123456789012:role/given")},
	}}}
	given, err := args.KnownRoles()
	require.NoError(t, err)
	require.Len(t, given, 1)
	require.Equal(t, name, given[0].Name)
	require.NotEmpty(t, given[0].Breaks)
	needs := map[string]Need{}
	for _, n := range given[0].Needs {
		require.NotEmpty(t, n.Why, n.Action)
		needs[n.Action] = n
	}
	return needs
}

func TestAGivenRoleNeedsWhatItsOperatorsCallInThisCluster(t *testing.T) {
	t.Parallel()
	nodes := needsOf(t, hypershift.Public, RoleNodePoolManagement)
	require.True(t, nodes["ec2:RunInstances"].Vital)
	require.True(t, nodes["iam:PassRole"].Vital)
	require.False(t, nodes["kms:Decrypt"].Vital, "only for volumes that a customer's key encrypts")
	require.NotContains(t, nodes, "sqs:ReceiveMessage", "the cluster has no queue")
	require.NotContains(t, nodes, "ec2:CreateVpc", "HyperShift's policy allows it, and nothing calls it")
	require.Equal(t, "4.22", nodes["ec2:DescribeInstanceTypes"].Since)
	require.Contains(t, nodes["ec2:RunInstances"].Why,
		"cluster-api-provider-aws calls it (pkg/cloud/services/ec2/instances.go:")

	require.NotContains(t, needsOf(t, hypershift.Public, RoleControlPlaneOperator), "ec2:CreateVpcEndpoint")
	private := needsOf(t, hypershift.Private, RoleControlPlaneOperator)
	require.Contains(t, private, "ec2:CreateVpcEndpoint")
	require.NotContains(t, private, "ec2:DeleteTags", "HyperShift's own policy lacks it")
	require.False(t, needsOf(t, hypershift.Public, RoleImageRegistry)["s3:CreateBucket"].Vital)
}

func TestAnActionIsNeededFromItsReleaseOn(t *testing.T) {
	t.Parallel()
	need := Need{Action: "elasticloadbalancing:SetSecurityGroups", Since: "4.23"}
	for release, needed := range map[string]bool{
		"4.14.3": false,
		"4.22.9": false,
		"4.23.0": true,
		"5.0.0":  true,
		"5.1.2":  true,
	} {
		require.Equal(t, needed, need.NeededBy(semver.MustParse(release)), release)
	}
	require.True(t, need.NeededBy(semver.Version{}), "a release that is not known")
	require.True(t, Need{}.NeededBy(semver.MustParse("4.14.0")))
}
