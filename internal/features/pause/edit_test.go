package pause

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	night = "2026-11-28T20:00:00Z"
	key   = "hypershift-aws:cluster.hostedCluster.nodesPausedSince"
)

func TestTheKeyIsWrittenAndTakenAwayWithoutAnyOtherChange(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"blocks": "# the cluster\nconfig:\n  hypershift-aws:cluster:\n    name: demo # a name\n    hostedCluster: # objects\n" +
			"      # the pull secret\n      pullSecret:\n        file: x\n      nodePools:\n        - {replicas: 3}\n",
		"no line break at the end": "config:\n  hypershift-aws:cluster:\n    hostedCluster:\n      release: a",
		"Windows":                  "config:\r\n  hypershift-aws:cluster:\r\n    hostedCluster:\r\n      release: a\r\n",
		"one line":                 "config:\n  hypershift-aws:cluster: {name: demo, hostedCluster: {kubeconfig: {}, release: ä}}\n",
		"an inner one":             "config:\n  hypershift-aws:cluster:\n    hostedCluster: {release: a}\n    name: demo\n",
		"an empty one":             "config:\n  hypershift-aws:cluster:\n    hostedCluster: {}\n",
		"a long one":               "config:\n  hypershift-aws:cluster:\n    hostedCluster: {\n      release: a,\n    }\n",
	} {
		paused, err := edit([]byte(text), key, night)
		require.NoError(t, err, name)
		require.Contains(t, string(paused), `nodesPausedSince: "`+night+`"`, name)
		again, err := edit(paused, key, "2026-11-29T20:00:00Z")
		require.NoError(t, err, name)
		require.Equal(t, 1, strings.Count(string(again), "nodesPausedSince"), name)
		resumed, err := edit(again, key, "")
		require.NoError(t, err, name)
		require.Equal(t, text, string(resumed), name)
		same, err := edit([]byte(text), key, "")
		require.NoError(t, err, name)
		require.Equal(t, text, string(same), name)
	}
}

func TestAKeyThatWasWrittenByHandIsTakenAway(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"config:\n  hypershift-aws:cluster:\n    hostedCluster:\n      release: a\n      nodesPausedSince: '" + night + "' # at night\n",
		"config:\n  hypershift-aws:cluster:\n    hostedCluster: {release: a, nodesPausedSince: '" + night + "'}\n",
		"config:\n  hypershift-aws:cluster:\n    hostedCluster: {release: a, nodesPausedSince: " + night + " }\n",
	} {
		resumed, err := edit([]byte(text), key, "")
		require.NoError(t, err, text)
		require.NotContains(t, string(resumed), "nodesPausedSince")
		require.Contains(t, string(resumed), "release: a")
	}
}

func TestAFileInWhichTheKeyCannotBeWrittenIsRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no section": "config: {}\n",
		"a text":     "config:\n  hypershift-aws:cluster: '{\"hostedCluster\": {}}'\n",
		"an alias":   "shared: &c {release: a}\nconfig:\n  hypershift-aws:cluster:\n    hostedCluster: *c\n",
		"a loop":     "config:\n  hypershift-aws:cluster: &c\n    hostedCluster: {release: a}\n    other: *c\n",
	} {
		_, err := edit([]byte(text), key, night)
		require.ErrorContains(t, err, "hypershift-aws:cluster.hostedCluster", name)
	}
}
