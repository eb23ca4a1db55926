package permissions_test

import (
	"encoding/json"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// allowed returns the actions that the policies allow.
func allowed(t *testing.T, needs []permissions.Need) []string {
	t.Helper()
	policies, err := permissions.Policies(needs)
	require.NoError(t, err)
	actions := map[string]bool{}
	for _, policy := range policies {
		for _, statement := range policy.Document.Statement {
			for _, action := range statement.Action {
				actions[action] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(actions))
}

func TestPermissionsFromAPreviewSufficeForAllOperations(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeededRoles()})
	stack.Configure(stackfile.Cluster{
		Access: hypershift.PublicAndPrivate, NAT: network.PerZone, Zones: stackfile.ZoneNames(2),
		More: "    iam: {karpenter: true, spotServiceLinkedRole: true, permissionsBoundary: \"" + stackfile.BoundaryARN +
			"\"}\n",
	}.String())
	stack.Preview()
	shown := allowed(t, stack.Uses())
	stack.Up()
	stack.Refresh()
	stack.Destroy()
	require.Equal(t, shown, allowed(t, stack.Uses()))
}

// printedPolicies runs `permissions` on an example and reads what it prints.
func printedPolicies(t *testing.T, example string, args ...string) []policy.Document {
	t.Helper()
	cli := harness.NewCLI(t, stackfile.CopyOf(t, example))
	decoder := json.NewDecoder(strings.NewReader(cli.Run(append([]string{"permissions"}, args...)...)))
	var documents []policy.Document
	for {
		var document policy.Document
		err := decoder.Decode(&document)
		if err == io.EOF {
			return documents
		}
		require.NoError(t, err)
		require.LessOrEqual(t, len(document.JSON()), permissions.MaxPolicySize)
		documents = append(documents, document)
	}
}

func TestTheDeployersPoliciesFollowTheOptions(t *testing.T) {
	t.Parallel()
	text := func(example string) string {
		var all strings.Builder
		for _, document := range printedPolicies(t, example) {
			all.WriteString(document.JSON())
		}
		return all.String()
	}
	public, govcloud := text("public"), text("govcloud")
	require.Contains(t, public, "ec2:CreateNatGateway")
	require.Contains(t, public, `"route53:ListHostedZones"`, "the public zone is looked up")
	require.NotContains(t, public, "kms:")
	require.NotContains(t, govcloud, "ec2:CreateNatGateway")
	require.NotContains(t, govcloud, `"route53:ListHostedZones"`)
	require.Contains(t, govcloud, "kms:DescribeKey")
	require.Contains(t, govcloud, "arn:aws-us-gov:iam::*:role/hypershift/")
	require.NotContains(t, govcloud, "arn:aws:")
}

func TestAClusterOnlyReadsInItsManagementAccount(t *testing.T) {
	t.Parallel()
	cli := harness.NewCLI(t, repo.Path("examples", "fleet"))
	stdout, stderr, code := cli.Exit("permissions", "-s", "east")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "policy 1 of 2, for account 111111111111\npolicy 2 of 2, for account 222222222222")
	inManagement, stdout, _ := strings.Cut(stdout, "\n}\n")
	for _, action := range regexp.MustCompile(`"([a-z0-9]+):(\w+)",?\n`).FindAllStringSubmatch(inManagement, -1) {
		require.Regexp(t, "^(Describe|Get|List)", action[2], "destroy reads there whether the cluster is alive")
	}
	require.NotContains(t, stdout, "arn:aws:iam::111111111111:")
	require.Contains(t, stdout, `"arn:aws:kms:us-east-1:111111111111:key/*"`, "the key is the management stack's, whose ID AWS assigns")
	require.Contains(t, stdout, "arn:aws:iam::222222222222:role/east-x1-node-pool")
}

func TestPermissionsChangeNeitherStateNorAccount(t *testing.T) {
	t.Parallel()
	cli := harness.NewCLI(t, stackfile.CopyOf(t, "public"))
	before := harness.FilesIn(t, cli.Dir)
	stdout, stderr, code := cli.Exit("permissions", "-o", "json")
	require.Zero(t, code, stderr)
	require.Equal(t, before, harness.FilesIn(t, cli.Dir))
	lines := slices.Collect(strings.Lines(stdout))
	require.Contains(t, lines[len(lines)-1], `"type":"summary"`)
	for _, line := range lines[:len(lines)-1] {
		var policy struct {
			Type, Account string
			Document      policy.Document
		}
		require.NoError(t, json.Unmarshal([]byte(line), &policy))
		require.Equal(t, "policy", policy.Type)
		require.NotEmpty(t, policy.Document.Statement)
	}
}
