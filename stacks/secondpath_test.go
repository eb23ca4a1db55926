package stacks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
