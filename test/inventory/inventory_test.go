package inventory_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	api "github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/inventory"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// awsGraph is a golden graph: the text of each AWS resource by "<type> <name>".
type awsGraph map[string]string

// goldenGraph reads the resources of golden files, components left out.
func goldenGraph(t *testing.T, names ...string) awsGraph {
	t.Helper()
	head := regexp.MustCompile(`^\S+ / (\S+ \S+) \(provider`)
	g := awsGraph{}
	for _, name := range names {
		key := ""
		for line := range strings.Lines(golden.Read(t, golden.Graph(t, name))) {
			if found := head.FindStringSubmatch(line); found != nil {
				key = found[1]
				require.NotContains(t, g, key, "%s has two resources of one type and name", name)
			} else if !strings.HasPrefix(line, " ") {
				key = ""
			}
			if key != "" {
				g[key] += line
			}
		}
	}
	return g
}

// matching returns the resources that a pattern of the inventory means.
func (g awsGraph) matching(pattern string) []string {
	whole := regexp.MustCompile("^(" + pattern + ")$")
	var found []string
	for key := range g {
		if whole.MatchString(key) {
			found = append(found, key)
		}
	}
	slices.Sort(found)
	return found
}

// provider returns the name of a resource's provider.
func (g awsGraph) provider(key string) string {
	_, rest, _ := strings.Cut(g[key], "(provider ")
	name, _, _ := strings.Cut(rest, ")")
	return name
}

func TestEachResourceOfAGraphIsOnceInTheInventory(t *testing.T) {
	t.Parallel()
	for _, stack := range goldens(t) {
		graph := goldenGraph(t, stack.name)
		for key := range graph {
			var claims []inventory.Item
			for _, item := range inventory.Items() {
				if item.Stage.Ours() && stack.in(item) && slices.Contains(graph.matching(item.Resources), key) {
					claims = append(claims, item)
				}
			}
			require.Len(t, claims, 1, "%s: %s", stack.name, key)
			require.Equal(t, stack.provider(claims[0]), graph.provider(key), "%s: %s", stack.name, key)
		}
	}
}

func TestEachInventoryEntryIsInTheGraphsOnlyWithItsOptions(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, stack := range goldens(t) {
		graph := goldenGraph(t, stack.name)
		for _, item := range inventory.Items() {
			if !item.Stage.Ours() || !stack.shows(item) {
				continue
			}
			found := graph.matching(item.Resources)
			seen[item.What] = seen[item.What] || len(found) > 0 && stack.in(item)
			if item.Option != "" && !stack.given[item.Option] {
				require.Empty(t, found, "%s has not %s: %s", stack.name, item.Option, item.What)
			}
			if stack.in(item) && !stack.lacks(item) && (item.Option == "" || stack.given[item.Option]) {
				require.NotEmpty(t, found, "%s: %s", stack.name, item.What)
			}
		}
	}
	for _, item := range inventory.Items() {
		require.Equal(t, item.Stage.Ours(), seen[item.What], "%s is in a graph", item.What)
	}
}

func TestResourcesPerZoneGrowWithTheZones(t *testing.T) {
	t.Parallel()
	for _, mode := range hypershift.EndpointAccesses() {
		one := goldenGraph(t, fmt.Sprintf("network/%s-PerZone-1", mode))
		three := goldenGraph(t, fmt.Sprintf("network/%s-PerZone-3", mode))
		for _, item := range inventory.Items() {
			if !item.Stage.Ours() || !item.IsIn(mode) {
				continue
			}
			times := 1
			if item.PerZone {
				times = 3
			}
			require.Len(t, three.matching(item.Resources), times*len(one.matching(item.Resources)), "%s: %s", mode, item.What)
		}
	}
}

func TestResourcesThatOperatorsCreateLaterAreNotPartOfTheStack(t *testing.T) {
	t.Parallel()
	for _, stack := range goldens(t) {
		graph := goldenGraph(t, stack.name)
		for _, item := range inventory.Items() {
			if !item.Stage.Ours() && !stack.lacks(item) {
				require.Empty(t, graph.matching(item.Resources), "%s: %s", stack.name, item.What)
			}
		}
	}
	for _, mode := range hypershift.EndpointAccesses() {
		made := goldenGraph(t, "management/whole", fmt.Sprintf("network/%s-PerZone-1", mode), fmt.Sprintf("iam/%s", mode))
		// The roles that an option adds.
		maps.Copy(made, goldenGraph(t, "sharedvpc/cluster-zones"))
		maps.Copy(made, goldenGraph(t, "iam/karpenter"))
		for _, item := range inventory.Items() {
			if !item.Stage.Ours() && item.IsIn(mode) {
				requireReady(t, made, item)
			}
		}
	}
}

