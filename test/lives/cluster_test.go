package lives

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestEveryClusterStackIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for _, config := range sizes.Named(t, stackfile.Clusters(), func(c stackfile.Cluster) string {
		return c.Name()
	}, "PublicAndPrivate-PerZone-3") {
		t.Run(config.Name(), func(t *testing.T) {
			t.Parallel()
			stack := harness.NewCluster(t)
			stack.Configure(config.String())
			stack.Up()

			common := stackfile.CommonTags()
			golden.RequireGraph(t, "network/"+config.Name(), stack.Graph(common, "network"))
			if config.NAT == network.PerZone && len(config.Zones) == 1 {
				golden.RequireRoles(t, string(config.Access), stack.Graph(nil, "oidc", "workers", "roles"))
			}
			stack.RequireStable()

			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
		})
	}
}

func TestPublicWithoutNATIsRefused(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.Cluster{
		Access: hypershift.Public,
		NAT:    network.None,
		Zones:  stackfile.ZoneNames(1),
	}.String())
	_, err := stack.UpErr()
	require.ErrorContains(t, err, "leaves the nodes without a route to the control plane, which is Public")
	require.Empty(t, stack.Resources())
}

func TestEveryTaggableResourceCarriesTheTags(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.Cluster{
		Access: hypershift.PublicAndPrivate,
		NAT:    network.PerZone,
		Zones:  stackfile.ZoneNames(2),
	}.String())
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
	stack := harness.NewCluster(t)
	config := stackfile.Cluster{
		Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1),
		Extra: "  aws:defaultTags: {tags: {cost: \"42\"}}\n",
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
