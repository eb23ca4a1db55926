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
)

// TestEveryStackHasItsGraph runs the program of every config that has a golden graph, without the engine. The tests of whole lives compare the
// same files with what the engine records.
func TestEveryStackHasItsGraph(t *testing.T) {
	t.Parallel()
	tags := (hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}).EC2Tags("")
	graph := func(t *testing.T, config string, seeds []offline.Seed, common map[string]string, components ...string) string {
		t.Helper()
		return enginetest.GraphDirectly(t, stacks.Run, offline.Options{Dir: t.TempDir(), Seeds: seeds}, settings(t, config), common, components...)
	}
	for _, c := range clusterConfigs() {
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			golden.Require(t, "testdata/network/"+c.name()+".txt", graph(t, c.String(), seeds(), tags, "network"))
			if c.nat == network.PerZone && len(c.zones) == 1 {
				requireRoles(t, string(c.access), graph(t, c.String(), seeds(), nil, "oidc", "workers", "roles"))
			}
		})
	}
	for _, o := range networkOptions() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			config := withNetwork(o.access, o.network)
			golden.Require(t, "testdata/networkoptions/"+o.name+".txt", graph(t, config, seedsFor(t, config), tags, "network"))
		})
	}
	for name, keys := range iamOptions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRoles(t, name, graph(t, withIAM(keys), givenRoles(), nil, "oidc", "workers", "roles", "roles-shop-orders", "roles-shop-stock"))
		})
	}
	for _, linked := range linkedStacks() {
		t.Run(linked.name(), func(t *testing.T) {
			t.Parallel()
			text := graph(t, linked.config(), append(seeds(), offline.Seed{Kind: offline.SeedLoadBalancer, Name: routerARN}), nil, "private-link", "private-link-service")
			golden.Require(t, "testdata/privatelink/"+linked.name()+".txt", text)
		})
	}
	for name, keys := range managements() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seeds := managementSeeds()
			if strings.Contains(keys, "existing: true") {
				seeds = append(seeds, offline.Seed{Kind: offline.SeedPublicZone, Name: "clusters.example.com"})
			}
			golden.Require(t, "testdata/management/"+name+".txt", graph(t, managementConfig(keys), seeds, nil, "prerequisites", "prerequisites-interruptions", "install"))
		})
	}
	for _, o := range sharedVPCOptions() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			golden.Require(t, "testdata/sharedvpc/"+o.name+".txt", graph(t, o.config(), seedsFor(t, o.config()), tags,
				"network", "network-vpc-owner", "shared-vpc-roles", "shared-vpc-roles-vpc-owner"))
		})
	}
}
