package stacks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// HyperShift cannot change how the API server is published: a newer release is no reason.
func TestAnAPIServerIsPublishedAsItWasWhenItsClusterWasNew(t *testing.T) {
	t.Parallel()
	live := func(strategy string) *hostedcluster.Live {
		return &hostedcluster.Live{HostedCluster: map[string]any{"spec": map[string]any{"services": []any{
			map[string]any{"service": "OAuthServer", "servicePublishingStrategy": map[string]any{"type": "Route"}},
			map[string]any{"service": "APIServer", "servicePublishingStrategy": map[string]any{"type": strategy}},
		}}}}
	}
	read := &hostedcluster.Live{Versions: map[string]string{"quay.io/r@sha256:5": "5.1.0"}}
	const newer, older = "quay.io/r:5.0.2-multi", "quay.io/r:4.22.3-multi"
	byRoute, otherwise := lastUpdate{exists: true, apiServerRoute: true}, lastUpdate{exists: true}
	for name, test := range map[string]struct {
		release, domain string
		access          hypershift.EndpointAccess
		live            *hostedcluster.Live
		inState, last   lastUpdate
		want            bool
	}{
		"new":                        {release: newer, want: true},
		"new, read":                  {release: newer, live: read, want: true},
		"new, of an earlier release": {release: older},
		"new, of a digest":           {release: "quay.io/r@sha256:5", live: read, want: true},
		"new, of an unknown digest":  {release: "quay.io/r@sha256:4", live: read},
		"new, with a domain":         {release: newer, domain: "hcp.example.com"},
		"new, in both":               {release: newer, access: hypershift.PublicAndPrivate},
		"read with a load balancer":  {release: newer, live: live("LoadBalancer"), inState: byRoute, last: byRoute},
		"read with a Route":          {release: older, live: live("Route"), want: true},
		"in the state":               {release: newer, inState: otherwise, last: byRoute},
		"in the state, by Route":     {release: older, inState: byRoute, want: true},
		"to be restored":             {release: newer, live: read, inState: otherwise},
		"applied by others":          {release: newer, last: otherwise},
		"applied by others, Route":   {release: older, last: byRoute, want: true},
		"described after its AWS":    {release: newer, live: read, last: otherwise, want: true},
	} {
		settings := &hostedcluster.Settings{Release: test.release, ExternalDNSDomain: test.domain,
			EndpointAccess: hypershift.Private}
		if test.access != "" {
			settings.EndpointAccess = test.access
		}
		require.Equal(t, test.want, routesAPIServer(settings, test.live, test.inState, test.last), name)
	}
}

func TestASecondPathToAPrivateAPIServerIsNamedWithItsCostAndWhatTheReleaseCan(t *testing.T) {
	t.Parallel()
	const cost = "for as long as the cluster lives"
	for name, test := range map[string]struct {
		byRoute, named, known, can bool
		cost                       bool
		want                       string
	}{
		"an earlier release": {false, false, true, false, true, "use release 5.0.0 or later"},
		"a release that can": {false, false, true, true, true,
			"which the control plane operator of this release supports"},
		"an unknown release": {false, false, false, true, true,
			"with release 5.0.0 or later, set the type of APIServer"},
		"a Route of an earlier release": {true, false, true, false, false, "creates a route with an empty host"},
		"a Route with a host name":      {true, true, true, false, false, ""},
		"a Route":                       {true, false, true, true, false, ""},
	} {
		text := secondPath(test.byRoute, test.named, test.known, test.can)
		if test.want == "" {
			require.Empty(t, text, name)
			continue
		}
		require.Contains(t, text, test.want, name)
		require.Equal(t, test.cost, strings.Contains(text, cost), name)
	}
}
