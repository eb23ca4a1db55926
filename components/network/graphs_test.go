package network_test

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// requireGraph runs the program of a stack file without the engine, and compares the components with a golden graph.
// The tests of whole lives compare the same graphs with what the engine records.
func requireGraph(t *testing.T, name, config string, seeds []offline.Seed, components ...string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		golden.RequireGraph(t, name, graph.Directly(t, stacks.Run, offline.Options{Dir: t.TempDir(), Seeds: seeds},
			stackfile.Settings(t, config), stackfile.CommonTags(), components...))
	})
}

func TestEachModeOfANetworkHasItsGraph(t *testing.T) {
	t.Parallel()
	for _, c := range stackfile.Clusters() {
		requireGraph(t, "network/"+c.Name(), c.String(), stackfile.Seeds(), "network")
	}
}

func TestEachOptionOfANetworkHasItsGraph(t *testing.T) {
	t.Parallel()
	for _, o := range stackfile.NetworkOptions() {
		config := stackfile.Network(o.Access, o.Network)
		requireGraph(t, "networkoptions/"+o.Name, config, stackfile.SeedsFor(t, config), "network")
	}
}

func TestEachSharedVPCHasItsGraph(t *testing.T) {
	t.Parallel()
	for _, o := range stackfile.SharedVPCOptions() {
		requireGraph(t, "sharedvpc/"+o.Name, o.Config(), stackfile.SeedsFor(t, o.Config()),
			"network", "network-vpc-owner", "shared-vpc-roles", "shared-vpc-roles-vpc-owner")
	}
}
