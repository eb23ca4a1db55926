package config

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// wholeIAM is a config that uses every key of iam but sharedRole, which excludes roles that exist, and scoped, which
// excludes managed policies.
const wholeIAM = whole + `    iam:
      existing:
        roles: {ingressARN: arn:aws:iam::123456789012:role/ingress}
        instanceProfile: nodes
      permissionsBoundary: arn:aws:iam::123456789012:policy/boundary
      path: /hypershift/
      roleNamePrefix: team-
      managedPolicies: true
      karpenter: true
      spotServiceLinkedRole: true
      extraPolicies: {nodePoolManagement: ["arn:aws:iam::aws:policy/X"]}
`

func TestTheConfigOfRolesIsDecoded(t *testing.T) {
	t.Parallel()
	file, err := load(t, wholeIAM)
	require.NoError(t, err)
	options := As[*Cluster](file).RoleSet(pulumi.String("https://issuer.example.com")).Options
	require.Equal(t, map[iam.RoleName]pulumi.StringInput{
		iam.RoleIngress: pulumi.String("arn:aws:iam::123456789012:role/ingress"),
	}, options.Existing.Roles)
	require.Equal(t, map[iam.RoleName][]string{
		iam.RoleNodePoolManagement: {"arn:aws:iam::aws:policy/X"},
	}, options.ExtraPolicies)
	require.True(t, options.Karpenter && options.SpotServiceLinkedRole && options.ManagedPolicies && !options.SharedRole)
	require.Equal(t, pulumi.String("nodes"), As[*Cluster](file).WorkerProfile().Options.Existing.InstanceProfile)
	require.Equal(t, "true", As[*Cluster](file).Tags["red-hat-managed"], "the tag that ROSA's policies ask for")
	require.Equal(t, "platform", As[*Cluster](file).Tags["team"])
}

func TestABadConfigOfRolesIsRefusedWithItsLineItsPathAndARemedy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ replace, with, want string }{
		{"policy/boundary", "boundary", `:24: hypershift-aws:cluster.iam.permissionsBoundary: "arn:aws:iam::123456789012:boundary" is not the ARN of a managed policy; use arn:aws:iam::<account>:policy/<name>`},
		{"arn:aws:iam::123456789012:policy", "arn:aws-cn:iam::123456789012:policy", `iam.permissionsBoundary: "arn:aws-cn:iam::123456789012:policy/boundary" is not in partition aws`},
		{"/hypershift/", "hypershift", `:25: hypershift-aws:cluster.iam.path: "hypershift" is not an IAM path`},
		{"team-", strings.Repeat("x", 33), `:26: hypershift-aws:cluster.iam.roleNamePrefix: "` + strings.Repeat("x", 33) + `" is too long (33 characters)`},
		{"managedPolicies: true", "managedPolicies: yes please", `:27: hypershift-aws:cluster.iam.managedPolicies: "yes please" is a string; expected a boolean`},
		{"{team: platform}", `{red-hat-managed: "false"}`, `:10: hypershift-aws:cluster.tags[red-hat-managed]: "false" does not let ROSA's managed policies`},
		{"nodePoolManagement:", "nodepools:", `:30: hypershift-aws:cluster.iam.extraPolicies[nodepools]: "nodepools" is not a role of a hosted cluster`},
		{"nodePoolManagement:", "ingress:", `iam.extraPolicies[ingress] would change an existing role`},
		{"nodePoolManagement:", "worker:", `iam.extraPolicies[worker] would change an existing role`},
		{"iam::aws:policy/X", "iam::aws:role/X", `iam.extraPolicies[nodePoolManagement][0]: "arn:aws:iam::aws:role/X" is not the ARN of a managed policy`},
		{"{ingressARN:", "{ingress:", `:22: hypershift-aws:cluster.iam.existing.roles[ingress]: "ingress" does not end in ARN; use ingressARN`},
		{"{ingressARN:", "{ingresARN:", `iam.existing.roles[ingresARN]: "ingres" is not a role of a hosted cluster`},
		{"role/ingress", "user/ingress", `iam.existing.roles[ingressARN]: "arn:aws:iam::123456789012:user/ingress" is not the ARN of a role`},
		{"arn:aws:iam::123456789012:role", "arn:aws-us-gov:iam::123456789012:role", `is not in partition aws`},
		{"instanceProfile: nodes", "instanceProfile: a/b", `:23: hypershift-aws:cluster.iam.existing.instanceProfile: "a/b" is not the name of an instance profile`},
		{"karpenter: true", "sharedRole: true", `iam.sharedRole: "true" creates one role for all components`},
		{"karpenter: true", "scoped: true", `iam.scoped: "true" cannot limit AWS's managed policies; leave out managedPolicies, or scoped`},
		{"karpenter: true", "karpentr: true", `iam.karpentr is not a key of the config`},
	} {
		t.Run(test.with, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, wholeIAM, test.replace)
			_, err := load(t, strings.Replace(wholeIAM, test.replace, test.with, 1))
			require.ErrorContains(t, err, test.want)
			require.Len(t, fault.In(err), 1)
		})
	}
}

// TestEachPolicyThatRolesNameIsListedAsExisting: those of AWS exist in every account.
func TestEachPolicyThatRolesNameIsListedAsExisting(t *testing.T) {
	t.Parallel()
	const own = "arn:aws:iam::123456789012:policy/"
	c := &Cluster{IAM: iam.RoleOptions{
		PermissionsBoundary: pulumi.String(own + "boundary"),
		ExtraPolicies:       map[iam.RoleName][]string{iam.RoleWorker: {own + "extra", own + "boundary"}},
		WorkloadRoles: []iam.Workload{
			{Policies: []string{own + "efs", "arn:aws:iam::aws:policy/ReadOnlyAccess"}}, {Policies: []string{own + "efs"}},
		},
	}}
	var names []string
	for _, existing := range c.existingIAM(nil) {
		if existing.Kind == ExistingPolicy {
			names = append(names, strings.TrimPrefix(existing.Name, own))
		}
	}
	require.Equal(t, []string{"boundary", "extra", "efs"}, names)
}
