package iam_test

import (
	"testing"

	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// requireGraph runs the program of a stack file without the engine, and compares its roles with a golden graph. The
// tests of whole lives compare the same graphs with what the engine records.
func requireGraph(t *testing.T, option, config string, seeds []offline.Seed) {
	t.Helper()
	t.Run(option, func(t *testing.T) {
		t.Parallel()
		golden.RequireRoles(t, option, graph.Directly(t, stacks.Run, offline.Options{Dir: t.TempDir(), Seeds: seeds},
			stackfile.Settings(t, config), nil, "oidc", "workers", "roles", "roles-shop-orders", "roles-shop-stock"))
	})
}

func TestTheRolesOfEachModeHaveTheirGraph(t *testing.T) {
	t.Parallel()
	for _, c := range stackfile.Clusters() {
		if c.NAT == network.PerZone && len(c.Zones) == 1 {
			requireGraph(t, string(c.Access), c.String(), stackfile.Seeds())
		}
	}
}

func TestEachOptionOfIAMHasItsGraph(t *testing.T) {
	t.Parallel()
	for name, keys := range stackfile.IAMOptions() {
		requireGraph(t, name, stackfile.IAM(keys), stackfile.SeededRoles())
	}
}
