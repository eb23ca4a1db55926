package management_test

import (
	"strings"
	"testing"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestEachManagementAccountHasItsGraph runs the program of each stack file without the engine. The tests of whole lives
// compare the same graphs with what the engine records.
func TestEachManagementAccountHasItsGraph(t *testing.T) {
	t.Parallel()
	for name, keys := range stackfile.Managements() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seeds := stackfile.ManagementSeeds()
			if strings.Contains(keys, "existing: true") {
				seeds = append(seeds, offline.Seed{Kind: offline.SeedPublicZone, Name: "clusters.example.com"})
			}
			golden.RequireGraph(t, "management/"+name, graph.Directly(t, stacks.Run, offline.Options{Dir: t.TempDir(), Seeds: seeds},
				stackfile.Settings(t, stackfile.Management(keys)), nil, "prerequisites", "prerequisites-interruptions", "install"))
		})
	}
}
