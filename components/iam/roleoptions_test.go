package iam

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

const (
	demoKey  = "arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab"
	demoRole = "arn:aws:iam::123456789012:role/team/ingress"
)

func demo() hypershift.Cluster { return hypershift.Cluster{Name: "demo", InfraID: "demo-x1"} }

// roleSet returns a role set that has nothing wrong with it.
func roleSet() RoleSetArgs {
	some := pulumi.String("arn")
	return RoleSetArgs{
		Options: &RoleOptions{},
		Cluster: demo(), OIDCProviderARN: some, IssuerURL: pulumi.String("https://issuer.example.com"), WorkerRoleARN: some,
		PublicZoneARN: some, PrivateZoneARN: some, KMSKeyARN: pulumi.String(demoKey),
	}
}

func TestEveryNameOfAnIAMResourceHasAtMost64Characters(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("p", hypershift.MaxInfraIDLength)
	cluster := hypershift.Cluster{Name: "demo", InfraID: longest}
	suffixes := []string{"worker", "worker-role", "worker-ROSA-Worker-Role", "shared-role"}
	for _, spec := range roleSpecs() {
		suffixes = append(suffixes, spec.suffix)
	}
	for _, suffix := range suffixes {
		for _, options := range []RoleOptions{{}, {RoleNamePrefix: longest}, {RoleNamePrefix: longest + "-"}} {
			require.NoError(t, options.validateFor(cluster))
			require.LessOrEqual(t, len(options.name(cluster, suffix)), 64, suffix)
		}
	}
}

func TestAPrefixReplacesTheInfraID(t *testing.T) {
	t.Parallel()
	require.Equal(t, "demo-x1-node-pool", RoleOptions{}.name(demo(), "node-pool"))
	require.Equal(t, "team-node-pool", RoleOptions{RoleNamePrefix: "team"}.name(demo(), "node-pool"))
	require.Equal(t, "team-node-pool", RoleOptions{RoleNamePrefix: "team-"}.name(demo(), "node-pool"))
}

func TestABadRoleSetIsRefusedWithItsPathAndARemedy(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*RoleSetArgs){
		`roleNamePrefix: "` + strings.Repeat("p", 33) + `" is too long (33 characters)`: func(a *RoleSetArgs) { a.Options.RoleNamePrefix = strings.Repeat("p", 33) },
		`roleNamePrefix: "a b" cannot begin the name of a role`:                         func(a *RoleSetArgs) { a.Options.RoleNamePrefix = "a b" },
		`roleNamePrefix: "-" cannot begin`:                                              func(a *RoleSetArgs) { a.Options.RoleNamePrefix = "-" },
		`path: "hypershift" is not an IAM path`:                                         func(a *RoleSetArgs) { a.Options.Path = "hypershift" },
		`path: "/a b/" is not an IAM path`:                                              func(a *RoleSetArgs) { a.Options.Path = "/a b/" },
		`permissionsBoundary: "arn:aws:iam::123456789012:role/x" is not the ARN of a managed policy`: func(a *RoleSetArgs) {
			a.Options.PermissionsBoundary = pulumi.String("arn:aws:iam::123456789012:role/x")
		},
		`tags[red-hat-managed] does not let ROSA's managed policies access the cluster's resources`: func(a *RoleSetArgs) { a.Options.ManagedPolicies = true },
		`tags[red-hat-managed]: "false" does not let`: func(a *RoleSetArgs) {
			a.Options.ManagedPolicies, a.Cluster.Tags = true, map[string]string{"red-hat-managed": "false"}
		},
		`extraPolicies[nodepool]: "nodepool" is not a role of a hosted cluster; use ingress, `: func(a *RoleSetArgs) {
			a.Options.ExtraPolicies = map[RoleName][]string{"nodepool": {"arn:aws:iam::aws:policy/X"}}
		},
		`extraPolicies[ingress][1]: "X" is not the ARN`: func(a *RoleSetArgs) {
			a.Options.ExtraPolicies = map[RoleName][]string{RoleIngress: {"arn:aws:iam::aws:policy/X", "X"}}
		},
		`extraPolicies[karpenter] are for a role that the cluster does not have`: func(a *RoleSetArgs) {
			a.Options.ExtraPolicies = map[RoleName][]string{RoleKarpenter: {"arn:aws:iam::aws:policy/X"}}
		},
		`extraPolicies[ingress] would change an existing role`: func(a *RoleSetArgs) {
			a.Options.Existing = &Existing{Roles: map[RoleName]pulumi.StringInput{RoleIngress: pulumi.String(demoRole)}}
			a.Options.ExtraPolicies = map[RoleName][]string{RoleIngress: {"arn:aws:iam::aws:policy/X"}}
		},
		`existing.roles[ingresARN]: "ingres" is not a role`: func(a *RoleSetArgs) {
			a.Options.Existing = &Existing{Roles: map[RoleName]pulumi.StringInput{"ingres": pulumi.String(demoRole)}}
		},
		`existing.roles[ingressARN]: "ingress" is not the ARN of a role`: func(a *RoleSetArgs) {
			a.Options.Existing = &Existing{Roles: map[RoleName]pulumi.StringInput{RoleIngress: pulumi.String("ingress")}}
		},
		`sharedRole: "true" creates one role for all components`: func(a *RoleSetArgs) {
			a.Options.SharedRole, a.Options.Existing = true, &Existing{
				Roles: map[RoleName]pulumi.StringInput{RoleIngress: pulumi.String(demoRole)},
			}
		},
	} {
		args := roleSet()
		change(&args)
		err := args.Validate()
		require.ErrorContains(t, err, want)
		require.Len(t, fault.In(err), 1, want)
		require.NotEmpty(t, fault.In(err)[0].Remedy, want)
	}
	args := roleSet()
	require.NoError(t, args.Validate())
}

func TestABadWorkerProfileIsRefusedWithItsPathAndARemedy(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*WorkerProfileArgs){
		`existing.instanceProfile: "arn:aws:iam::123456789012:instance-profile/x" is not the name`: func(a *WorkerProfileArgs) {
			a.Options.Existing = &Existing{InstanceProfile: pulumi.String("arn:aws:iam::123456789012:instance-profile/x")}
		},
		`is too long (33 characters)`: func(a *WorkerProfileArgs) { a.Options.RoleNamePrefix = strings.Repeat("p", 33) },
		`extraPolicies[worker] would change an existing role`: func(a *WorkerProfileArgs) {
			a.Options.Existing, a.Options.ExtraPolicies = &Existing{
				InstanceProfile: pulumi.String("x"),
			}, map[RoleName][]string{RoleWorker: {"arn:aws:iam::aws:policy/X"}}
		},
		`extraPolicies[worker][0]: "X" is not the ARN`: func(a *WorkerProfileArgs) { a.Options.ExtraPolicies = map[RoleName][]string{RoleWorker: {"X"}} },
	} {
		args := WorkerProfileArgs{Cluster: demo(), Options: &RoleOptions{}}
		change(&args)
		err := args.Validate()
		require.ErrorContains(t, err, want)
		require.Len(t, fault.In(err), 1, want)
	}
}

func TestAPolicyOfAnotherPartitionIsRefused(t *testing.T) {
	t.Parallel()
	const china = "arn:aws-cn:iam::123456789012:policy/team/boundary"
	require.NoError(t, ValidatePolicyARN(china, ""))
	require.NoError(t, ValidatePolicyARN(china, "aws-cn"))
	require.ErrorContains(t, ValidatePolicyARN(china, "aws"), "is not in partition aws")
}
