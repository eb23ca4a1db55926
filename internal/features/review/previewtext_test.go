package review_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// A program that embeds this one shows a plan as the CLI does.
func TestAPreviewOfTheLibraryHasTheTextOfTheCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const file = "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: cluster\n  hypershift-aws:cluster:\n    name: demo\n" +
		"    infraID: demo-x1\n    baseDomain: example.com\n    endpointAccess: Private\n" +
		"    network: {zones: [us-east-1a]}\n    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(file), 0o600))
	home := filepath.Join(dir, "home")
	require.NoError(t, engine.HomeWithoutLogs(home))
	options := automation.ProjectOptions{EngineDirs: []string{repo.Path()}}
	environ := append(os.Environ(), "PULUMI_HOME="+home, "PULUMI_SKIP_UPDATE_CHECK=true")
	printed := func(args ...string) string {
		var out, errs bytes.Buffer
		streams := invocation.Streams{
			In: strings.NewReader(""), Out: &out, Err: &errs, Environ: environ, Dir: dir, Project: options,
		}
		code := cli.Run(streams, features.All(), append([]string{"-C", dir, "-s", "dev", "--offline", "preview"}, args...))
		require.Zero(t, code, errs.String())
		return out.String()
	}
	options.Dir, options.Offline, options.Environ = dir, true, environ
	project, err := automation.Open(options)
	require.NoError(t, err)
	t.Cleanup(project.Close)
	result, err := project.Stack("dev").Preview(t.Context(), automation.PreviewOptions{Drift: true})
	require.NoError(t, err)

	options.Dir, options.Offline, options.Environ = "", false, nil
	require.Equal(t, result.Text(true), printed("--details"))
	short, _ := strings.CutSuffix(printed(), "--details shows each resource, value, price and finding\n")
	require.Equal(t, result.Text(false), short)
	require.Equal(t, result.Markdown(), printed("--markdown"))
}
