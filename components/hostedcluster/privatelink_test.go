package hostedcluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// The operators read the HostedCluster as it is applied: the cluster's tags, those of the settings and those of spec.
func TestTheEndpointsTagsAreAllOfTheHostedClustersResourceTags(t *testing.T) {
	t.Parallel()
	settings := &Settings{
		Cluster:      hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}},
		ResourceTags: map[string]string{"cost-centre": "42"},
	}
	const owner = "kubernetes.io/cluster/demo-x1"
	tags, err := settings.EndpointTags()
	require.NoError(t, err)
	require.Equal(t, map[string]string{"team": "platform", "cost-centre": "42", owner: "owned"}, tags)

	settings.Spec = map[string]any{"platform": map[string]any{"aws": map[string]any{
		"resourceTags": []any{map[string]any{"key": "stage", "value": "prod"}},
	}}}
	tags, err = settings.EndpointTags()
	require.NoError(t, err)
	require.Equal(t, map[string]string{"stage": "prod", owner: "owned"}, tags, "spec replaces the list")
}

func TestTheAPIServerIsPublishedAsARouteWithExternalDNSOrBySpec(t *testing.T) {
	t.Parallel()
	strategy := func(kind string) map[string]any {
		return map[string]any{
			"services": []any{map[string]any{"service": "APIServer", "servicePublishingStrategy": map[string]any{"type": kind}}},
		}
	}
	for _, c := range []struct {
		name     string
		settings Settings
		want     bool
	}{
		{"without external DNS", Settings{}, false},
		{"with external DNS", Settings{ExternalDNSDomain: "hcp.example.com"}, true},
		{"by spec", Settings{Spec: strategy("Route")}, true},
		{"by spec, against external DNS", Settings{
			ExternalDNSDomain: "hcp.example.com",
			Spec:              strategy("LoadBalancer"),
		}, false},
	} {
		route, err := c.settings.APIServerByRoute()
		require.NoError(t, err)
		require.Equal(t, c.want, route, c.name)
	}
}
