package test

import (
	"strings"
	"testing"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestEveryStackHasItsGraph runs the program of every config that has a golden graph, without the engine. The tests of whole lives compare the
// same files with what the engine records.
func TestEveryStackHasItsGraph(t *testing.T) {
	t.Parallel()
	tags := (hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}).EC2Tags("")
	graph := func(t *testing.T, config string, seeds []offline.Seed, common map[string]string, components ...string) string {
		t.Helper()
		return enginetest.GraphDirectly(t, stacks.Run, offline.Options{Dir: t.TempDir(), Seeds: seeds}, stackfile.Settings(t, config), common, components...)
	}
	for _, c := range stackfile.Clusters() {
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			golden.Require(t, "testdata/network/"+c.Name()+".txt", graph(t, c.String(), stackfile.Seeds(), tags, "network"))
			if c.NAT == network.PerZone && len(c.Zones) == 1 {
				requireRoles(t, string(c.Access), graph(t, c.String(), stackfile.Seeds(), nil, "oidc", "workers", "roles"))
			}
		})
	}
	for _, o := range stackfile.NetworkOptions() {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			config := stackfile.Network(o.Access, o.Network)
			golden.Require(t, "testdata/networkoptions/"+o.Name+".txt", graph(t, config, stackfile.SeedsFor(t, config), tags, "network"))
		})
	}
	for name, keys := range stackfile.IAMOptions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRoles(t, name, graph(t, stackfile.IAM(keys), stackfile.GivenRoles(), nil, "oidc", "workers", "roles", "roles-shop-orders", "roles-shop-stock"))
		})
	}
	for _, linked := range stackfile.LinkedStacks() {
		t.Run(linked.Name(), func(t *testing.T) {
			t.Parallel()
			text := graph(t, linked.Config(), append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedLoadBalancer, Name: stackfile.RouterARN}), nil, "private-link", "private-link-service")
			golden.Require(t, "testdata/privatelink/"+linked.Name()+".txt", text)
		})
	}
	for name, keys := range stackfile.Managements() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seeds := stackfile.ManagementSeeds()
			if strings.Contains(keys, "existing: true") {
				seeds = append(seeds, offline.Seed{Kind: offline.SeedPublicZone, Name: "clusters.example.com"})
			}
			golden.Require(t, "testdata/management/"+name+".txt", graph(t, stackfile.Management(keys), seeds, nil, "prerequisites", "prerequisites-interruptions", "install"))
		})
	}
	for _, o := range stackfile.SharedVPCOptions() {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			golden.Require(t, "testdata/sharedvpc/"+o.Name+".txt", graph(t, o.Config(), stackfile.SeedsFor(t, o.Config()), tags,
				"network", "network-vpc-owner", "shared-vpc-roles", "shared-vpc-roles-vpc-owner"))
		})
	}
}
