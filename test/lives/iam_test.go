package lives

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestEveryOptionOfIAMIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for name, keys := range sizes.Only(t, stackfile.IAMOptions(), "boundary-path-prefix") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeededRoles()})
			stack.Configure(stackfile.IAM(keys))
			stack.Up()
			golden.RequireRoles(t, name, stack.Graph(nil, "oidc", "workers", "roles", "roles-shop-orders", "roles-shop-stock"))
			stack.RequireStable()
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
		})
	}
}

func TestTheInterruptionQueueIsTheClustersOwnAndTheOnlyOneThatRolesRead(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.IAM("karpenter: true"))
	stack.Up()
	stack.Configure(stackfile.InterruptionQueue())
	changes := stack.Up()
	require.ElementsMatch(t, []string{
		"hypershift-aws:management:InterruptionQueue interruptions",
		"aws:cloudwatch/eventRule:EventRule interruptions-interruption",
		"aws:cloudwatch/eventRule:EventRule interruptions-rebalance",
		"aws:cloudwatch/eventTarget:EventTarget interruptions-interruption",
		"aws:cloudwatch/eventTarget:EventTarget interruptions-rebalance",
		"aws:sqs/queue:Queue interruptions-queue", "aws:sqs/queuePolicy:QueuePolicy interruptions-queue",
	}, changes.Of(apitype.OpCreate))
	require.Empty(t, changes.Of(apitype.OpReplace))
	golden.RequireRoles(t, "interruption-queue", stack.Graph(nil, "oidc", "workers", "roles", "interruptions"))
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	require.Equal(t, "https://sqs.us-east-1.amazonaws.com/123456789012/demo-x1-interruptions",
		outputs["interruptionQueueURL"].Value)
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
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.IAM(""))
	stack.Up()
	_, text := iamOutput(t, stack)
	require.NotContains(t, text, "karpenterRoleARN")
	require.NotContains(t, text, "shared")

	stack.Configure(stackfile.IAM("karpenter: true"))
	changes := stack.Up()
	require.Equal(t, []string{"aws:iam/role:Role roles-karpenter", "aws:iam/rolePolicy:RolePolicy roles-karpenter"},
		changes.Of(apitype.OpCreate))
	output, _ := iamOutput(t, stack)
	require.Equal(t, "arn:aws:iam::123456789012:role/demo-x1-karpenter", output.KarpenterRoleARN)
}

func TestASharedRoleReplacesEveryRole(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.IAM("sharedRole: true"))
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
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeededRoles()})
	stack.Configure(stackfile.IAM(""))
	stack.Up()
	stack.Configure(stackfile.IAM(`permissionsBoundary: "` + stackfile.BoundaryARN + `", extraPolicies: {ingress: ["` + stackfile.ExtraARN + `"]}`))
	changes := stack.Up()
	require.Empty(t, changes.Replaced())
	require.Len(t, changes.Of(apitype.OpUpdate), 9, "eight roles and the nodes'")
	stack.Configure(stackfile.IAM(""))
	require.Empty(t, stack.Up().Replaced())
	require.Empty(t, stack.Up())
}

func TestExistingResourcesAreNeverChanged(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeededRoles()})
	stack.Configure(stackfile.IAM("existing: {" + stackfile.ExistingRoles(iam.RoleNames()...) +
		", instanceProfile: given-nodes}, karpenter: true"))
	stack.Up()
	output, _ := iamOutput(t, stack)
	require.Equal(t, stackfile.SeededRole(iam.RoleNodePoolManagement), output.Roles.NodePoolManagementARN)
	require.Equal(t, stackfile.SeededRole(iam.RoleKMSProvider), output.KMSProviderRoleARN)
	require.Equal(t, stackfile.SeededRole(iam.RoleKarpenter), output.KarpenterRoleARN)
	require.Equal(t, "given-nodes", output.ProfileName)
	for _, r := range stack.Custom() {
		require.True(t, !strings.HasPrefix(string(r.Type), "aws:iam/") ||
			r.Type == "aws:iam/openIdConnectProvider:OpenIdConnectProvider", r.URN)
	}
}

func TestAllFaultsOfExistingResourcesAreReportedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	other := offline.Seed{
		Kind: offline.SeedRole, Name: "arn:aws:iam::123456789012:role/stranger",
		Document: iam.TrustPolicy("arn:aws:iam::123456789012:oidc-provider/other", "https://other", iam.RoleStorage).JSON(),
	}
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(stackfile.Seeds(), other)})
	stack.Configure(stackfile.IAM(`existing: {roles: {ingressARN: "arn:aws:iam::123456789012:role/none", storageARN: "` + other.Name + `"}},
      extraPolicies: {network: ["` + stackfile.ExtraARN + `"]}`))
	_, err := stack.PreviewErr()
	for _, want := range []string{
		`existing.roles[ingressARN]: "arn:aws:iam::123456789012:role/none" cannot be looked up`,
		`NoSuchEntity`,
		`existing.roles[storageARN]: "arn:aws:iam::123456789012:role/stranger" does not trust the tokens of ` +
			`https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1 for system:serviceaccount:openshift-cluster-csi-drivers:aws-ebs-csi-driver-controller-sa`,
		`extraPolicies[network][0]: "` + stackfile.ExtraARN + `" cannot be looked up`,
	} {
		require.ErrorContains(t, err, want)
	}
	require.Empty(t, stack.Resources())
}

func TestAnInstanceProfileThatNodesCannotUseIsRefused(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.IAM("existing: {instanceProfile: none}"))
	_, err := stack.PreviewErr()
	require.ErrorContains(t, err, `existing.instanceProfile: "none" cannot be looked up`)
}

func TestTheSpotRoleIsCreatedOnceAdoptedAndNeverDeleted(t *testing.T) {
	t.Parallel()
	first := harness.NewCluster(t)
	first.Configure(stackfile.IAM("spotServiceLinkedRole: true"))
	require.Contains(t, first.Up().Of(apitype.OpCreate), "aws:iam/serviceLinkedRole:ServiceLinkedRole roles-spot")
	golden.RequireRoles(t, "spot-role", first.Graph(nil, "roles"))
	first.RequireStable()

	second := enginetest.New(t, stacks.Run, enginetest.Options{Beside: first})
	second.Configure(strings.ReplaceAll(stackfile.IAM("spotServiceLinkedRole: true"), "demo-x1", "demo-x2"))
	require.Contains(t, second.Up().Of(apitype.OpImport), "aws:iam/serviceLinkedRole:ServiceLinkedRole roles-spot",
		"another cluster of the account")
	require.Empty(t, second.Up(), "a second up")
	outputs, err := second.Outputs(t.Context())
	require.NoError(t, err)
	require.Equal(t, stackfile.SpotRoleARN, outputs["spotRoleARN"].Value)

	second.Destroy()
	first.Destroy()
	left := first.Resources()
	require.Len(t, left, 1, "it is the account's")
	require.Equal(t, stackfile.SpotRoleARN, left[0].ID)
	first.Up()
	require.Empty(t, first.Up(), "after it has come up again")
}
