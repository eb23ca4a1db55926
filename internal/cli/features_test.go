package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// runAll runs a command line with all features.
func runAll(streams invocation.Streams, args []string) int { return Run(streams, features.All(), args) }

func TestEachFeatureWithCommandsIsListed(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(filepath.Join("..", "features", "*", "cmd"))
	require.NoError(t, err)
	var want, got []string
	for _, folder := range folders {
		want = append(want, filepath.Base(filepath.Dir(folder)))
	}
	for _, feature := range features.All() {
		got = append(got, feature.Name)
	}
	assert.ElementsMatch(t, want, got)
}

func TestWithoutFeaturesTheCommandsOfTheCoreAreLeft(t *testing.T) {
	t.Parallel()
	var names []string
	for _, cmd := range Command(nil).Commands() {
		names = append(names, cmd.Name())
		for _, flag := range []string{"data", "picture", "plan", "policy", "prices", "save-plan", "skip-preflight",
			"markdown"} {
			assert.Nil(t, cmd.Flags().Lookup(flag), "%s --%s", cmd.Name(), flag)
		}
	}
	assert.ElementsMatch(t, []string{
		"cancel", "console", "destroy", "diagnose", "drift", "environment", "forget", "kubeconfig", "new", "outputs",
		"preview", "refresh", "repair", "stacks", "status", "up", "version",
	}, names)
}
