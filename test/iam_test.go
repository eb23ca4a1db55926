package test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

const (
	boundaryARN = "arn:aws:iam::123456789012:policy/team/boundary"
	extraARN    = "arn:aws:iam::123456789012:policy/extra"
	spotRoleARN = "arn:aws:iam::123456789012:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot"
)

// withIAM returns the config of a Private cluster of one zone whose key iam is the given one.
func withIAM(keys string) string {
	return clusterConfig{access: hypershift.Private, nat: network.Single, zones: zoneNames(1), more: "    iam: {" + keys + "}\n"}.String()
}

// withInterruptionQueue returns the config of a cluster with Karpenter and a queue of spot interruptions.
func withInterruptionQueue() string {
	return withIAM("karpenter: true") + "    interruptionQueue: true\n"
}

// givenRole returns the ARN of an existing role.
func givenRole(name iam.RoleName) string {
	return fmt.Sprintf("arn:aws:iam::123456789012:role/given/%s", name)
}

// givenRoles returns seeds of all roles, trusted by the issuer of the cluster demo, and of what the options
// refer to.
func givenRoles() []offline.Seed {
	const issuer = "demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"
	given := append(seeds(),
		offline.Seed{Kind: offline.SeedPolicy, Name: boundaryARN},
		offline.Seed{Kind: offline.SeedPolicy, Name: extraARN},
		offline.Seed{Kind: offline.SeedInstanceProfile, Name: "given-nodes"},
	)
	for _, name := range iam.RoleNames() {
		trust := iam.TrustPolicy("arn:aws:iam::123456789012:oidc-provider/"+issuer, "https://"+issuer, name)
		given = append(given, offline.Seed{Kind: offline.SeedRole, Name: givenRole(name), Document: trust.JSON()})
	}
	return given
}

// existingRoles writes existing.roles with the given roles.
func existingRoles(names ...iam.RoleName) string {
	var pairs []string
	for _, name := range names {
		pairs = append(pairs, fmt.Sprintf("%sARN: %q", name, givenRole(name)))
	}
	return "roles: {" + strings.Join(pairs, ", ") + "}"
}

// iamOptions returns the keys of iam in a stack for each option.
func iamOptions() map[string]string {
	return map[string]string{
		"boundary-path-prefix": `permissionsBoundary: "` + boundaryARN + `", path: /hypershift/, roleNamePrefix: team-`,
		"managed-policies":     "managedPolicies: true",
		"karpenter":            "karpenter: true",
		"workload-roles":       `workloadRoles: [{namespace: shop, serviceAccount: orders, policy: '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::orders/*"}]}'}, {namespace: shop, serviceAccount: stock, roleName: stock, policy: '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "arn:aws:sqs:us-east-1:123456789012:stock"}]}'}]`,
		"extra-policies":       `extraPolicies: {nodePoolManagement: ["` + extraARN + `", "arn:aws:iam::aws:policy/ReadOnlyAccess"], worker: ["` + extraARN + `"]}`,
		"shared-role":          "sharedRole: true, karpenter: true",
		"shared-role-managed":  "sharedRole: true, managedPolicies: true",
		"existing-some":        "existing: {" + existingRoles(iam.RoleIngress, iam.RoleStorage) + "}",
		"existing-all":         "existing: {" + existingRoles(iam.RoleNames()...) + ", instanceProfile: given-nodes}, karpenter: true",
	}
}

// requireRoles compares the roles of a stack with its golden file, which has the differences from the roles of a public cluster if they are few.
func requireRoles(t *testing.T, name, graph string) {
	t.Helper()
	path := "testdata/iam/" + name + ".txt"
	switch name {
	case "Private", "PublicAndPrivate", "existing-some", "extra-policies", "interruption-queue", "karpenter", "spot-role", "workload-roles":
		golden.RequireLike(t, path, "Public.txt", graph)
	default:
		golden.Require(t, path, graph)
	}
}

func TestEveryOptionOfIAMIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for name, keys := range sizes.Only(t, iamOptions(), "boundary-path-prefix") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: givenRoles()})
			stack.Configure(withIAM(keys))
			stack.Up()
			requireRoles(t, name, stack.Graph(nil, "oidc", "workers", "roles", "roles-shop-orders", "roles-shop-stock"))
			stack.RequireStable()
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
		})
	}
}

func TestTheInterruptionQueueIsTheClustersOwnAndTheOnlyOneThatRolesRead(t *testing.T) {
	t.Parallel()
	stack := newCluster(t)
	stack.Configure(withIAM("karpenter: true"))
	stack.Up()
	stack.Configure(withInterruptionQueue())
	changes := stack.Up()
	require.ElementsMatch(t, []string{
		"hypershift-aws:management:InterruptionQueue interruptions", "aws:cloudwatch/eventRule:EventRule interruptions-interruption",
		"aws:cloudwatch/eventRule:EventRule interruptions-rebalance",
		"aws:cloudwatch/eventTarget:EventTarget interruptions-interruption", "aws:cloudwatch/eventTarget:EventTarget interruptions-rebalance",
		"aws:sqs/queue:Queue interruptions-queue", "aws:sqs/queuePolicy:QueuePolicy interruptions-queue",
	}, changes.Of(apitype.OpCreate))
	require.Empty(t, changes.Of(apitype.OpReplace))
	requireRoles(t, "interruption-queue", stack.Graph(nil, "oidc", "workers", "roles", "interruptions"))
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	require.Equal(t, "https://sqs.us-east-1.amazonaws.com/123456789012/demo-x1-interruptions", outputs["interruptionQueueURL"].Value)
	stack.RequireStable()
	stack.Destroy()
	require.Empty(t, stack.Resources(), "what destroy left in the account")
}

func iamOutput(t *testing.T, stack *enginetest.Stack) (output documents.IAM, text string) {
	t.Helper()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	encoded, err := json.Marshal(outputs["iam"].Value)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(encoded, &output))
	return output, string(encoded)
}

func TestKarpentersRoleIsPassedOnOnlyIfEnabled(t *testing.T) {
	t.Parallel()
	stack := newCluster(t)
	stack.Configure(withIAM(""))
	stack.Up()
	_, text := iamOutput(t, stack)
	require.NotContains(t, text, "karpenterRoleARN")
	require.NotContains(t, text, "shared")

	stack.Configure(withIAM("karpenter: true"))
	changes := stack.Up()
	require.Equal(t, []string{"aws:iam/role:Role roles-karpenter", "aws:iam/rolePolicy:RolePolicy roles-karpenter"}, changes.Of(apitype.OpCreate))
	output, _ := iamOutput(t, stack)
	require.Equal(t, "arn:aws:iam::123456789012:role/demo-x1-karpenter", output.KarpenterRoleARN)
}

func TestASharedRoleReplacesEveryRole(t *testing.T) {
	t.Parallel()
	stack := newCluster(t)
	stack.Configure(withIAM("sharedRole: true"))
	stack.Up()
	output, _ := iamOutput(t, stack)
	const shared = "arn:aws:iam::123456789012:role/demo-x1-shared-role"
	require.Equal(t, documents.IAMRoles{
		IngressARN: shared, ImageRegistryARN: shared, StorageARN: shared, NetworkARN: shared,
		KubeCloudControllerARN: shared, NodePoolManagementARN: shared, ControlPlaneOperatorARN: shared,
	}, output.Roles)
	require.Equal(t, shared, output.KMSProviderRoleARN)
}

func TestABoundaryAndExtraPoliciesAreAddedAndRemovedInPlace(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: givenRoles()})
	stack.Configure(withIAM(""))
	stack.Up()
	stack.Configure(withIAM(`permissionsBoundary: "` + boundaryARN + `", extraPolicies: {ingress: ["` + extraARN + `"]}`))
	changes := stack.Up()
	require.Empty(t, changes.Replaced())
	require.Len(t, changes.Of(apitype.OpUpdate), 9, "eight roles and the nodes'")
	stack.Configure(withIAM(""))
	require.Empty(t, stack.Up().Replaced())
	require.Empty(t, stack.Up())
}

