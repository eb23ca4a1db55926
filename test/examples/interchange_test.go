package examples

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestTheCLIAndPulumiPreviewEachOthersStacksWithoutChanges(t *testing.T) {
	t.Parallel()
	for _, first := range sizes.First(1, []string{"hypershift-aws", "pulumi"}) {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			p := harness.NewProject(t, harness.WithProgram(t, "public-and-private"), state,
				stackfile.SeedsOf(t, "public-and-private"))
			c := harness.NewCLI(t, p.Dir, p.Env...)
			if first == "pulumi" {
				p.Init()
				p.Pulumi("up", "--yes", "--skip-preview")
				c.Run("preview", "--expect-no-changes")
				c.Run("destroy", "--yes")
			} else {
				c.Run("up", "--yes")
				p.Pulumi("preview", "--expect-no-changes", "--stack", "demo")
				p.Pulumi("config", "set", "--path", config.ClusterKey+".unprotected", "true", "--stack", "demo")
				p.Pulumi("destroy", "--yes", "--skip-preview", "--run-program", "--stack", "demo")
			}
			require.Empty(t, harness.MadeIn(t, filepath.Join(state, "offline")))
		})
	}
}
