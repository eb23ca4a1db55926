package fleet_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/race"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

var fleetOnce sync.Once

// createdFleet returns a fleet whose stacks have been created. The first test that asks for one creates it, and all get
// copies.
func createdFleet(t *testing.T) *harness.CLI {
	t.Helper()
	race.SkipEngine(t)
	dir := filepath.Join(harness.Dir, "fleet")
	fleetOnce.Do(func() {
		fleet := harness.NewFleet(t)
		for _, stack := range harness.FleetStacks() {
			fleet.Run("--offline", "-s", stack, "up", "--yes")
		}
		require.NoError(t, os.CopyFS(dir, os.DirFS(fleet.Dir)))
	})
	require.DirExists(t, dir, "the test that created the fleet failed")
	return harness.NewCLI(t, harness.Copied(t, dir))
}

func TestAFleetIsCreatedInOrderAndDestroyedInReverse(t *testing.T) {
	t.Parallel()
	fleet := harness.NewFleet(t)
	for _, stack := range harness.FleetStacks() {
		fleet.Run("--offline", "-s", stack, "up", "--yes")
	}
	for _, stack := range sizes.First(1, harness.FleetStacks()) {
		fleet.Run("--offline", "-s", stack, "preview", "--expect-no-changes")
	}
	key := fleet.Output("management", "etcdKeyARN")
	for _, cluster := range []string{"east", "west"} {
		var iam documents.IAM
		require.NoError(t, json.Unmarshal([]byte(fleet.Run("--offline", "-s", cluster, "outputs", "--format", "iam-json")),
			&iam))
		require.Equal(t, "https://example-fleet-oidc.s3.us-east-1.amazonaws.com/"+cluster+"-x1", iam.IssuerURL)
		require.Equal(t, key, iam.KMSKeyARN)
		require.Equal(t, "clusters.example.com", fleet.Output(cluster, "externalDNSDomain"))
		require.Equal(t, "111111111111", fleet.Output(cluster, "managementAccountID"))
	}

	var roles documents.OperatorRoles
	require.NoError(t, json.Unmarshal([]byte(fleet.Run("--offline", "-s", "management", "outputs", "--format",
		"operator-roles-json")), &roles))
	require.Equal(t, "arn:aws:iam::111111111111:role/hypershift-external-dns", roles.ExternalDNSRoleARN)

	_, stderr, code := fleet.Exit("--offline", "-s", "management", "destroy", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "stack management is used by east, west; nothing was changed")
	fleet.Run("--offline", "-s", "west", "destroy", "--yes")
	_, stderr, code = fleet.Exit("--offline", "-s", "management", "destroy", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "stack management is used by east; nothing was changed")
	fleet.Run("--offline", "-s", "east", "destroy", "--yes")
	fleet.Run("--offline", "-s", "management", "destroy", "--yes")
	require.Empty(t, harness.MadeIn(t, fleet.OfflineDir()))
}

func TestAnOfflineAccountHasTheRolesThatTrustTheManagementStacksIssuer(t *testing.T) {
	t.Parallel()
	fleet := harness.NewFleet(t)
	fleet.Run("--offline", "-s", "management", "up", "--yes")
	const given = "arn:aws:iam::222222222222:role/given-ingress"
	fleet.Edit("east", "    network:\n", "    iam: {existing: {roles: {ingressARN: \""+given+"\"}}}\n    network:\n")
	fleet.Run("--offline", "-s", "east", "up", "--yes")
	var iam documents.IAM
	require.NoError(t, json.Unmarshal([]byte(fleet.Run("--offline", "-s", "east", "outputs", "--format", "iam-json")),
		&iam))
	require.Equal(t, given, iam.Roles.IngressARN)
}

func TestAnOfflineDestroyReportsLeftoversInAccountsAndClusters(t *testing.T) {
	t.Parallel()
	fleet := harness.NewFleet(t)
	fleet.Edit("management", "    unprotected: true", "    kubeconfig: {context: management}\n    unprotected: true")
	fleet.Run("--offline", "-s", "management", "up", "--yes")
	fleet.Run("--offline", "-s", "east", "up", "--yes")
	_, stderr, code := fleet.Exit("--offline", "-s", "east", "destroy", "--yes")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "account 222222222222 has no resources created by stacks")
	require.Regexp(t, `account 111111111111 contains \d+ resources? of other stacks`, stderr)
	require.Contains(t, stderr, "Kubernetes cluster management contains 1 object of other stacks")
	_, stderr, code = fleet.Exit("--offline", "-s", "management", "destroy", "--yes")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "Kubernetes cluster management has no resources created by stacks")
}