// requireReady compares what is prepared for an item with the created resources.
func requireReady(t *testing.T, made awsGraph, item inventory.Item) {
	t.Helper()
	if role := item.Ready.Role; role != "" {
		require.Contains(t, made, "iam.Role "+role, item.What)
		require.Contains(t, made["iam.RolePolicy "+role], `"`+item.Ready.Action+`"`, item.What)
	}
	if tag := item.Ready.Tag; tag != "" {
		require.True(t, slices.ContainsFunc(made.matching(`ec2\.Subnet .*`), func(subnet string) bool {
			return strings.Contains(made[subnet], `"`+tag+`"`)
		}), "no subnet has the tag %s for %s", tag, item.What)
	}
	if quota := item.Ready.Quota; quota != (inventory.Quota{}) {
		require.Regexp(t, `^L-[0-9A-F]{8}$`, quota.Code, item.What)
		require.NotEmpty(t, quota.Name, item.What)
	}
}

func TestPreflightCountsWhatOperatorsCreateLater(t *testing.T) {
	t.Parallel()
	place := api.Place{Account: "123456789012", Region: "us-east-1"}
	for _, mode := range hypershift.EndpointAccesses() {
		hosted := preflight.HostedCluster{
			Public:     mode.HasPublic(),
			Private:    mode.HasPrivate(),
			Cluster:    place,
			VPC:        place,
			Management: place,
		}
		counted := map[string]bool{}
		for _, d := range preflight.Demands(preflight.Plan{
			Hosted: &hosted,
			VPCID:  "vpc-1",
			Nodes:  []preflight.Nodes{{Place: place, Nodes: config.Nodes{InstanceType: "m5.large", Count: 1}}},
		}) {
			quota, _ := awstype.QuotaOf(d.Quota)
			counted[quota.Code] = true
		}
		for _, item := range inventory.Items() {
			// AWS limits the size of volumes together, which depends on the claims of pods, and allows 10,000 buckets.
			if code := item.Ready.Quota.Code; !item.Stage.Ours() && item.IsIn(mode) && code != "" && code != "L-7A658B76" &&
				code != "L-DC2B2D3D" {
				require.True(t, counted[code], "%s: %s", mode, item.What)
			}
		}
	}
}

func TestTheInventorysOptionsAreKeysOfTheConfig(t *testing.T) {
	t.Parallel()
	keys := stacks.Kinds().Keys()
	for _, item := range inventory.Items() {
		for _, option := range append(item.Without, item.Option) {
			name, _, _ := strings.Cut(option, ": ")
			require.True(t, name == "" || slices.ContainsFunc(keys, func(key string) bool {
				return key == name || strings.HasPrefix(key, name+".")
			}), "%s: %s is no key of the config", item.What, option)
		}
	}
}

func TestTheTableOfOwnershipMatchesTheInventory(t *testing.T) {
	t.Parallel()
	golden.Require(t, repo.Path("docs", "appendix", "ownership.md"), inventory.Markdown())
}

// An elastic IP is not guarded, because it is the address of a NAT gateway, which is.
func TestEachElasticIPIsTheAddressOfANATGateway(t *testing.T) {
	t.Parallel()
	addresses := 0
	for _, of := range goldens(t) {
		resources := goldenGraph(t, of.name)
		gateways := ""
		for _, key := range resources.matching("ec2.NatGateway .*") {
			gateways += resources[key]
		}
		for _, key := range resources.matching("ec2.Eip .*") {
			addresses++
			require.Regexp(t, `(allocationId: |secondaryAllocationIds: \[[^\]]*)"<`+
				regexp.QuoteMeta(strings.TrimPrefix(key, "ec2.Eip "))+`>"`, gateways, of.name)
		}
	}
	require.NotZero(t, addresses)
}
