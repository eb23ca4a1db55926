package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

func newCluster(t *testing.T) *enginetest.Stack {
	t.Helper()
	return enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seeds()})
}

// name distinguishes the configs.
func (c clusterConfig) name() string { return fmt.Sprintf("%s-%s-%d", c.access, c.nat, len(c.zones)) }

// clusterConfigs returns configs of every mode with one to three zones and every NAT strategy that can work.
func clusterConfigs() []clusterConfig {
	var all []clusterConfig
	for _, access := range hypershift.EndpointAccesses() {
		for _, nat := range network.NATStrategies() {
			for zones := 1; zones <= 3; zones++ {
				if access == hypershift.Public && nat == network.None {
					continue // refused: TestPublicWithoutNATIsRefused
				}
				all = append(all, clusterConfig{access: access, nat: nat, zones: zoneNames(zones)})
			}
		}
	}
	return all
}

func TestEveryClusterStackIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for _, config := range sizes.Named(t, clusterConfigs(), func(c clusterConfig) string { return c.name() }, "PublicAndPrivate-PerZone-3") {
		t.Run(config.name(), func(t *testing.T) {
			t.Parallel()
			stack := newCluster(t)
			stack.Configure(config.String())
			stack.Up()

			common := (hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}).EC2Tags("")
			golden.Require(t, "testdata/network/"+config.name()+".txt", stack.Graph(common, "network"))
			if config.nat == network.PerZone && len(config.zones) == 1 {
				requireRoles(t, string(config.access), stack.Graph(nil, "oidc", "workers", "roles"))
			}
			stack.RequireStable()

			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
		})
	}
}

func TestPublicWithoutNATIsRefused(t *testing.T) {
	t.Parallel()
	stack := newCluster(t)
	stack.Configure(clusterConfig{access: hypershift.Public, nat: network.None, zones: zoneNames(1)}.String())
	_, err := stack.UpErr()
	require.ErrorContains(t, err, "leaves the nodes without a route to the control plane, which is Public")
	require.Empty(t, stack.Resources())
}

func TestEveryTaggableResourceCarriesTheTags(t *testing.T) {
	t.Parallel()
	stack := newCluster(t)
	stack.Configure(clusterConfig{access: hypershift.PublicAndPrivate, nat: network.PerZone, zones: zoneNames(2)}.String())
	stack.Up()
	taggable := 0
	for _, r := range stack.Custom() {
		tags, ok := r.Outputs["tags"].(map[string]any)
		if _, has := r.Outputs["tagsAll"]; !has {
			continue
		}
		taggable++
		require.True(t, ok, "%s has no tags", r.URN)
		require.Equal(t, "platform", tags["team"], r.URN)
		require.Equal(t, "demo-x1", tags["hypershift.openshift.io/infra-id"], r.URN)
		if strings.HasPrefix(string(r.Type), "aws:iam/") {
			require.NotContains(t, tags, "kubernetes.io/cluster/demo-x1", r.URN)
		} else {
			require.Equal(t, "owned", tags["kubernetes.io/cluster/demo-x1"], r.URN)
			require.Equal(t, "demo", tags["hypershift.openshift.io/cluster-name"], r.URN)
		}
	}
	require.Greater(t, taggable, 25)
}

func TestTheProvidersDefaultTagsReachEveryResource(t *testing.T) {
	t.Parallel()
	stack := newCluster(t)
	config := clusterConfig{
		access: hypershift.Public, nat: network.Single, zones: zoneNames(1),
		extra: "  aws:defaultTags: {tags: {cost: \"42\"}}\n",
	}.String()
	stack.Configure(config)
	stack.Up()
	for _, r := range stack.Custom() {
		if all, ok := r.Outputs["tagsAll"].(map[string]any); ok {
			require.Equal(t, "42", all["cost"], r.URN)
		}
	}
	require.Empty(t, stack.Up())
}
