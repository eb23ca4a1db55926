package privatelink_test

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestEachPrivateLinkOfAStackHasItsGraph runs the program of each stack file without the engine. The tests of whole
// lives compare the same graphs with what the engine records.
func TestEachPrivateLinkOfAStackHasItsGraph(t *testing.T) {
	t.Parallel()
	seeds := append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedLoadBalancer, Name: stackfile.RouterARN})
	for _, linked := range stackfile.LinkedStacks() {
		t.Run(linked.Name(), func(t *testing.T) {
			t.Parallel()
			golden.RequireGraph(t, "privatelink/"+linked.Name(), graph.Directly(t, stacks.Run, offline.Options{Dir: t.TempDir(), Seeds: seeds},
				stackfile.Settings(t, linked.Config()), nil, "private-link", "private-link-service"))
		})
	}
}

// TestTheAccessOfOtherVPCsHasItsGraph runs the program of a cluster that is reached from two VPCs of another account.
func TestTheAccessOfOtherVPCsHasItsGraph(t *testing.T) {
	t.Parallel()
	config := stackfile.AccessibleByStack()
	golden.RequireGraph(t, "privatelink/access", graph.Directly(t, stacks.Run,
		offline.Options{Dir: t.TempDir(), Seeds: stackfile.SeedsFor(t, config)}, stackfile.Settings(t, config), nil,
		"private-link", "private-link-service", "private-access", "private-access-hub",
		"private-access-zone-"+stackfile.SpokeVPC))
}
