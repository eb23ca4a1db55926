package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
)

// stateOf is the state of an offline stack.
func stateOf(t *testing.T, dir, stack string) []apitype.ResourceV3 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, ".hypershift-aws", "offline", "state", ".pulumi", "stacks", "hypershift-aws", stack+".json"))
	require.NoError(t, err)
	var file struct {
		Checkpoint struct {
			Latest struct{ Resources []apitype.ResourceV3 }
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	return file.Checkpoint.Latest.Resources
}

// Offline CAPA tags the network, starts a load balancer and machines, and deletes all that with the Cluster: nothing of it
// shows in a preview, and nothing is left.
func TestTheArchitecturesOfCAPAComeUpStayAndGo(t *testing.T) {
	t.Parallel()
	for _, example := range []string{"capa-private", "capa-public"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			cli := newCLI(t, copyOf(t, example))
			cli.run("--offline", "up", "--yes")
			requireGolden(t, "capa/"+example+".txt", enginetest.GraphOf(t, stateOf(t, cli.dir, "demo"), nil,
				"capa", "capa-network", "capa-groups", "capa-profiles", "cluster"))
			cli.run("--offline", "preview", "--expect-no-changes")
			paths := withoutIDs(cli.run("--offline", "check", "path"))
			requireGolden(t, "paths/"+example+".txt", paths)
			if example == "capa-private" {
				document, err := os.ReadFile("../docs/capa.md")
				require.NoError(t, err)
				require.Contains(t, string(document), strings.TrimSpace(paths), "the document shows other paths")
			}
			require.Contains(t, cli.run("--offline", "render"), "kind: AWSCluster")
			cli.run("--offline", "destroy", "--yes")
			require.Empty(t, madeIn(t, filepath.Join(cli.dir, ".hypershift-aws", "offline")))
		})
	}
}
