package commands

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	hypershiftaws "github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// kindStacks returns one stack of each kind, by the kind's name: a hosted cluster in three stacks with more node pools
// in a fourth, the management account, and a cluster of Cluster API.
func kindStacks() map[config.Kind]string {
	const head = "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: "
	return map[config.Kind]string{
		config.KindManagement: head + `management
  hypershift-aws:management:
    oidcBucket: {name: demo-oidc}
    operator: {issuerURL: "https://issuer.example.net/management"}
    unprotected: true
`,
		config.KindNetwork: head + `network
  hypershift-aws:network:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    network: {zones: [us-east-1a]}
`,
		config.KindIAM: head + `iam
  hypershift-aws:iam:
    name: demo
    infraID: demo-x1
    networkStack: network
    oidc: {bucketName: my-oidc-bucket}
`,
		config.KindCluster: head + `cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    networkStack: network
    iamStack: iam
    unprotected: true
    hostedCluster:
      kubeconfig: {context: management}
      release: quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64
      pullSecret: {env: PULL_SECRET}
      nodePools: [{name: a, replicas: 1, zone: us-east-1a}]
`,
		config.KindNodePools: head + `nodePools
  hypershift-aws:nodePools:
    name: demo
    kubeconfig: {context: management}
    nodePools: [{name: gpu, instanceType: m5.xlarge, replicas: 1}]
`,
		config.KindCAPA: head + `capa
  hypershift-aws:capa:
    name: self
    kubernetesVersion: v1.33.4
    topology: Private
    network: {zones: [us-east-1a], bastion: {}}
    kubeconfig: {context: management}
    unprotected: true
`,
	}
}

// kindOrder returns the kinds in an order in which their stacks can be created.
func kindOrder() []config.Kind {
	return []config.Kind{config.KindNetwork, config.KindIAM, config.KindCluster, config.KindNodePools, config.KindCAPA,
		config.KindManagement}
}

// refusals are what a verb replies for stacks of a kind that it cannot be used with: the refusal and the remedy.
type refusals map[config.Kind]string

// needsHosted returns the refusals of what is done with a hosted cluster.
func needsHosted() refusals {
	const refused = ", which has no hosted cluster\n  use "
	return refusals{
		config.KindManagement: "stack management is of kind management" + refused + "a stack of kind cluster",
		config.KindNetwork: "stack network is of kind network" + refused +
			"the stack of kind cluster that names it as networkStack",
		config.KindIAM: "stack iam is of kind iam" + refused + "the stack of kind cluster that names it as iamStack",
		config.KindNodePools: "stack nodePools is of kind nodePools" + refused +
			"the stack of kind cluster that has the HostedCluster",
		config.KindCAPA: "stack capa is of kind capa" + refused +
			"Cluster API's own clusterctl, or a stack of kind cluster for a hosted cluster",
	}
}

// verbs returns the commands for one stack, with what they print for the kinds that they refuse. Those that are not
// here change which resources a stack has, and are tested separately, or are for no stack.
func verbs() map[string]refusals {
	const waits, sweeps, noRoles = " creates no hosted cluster that --wait could wait for\n  leave --wait out", ", and a sweep is for what a hosted cluster left\n  use ",
		", which has no roles of HyperShift's operator\n  use a stack of kind management"
	hasNodes := needsHosted()
	delete(hasNodes, config.KindNodePools)
	const networks = "use the stack of kind network or cluster that has the network of the same hosted cluster"
	return map[string]refusals{
		"backup":       needsHosted(),
		"cancel --yes": nil,
		"paths": {config.KindManagement: "it is of kind management\n  use a stack of kind cluster, capa or network",
			config.KindIAM:       networks,
			config.KindNodePools: networks},
		"console":                     needsHosted(),
		"diagnose":                    nil,
		"drift":                       nil,
		"kubeconfig":                  needsHosted(),
		"outputs":                     nil,
		"outputs --format infra-json": needsHosted(),
		"outputs --format iam-json":   needsHosted(),
		"outputs --format operator-roles-json": {
			config.KindNetwork:   "stack network is of kind network" + noRoles,
			config.KindIAM:       "stack iam is of kind iam" + noRoles,
			config.KindCluster:   "stack cluster is of kind cluster" + noRoles,
			config.KindNodePools: "stack nodePools is of kind nodePools" + noRoles,
			config.KindCAPA:      "stack capa is of kind capa" + noRoles,
		},
		"permissions":             nil,
		"permissions --preflight": nil,
		"permissions --sweep":     nil,
		"picture -f KIND.html":    nil,
		"history":                 nil,
		"resume --yes":            hasNodes,
		"preflight":               nil,
		"preview --details":       nil,
		"repair":                  nil,
		"refresh":                 nil,
		"render DIR": {
			config.KindManagement: needsHosted()[config.KindManagement], config.KindNetwork: needsHosted()[config.KindNetwork],
			config.KindIAM: needsHosted()[config.KindIAM],
		},
		"relocate --yes": needsHosted(),
		"status":         nil,
		"sweep": {
			config.KindManagement: "stack management is of kind management" + sweeps +
				"a stack of kind cluster, or --infra-id of the hosted cluster instead of -s",
			config.KindNodePools: "stack nodePools is of kind nodePools" + sweeps +
				"the stack of kind cluster that has the HostedCluster, or --infra-id",
			config.KindCAPA: "stack capa is of kind capa" + sweeps + "Cluster API's own clusterctl",
		},
		"up --wait --yes": {
			config.KindManagement: "stack management" + waits,
			config.KindCAPA:       "stack capa" + waits + ": `hypershift-aws --offline status -s capa` shows",
			config.KindNetwork:    "stack network" + waits + ", and use the stack of kind cluster that names it as networkStack",
			config.KindIAM:        "stack iam" + waits + ", and use the stack of kind cluster that names it as iamStack",
		},
	}
}

