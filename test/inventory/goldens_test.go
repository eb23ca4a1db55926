package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/inventory"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// goldenStack is a golden graph, with the config of the stack that it shows.
type goldenStack struct {
	// name is the graph's.
	name string
	// mode is "" for a management stack.
	mode hypershift.EndpointAccess
	// given are the config's keys, alone and as "<key>: <value>".
	given map[string]bool
}

// goldens returns all golden graphs. A file that no config belongs to fails the test.
func goldens(t *testing.T) []goldenStack {
	t.Helper()
	configs := map[string]string{
		"iam/spot-role":          stackfile.IAM("spotServiceLinkedRole: true"),
		"iam/interruption-queue": stackfile.InterruptionQueue(),
	}
	for _, config := range stackfile.Clusters() {
		configs["network/"+config.Name()] = config.String()
		configs["iam/"+string(config.Access)] = config.String()
	}
	for _, option := range stackfile.NetworkOptions() {
		configs["networkoptions/"+option.Name] = stackfile.Network(option.Access, option.Network)
	}
	for _, option := range stackfile.SharedVPCOptions() {
		configs["sharedvpc/"+option.Name] = option.Config()
	}
	for name, keys := range stackfile.IAMOptions() {
		configs["iam/"+name] = stackfile.IAM(keys)
	}
	for _, linked := range stackfile.LinkedStacks() {
		configs["privatelink/"+linked.Name()] = linked.Config()
	}
	configs["privatelink/access"] = stackfile.AccessibleByStack()
	for name, keys := range stackfile.Managements() {
		configs["management/"+name] = stackfile.Management(keys)
	}
	var all []goldenStack
	// The objects of a hosted cluster and of HyperShift's operator are in Kubernetes, and the inventory of HyperShift's
	// own resources has none of CAPA.
	for _, name := range golden.Graphs(t, "network", "networkoptions", "sharedvpc", "iam", "privatelink", "management") {
		config, known := configs[name]
		require.True(t, known, "%s is no stack's graph", name)
		delete(configs, name)
		all = append(all, newGolden(t, name, config))
	}
	if !golden.Updates() { // then they are about to be written
		require.Empty(t, configs, "stacks without a graph")
	}
	return all
}

func newGolden(t *testing.T, name, config string) goldenStack {
	t.Helper()
	var file struct{ Config map[string]any }
	require.NoError(t, yaml.Unmarshal([]byte(config), &file))
	g := goldenStack{name: name, given: map[string]bool{}}
	for _, kind := range []string{"management", "cluster"} {
		if section, ok := file.Config["hypershift-aws:"+kind]; ok {
			g.give(kind, section)
		}
	}
	for _, mode := range hypershift.EndpointAccesses() {
		if g.given["cluster.endpointAccess: "+string(mode)] {
			g.mode = mode
		}
	}
	// The default, as the README has it.
	elsewhere := g.given["cluster.network.transitGateway"] && !g.given["cluster.network.transitGateway.cidrs"] ||
		g.given["cluster.network.firewallEndpoint"] && !g.given["cluster.network.firewallEndpoint.cidrs"]
	if !g.given["cluster.network.nat"] &&
		(elsewhere || g.given["cluster.network.proxy"] || g.given["cluster.network.publicOnly"] ||
			g.given["cluster.network.existing"]) {
		g.given["cluster.network.nat: "+string(network.None)] = true
	}
	return g
}

// give notes the keys at a path, and leaves out those that are as if they were not given.
func (g goldenStack) give(path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, value := range value {
			g.give(path+"."+key, value)
		}
	case []any:
		if len(value) == 0 {
			return
		}
	case bool:
		if !value {
			return
		}
	default:
		g.given[fmt.Sprintf("%s: %v", path, value)] = true
	}
	g.given[path] = true
}

// in reports whether an item exists in the graph's mode.
func (g goldenStack) in(item inventory.Item) bool { return g.mode == "" || item.IsIn(g.mode) }

// lacks reports whether one of the graph's options leaves an item out.
func (g goldenStack) lacks(item inventory.Item) bool {
	return slices.ContainsFunc(item.Without, func(key string) bool { return g.given[key] })
}

// shows reports whether the graph contains the component of an item.
func (g goldenStack) shows(item inventory.Item) bool {
	folder, _, _ := strings.Cut(g.name, "/")
	components := map[string][]string{
		"network":        {" network-"},
		"networkoptions": {" network-"},
		"sharedvpc":      {" network-", "shared-vpc-roles-"},
		"iam":            {" oidc-", " roles-", "workers", " interruptions-"},
		"management":     {"prerequisites-", "install-"},
		"privatelink":    {" private-link", " private-access"},
	}[folder]
	if g.name == "iam/spot-role" {
		components = []string{" roles-"}
	}
	return slices.ContainsFunc(components, func(component string) bool {
		return strings.Contains(item.Resources, component)
	})
}

// provider returns the provider of an item's resources.
func (g goldenStack) provider(item inventory.Item) string {
	if strings.HasPrefix(item.Resources, "core") {
		return "management-cluster"
	}
	account := item.Account(g.given["cluster.network.shared"])
	if account == inventory.ManagementAccount && item.Stage == inventory.ClusterPrerequisites {
		return "management-account"
	}
	if account == inventory.FurtherAccount {
		return "hub-account"
	}
	if account == inventory.VPCOwnerAccount ||
		account == inventory.PrivateZonesAccount && !g.given["cluster.network.shared.privateZonesIn: Cluster"] {
		return "vpc-owner-account"
	}
	return "default"
}