func TestExistingResourcesAreNeverChanged(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: givenRoles()})
	stack.Configure(withIAM("existing: {" + existingRoles(iam.RoleNames()...) + ", instanceProfile: given-nodes}, karpenter: true"))
	stack.Up()
	output, _ := iamOutput(t, stack)
	require.Equal(t, givenRole(iam.RoleNodePoolManagement), output.Roles.NodePoolManagementARN)
	require.Equal(t, givenRole(iam.RoleKMSProvider), output.KMSProviderRoleARN)
	require.Equal(t, givenRole(iam.RoleKarpenter), output.KarpenterRoleARN)
	require.Equal(t, "given-nodes", output.ProfileName)
	for _, r := range stack.Custom() {
		require.True(t, !strings.HasPrefix(string(r.Type), "aws:iam/") || r.Type == "aws:iam/openIdConnectProvider:OpenIdConnectProvider", r.URN)
	}
}

func TestAllFaultsOfExistingResourcesAreReportedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	other := offline.Seed{
		Kind: offline.SeedRole, Name: "arn:aws:iam::123456789012:role/stranger",
		Document: iam.TrustPolicy("arn:aws:iam::123456789012:oidc-provider/other", "https://other", iam.RoleStorage).JSON(),
	}
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(seeds(), other)})
	stack.Configure(withIAM(`existing: {roles: {ingressARN: "arn:aws:iam::123456789012:role/none", storageARN: "` + other.Name + `"}},
      extraPolicies: {network: ["` + extraARN + `"]}`))
	_, err := stack.PreviewErr()
	for _, want := range []string{
		`existing.roles[ingressARN]: "arn:aws:iam::123456789012:role/none" cannot be looked up`,
		`NoSuchEntity`,
		`existing.roles[storageARN]: "arn:aws:iam::123456789012:role/stranger" does not trust the tokens of ` +
			`https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1 for system:serviceaccount:openshift-cluster-csi-drivers:aws-ebs-csi-driver-controller-sa`,
		`extraPolicies[network][0]: "` + extraARN + `" cannot be looked up`,
	} {
		require.ErrorContains(t, err, want)
	}
	require.Empty(t, stack.Resources())
}

func TestAnInstanceProfileThatNodesCannotUseIsRefused(t *testing.T) {
	t.Parallel()
	stack := newCluster(t)
	stack.Configure(withIAM("existing: {instanceProfile: none}"))
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, `existing.instanceProfile: "none" cannot be looked up`)
}

func TestTheSpotRoleIsCreatedOnceAdoptedAndNeverDeleted(t *testing.T) {
	t.Parallel()
	first := newCluster(t)
	first.Configure(withIAM("spotServiceLinkedRole: true"))
	require.Contains(t, first.Up().Of(apitype.OpCreate), "aws:iam/serviceLinkedRole:ServiceLinkedRole roles-spot")
	requireRoles(t, "spot-role", first.Graph(nil, "roles"))
	first.RequireStable()

	second := enginetest.New(t, stacks.Run, enginetest.Options{Beside: first})
	second.Configure(strings.ReplaceAll(withIAM("spotServiceLinkedRole: true"), "demo-x1", "demo-x2"))
	require.Contains(t, second.Up().Of(apitype.OpImport), "aws:iam/serviceLinkedRole:ServiceLinkedRole roles-spot", "another cluster of the account")
	require.Empty(t, second.Up(), "a second up")
	outputs, err := second.Outputs(t.Context())
	require.NoError(t, err)
	require.Equal(t, spotRoleARN, outputs["spotRoleARN"].Value)

	second.Destroy()
	first.Destroy()
	left := first.Resources()
	require.Len(t, left, 1, "it is the account's")
	require.Equal(t, spotRoleARN, left[0].ID)
	first.Up()
	require.Empty(t, first.Up(), "after it has come up again")
}