func TestAReferenceInAStacksStateProtectsTheManagementStack(t *testing.T) {
	t.Parallel()
	fleet := createdFleet(t)
	fleet.Edit("east", "management: management #", "oidc: {bucketName: another-oidc} #")
	_, stderr, code := fleet.Exit("--offline", "-s", "management", "destroy", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "stack management is used by east")
}

func TestNoResourceIsInTheWrongAccount(t *testing.T) {
	t.Parallel()
	fleet := createdFleet(t)
	accounts, err := offline.Accounts(fleet.OfflineDir())
	require.NoError(t, err)
	owners := map[string]string{"111111111111": "management", "222222222222": "east", "333333333333": "west"}
	require.Len(t, accounts, len(owners))
	made := map[string]int{}
	for _, account := range accounts {
		owner := owners[account.ID()]
		require.NotEmpty(t, owner, "account %s has no owner", account.ID())
		for _, resource := range account.Resources() {
			if resource.Seed {
				continue
			}
			made[owner]++
			tags, _ := resource.Properties["tagsAll"].(map[string]any)
			for key, value := range tags {
				if key == "hypershift.openshift.io/infra-id" {
					require.Equal(t, owner+"-x1", value, "%s is in the account of %s", resource.ID, owner)
				}
			}
			if arn, ok := resource.Properties["arn"].(string); ok && strings.Count(arn,
				":") > 4 && strings.Split(arn, ":")[4] != "" {
				require.Equal(t, account.ID(), strings.Split(arn, ":")[4], arn)
			}
		}
	}
	for _, stack := range harness.FleetStacks() {
		info := fleet.Run("--offline", "-s", stack, "outputs", "kind")
		require.NotEmpty(t, info)
		require.Greater(t, made[stack], 15, stack)
	}
	require.Equal(t, made["east"], made["west"])
}

func TestAReferenceThatCannotBeFollowedIsRefusedBeforeTheEngineStarts(t *testing.T) {
	t.Parallel()
	const line = "Pulumi.east.yaml:10: hypershift-aws:cluster.management: "
	for name, test := range map[string]struct {
		up     []string
		edit   string
		want   string
		change func(fleet *harness.CLI)
	}{
		"no such stack": {edit: "nosuch", want: line + `"nosuch" names a stack that does not exist; use a stack of this project`},
		"another kind":  {up: []string{"management", "west"}, edit: "west", want: line + `"west" names a stack of kind cluster; use a stack of kind management`},
		"not deployed":  {edit: "management", want: line + `"management" names a stack that has not been deployed; run`},
		"taken down": {up: []string{"management"}, edit: "management", want: line + `"management" names a stack that has not been deployed; run`,
			change: func(fleet *harness.CLI) { fleet.Run("--offline", "-s", "management", "destroy", "--yes") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet := harness.NewFleet(t)
			for _, stack := range test.up {
				fleet.Run("--offline", "-s", stack, "up", "--yes")
			}
			if test.change != nil {
				test.change(fleet)
			}
			fleet.Edit("east", "management: management #", "management: "+test.edit+" #")
			for _, command := range [][]string{{"preview"}, {"up", "--yes"}} {
				_, stderr, code := fleet.Exit(append([]string{"--offline", "-s", "east"}, command...)...)
				require.Equal(t, 2, code, stderr)
				require.Contains(t, stderr, test.want)
			}
			created, err := filepath.Glob(filepath.Join(fleet.OfflineDir(), "accounts", "222222222222", "*", "ec2.Vpc",
				"*.json"))
			require.NoError(t, err)
			require.Empty(t, created, "VPCs in the account of east")
		})
	}
}

func TestMissingManagementOutputsAreReportedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	fleet := harness.NewFleet(t)
	fleet.Edit("management", `, "333333333333"`, "")
	fleet.Run("--offline", "-s", "management", "up", "--yes")
	for _, test := range []struct{ stack, old, with, want string }{
		{"west", "management: management #", "management: management #",
			"has a key for etcd that does not allow the cluster's account 333333333333"},
		{"east", "us-east-1", "us-west-2", "has a key for etcd in us-east-1, but the cluster is in us-west-2; set kmsKeyARN to a key of us-west-2, or none"},
		{"east", "111111111111", "444444444444", `selects account 444444444444, but the management stack "management" is in 111111111111`},
	} {
		fleet.Edit(test.stack, test.old, test.with)
		_, stderr, code := fleet.Exit("--offline", "-s", test.stack, "up", "--yes")
		require.Equal(t, 1, code, stderr)
		require.Contains(t, stderr, test.want)
		fleet.Edit(test.stack, test.with, test.old)
	}
	fleet.Edit("west", "management: management #", "kmsKeyARN: none\n    management: management #")
	fleet.Run("--offline", "-s", "west", "up", "--yes")
	require.Empty(t, fleet.Output("west", "kmsProviderRoleARN"))
}
