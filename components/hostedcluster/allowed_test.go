package hostedcluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

func TestAllowedNetworksWithoutTheNodesAreAFaultInModePublicAlone(t *testing.T) {
	t.Parallel()
	settings := func(access hypershift.EndpointAccess, blocks ...any) *Settings {
		return &Settings{EndpointAccess: access, Spec: map[string]any{
			"networking": map[string]any{"apiServer": map[string]any{"allowedCIDRBlocks": blocks}},
		}}
	}
	nodes := []string{"198.18.0.7", "198.18.0.9"}
	faults := fault.In(settings("", "203.0.113.0/24", "198.18.0.9/32").lockedOut(nodes))
	require.Len(t, faults, 1)
	require.Equal(t, "spec.networking.apiServer.allowedCIDRBlocks", faults[0].Path)
	require.Equal(t, "add 198.18.0.7/32, or use apiAccess.cidrs, to which the stack adds them", faults[0].Remedy)
	require.NoError(t, settings(hypershift.Public, "198.18.0.0/24").lockedOut(nodes))
	require.NoError(t, settings(hypershift.Public).lockedOut(nodes), "all may connect")
	require.NoError(t, (&Settings{}).lockedOut(nodes))
	for _, private := range []hypershift.EndpointAccess{hypershift.PublicAndPrivate, hypershift.Private} {
		require.NoError(t, settings(private, "203.0.113.0/24").lockedOut(nodes), "nodes use PrivateLink")
	}
}

func TestALimitedAPIIsRefusedForNodesInPublicSubnets(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cidrs []string
		spec  []any
		nodes bool
		path  string
	}{
		"a list and public nodes":  {cidrs: []string{"203.0.113.0/24"}, nodes: true, path: "apiAccess.cidrs"},
		"a raw list, public nodes": {spec: []any{"203.0.113.0/24"}, nodes: true, path: allowedPath},
		"the internet":             {cidrs: []string{"0.0.0.0/0"}, nodes: true},
		"nodes behind NAT":         {cidrs: []string{"203.0.113.0/24"}},
		"both lists": {
			cidrs: []string{"203.0.113.0/24"},
			spec:  []any{"203.0.113.0/24"},
			path:  "apiAccess.cidrs",
		},
		"no CIDR":   {cidrs: []string{"203.0.113.7"}, path: "apiAccess.cidrs[0]"},
		"host bits": {cidrs: []string{"203.0.113.7/24"}, path: "apiAccess.cidrs[0]"},
		"IPv6":      {cidrs: []string{"203.0.113.0/24", "2001:db8::/32"}, path: "apiAccess.cidrs[1]"},
		"raw IPv6":  {spec: []any{"203.0.113.0/24", "::/0"}, path: allowedPath + "[1]"},
		"raw host":  {spec: []any{"203.0.113.7/24"}, path: allowedPath + "[0]"},
	} {
		s := &Settings{APIAccess: APIAccess{CIDRs: test.cidrs}, NodePublicIPs: test.nodes}
		if test.spec != nil {
			s.Spec = map[string]any{"networking": map[string]any{"apiServer": map[string]any{"allowedCIDRBlocks": test.spec}}}
		}
		found := fault.In(objectBuilder{Settings: s}.validateAPIAccess())
		if test.path == "" {
			require.Empty(t, found, name)
			continue
		}
		require.Equal(t, test.path, found[0].Path, name)
	}
}
