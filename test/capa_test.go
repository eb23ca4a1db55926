package test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Offline CAPA tags the network, starts a load balancer and machines, and deletes all that with the Cluster: nothing of it
// shows in a preview, and nothing is left.
func TestTheArchitecturesOfCAPAComeUpStayAndGo(t *testing.T) {
	t.Parallel()
	for _, example := range []string{"capa-private", "capa-public"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			cli := newCLI(t, copyOf(t, example))
			cli.run("--offline", "up", "--yes")
			cli.run("--offline", "preview", "--expect-no-changes")
			require.Contains(t, cli.run("--offline", "render"), "kind: AWSCluster")
			cli.run("--offline", "destroy", "--yes")
			require.Empty(t, madeIn(t, filepath.Join(cli.dir, ".hypershift-aws", "offline")))
		})
	}
}