// elsewhere returns the commands that are for no stack of a kind, or that TestEveryVerbOfAStack calls apart from the
// table.
func elsewhere() []string {
	return []string{"adopt", "destroy", "forget", "fleet destroy", "fleet drift", "fleet preview", "fleet refresh",
		"fleet status", "fleet up", "fleet pause", "fleet resume", "pause",
		"fleet new", "render pko", "new", "schema", "version", "stacks", "prices", "prices update", "plan-policies",
		"plan-policies pack", "sandbox"}
}

// TestEveryVerbOfAStackWorksWithItsKindOrNamesTheStackToUse runs each command with a stack of each kind: it works, or
// refuses with the stack to use instead. Then each stack is released and adopted again, and the fleet is destroyed.
func TestEveryVerbOfAStackWorksWithItsKindOrNamesTheStackToUse(t *testing.T) {
	t.Parallel()
	requireEachCommand(t)
	require.ElementsMatch(t, stacks.Kinds().Names(), kindOrder(), "a stack of each kind")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: hypershift-aws\nruntime: go\n"),
		0o600))
	kinds := sizes.First(3, kindOrder()) // a hosted cluster in three stacks
	for _, kind := range kinds {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi."+string(kind)+".yaml"), []byte(kindStacks()[kind]),
			0o600))
	}
	c := harness.NewCLI(t, dir, `PULL_SECRET={"auths":{}}`, "HYPERSHIFT_AWS_OFFLINE_FAULTS={operators: {}}")
	for _, kind := range kinds {
		c.Run("--offline", "-s", string(kind), "up", "--yes")
	}
	t.Run("verbs", func(t *testing.T) {
		for _, kind := range sizes.Pick([]config.Kind{config.KindCluster}, kindOrder()) {
			t.Run(string(kind), func(t *testing.T) {
				t.Parallel()
				c := &harness.CLI{T: t, Dir: c.Dir, Env: c.Env}
				for verb, refused := range verbs() {
					words := strings.NewReplacer("KIND", string(kind), "DIR", filepath.Join(t.TempDir(), string(kind))).Replace(verb)
					_, stderr, code := c.Exit(append([]string{"--offline", "-s", string(kind)}, strings.Fields(words)...)...)
					assert.NotContains(t, stderr, "goroutine ", "%s: %s", verb, stderr)
					if refused[kind] == "" {
						assert.Zero(t, code, "%s: %s", verb, stderr)
						continue
					}
					assert.Contains(t, []int{1, 2}, code, "%s: %s", verb, stderr)
					assert.Contains(t, stderr, refused[kind], verb)
				}
			})
		}
	})
	for _, verb := range []string{"up --yes", "preview", "refresh", "drift", "status"} {
		c.Run(append([]string{"--offline", "fleet"}, strings.Fields(verb)...)...)
	}
	c.Run("--offline", "fleet", "preview", "--expect-no-changes")
	_, stderr, code := c.Exit("--offline", "-s", "network", "forget", "--yes")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "stack network is used by cluster, iam; nothing was changed\n  forget them first: `hypershift-aws --offline forget -s cluster`")
	before := harness.Described(t, harness.MadeIn(t, filepath.Join(dir, ".hypershift-aws", "offline")))
	inUseFirst := []config.Kind{config.KindNodePools, config.KindCluster, config.KindIAM, config.KindNetwork,
		config.KindCAPA, config.KindManagement}
	for _, kind := range inUseFirst {
		if !slices.Contains(kinds, kind) {
			continue
		}
		c.Run("--offline", "-s", string(kind), "forget", "--yes")
	}
	require.Equal(t, before, harness.Described(t, harness.MadeIn(t, filepath.Join(dir, ".hypershift-aws", "offline"))),
		"release changes nothing in AWS")
	for _, kind := range kinds {
		c.Run("--offline", "-s", string(kind), "adopt", "--yes")
		c.Run("--offline", "-s", string(kind), "preview", "--expect-no-changes")
	}
	if slices.Contains(kinds, config.KindNodePools) {
		c.Run("--offline", "-s", "nodePools", "destroy", "--yes", "--cluster", "demo")
	}
	c.Run("--offline", "-s", "cluster", "destroy", "--yes", "--cluster", "demo")
	c.Run("--offline", "fleet", "destroy", "--yes")
	require.Empty(t, harness.MadeIn(t, filepath.Join(dir, ".hypershift-aws", "offline")),
		"what destroy left in the account")
}

// requireEachCommand fails unless the table has each command.
func requireEachCommand(t *testing.T) {
	t.Helper()
	var listed []string
	for verb := range verbs() {
		words := strings.Fields(verb)
		i := slices.IndexFunc(words, func(word string) bool {
			return strings.HasPrefix(word, "-") || strings.ToUpper(word) == word
		})
		if i < 0 {
			i = len(words)
		}
		listed = append(listed, strings.Join(words[:i], " "))
	}
	listed = append(listed, elsewhere()...)
	var commands []string
	var visit func(*cobra.Command)
	visit = func(command *cobra.Command) {
		if path := strings.TrimPrefix(command.CommandPath(),
			"hypershift-aws "); command.Runnable() && command.HasParent() && !command.Hidden && path != "fleet" &&
			path != "help" && path != "completion" {
			commands = append(commands, path)
		}
		for _, child := range command.Commands() {
			visit(child)
		}
	}
	visit(hypershiftaws.Command(features.All()))
	slices.Sort(listed)
	require.ElementsMatch(t, commands, slices.Compact(listed), "the commands of the program, and those of the table")
}
