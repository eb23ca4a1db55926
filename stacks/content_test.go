package stacks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// contentOf returns what the file of a stack decodes to.
func contentOf(t *testing.T, file *config.File) config.Content {
	t.Helper()
	text, err := os.ReadFile(file.Path)
	require.NoError(t, err)
	var read struct {
		Config map[string]yaml.Node `yaml:"config"`
	}
	require.NoError(t, yaml.Unmarshal(text, &read))
	keys := map[string]yaml.Node{}
	for key, value := range read.Config {
		if name, own := strings.CutPrefix(key, config.OwnPrefix); own {
			keys[name] = value
		}
	}
	own, err := yaml.Marshal(keys)
	require.NoError(t, err)
	content := config.Content{
		Section: file.Section, PolicyWaivers: file.PolicyWaivers, Allowed: file.Allowed, Policy: file.Policy,
		SecretsProvider: file.SecretsProvider,
	}
	require.NoError(t, yaml.Unmarshal(own, &content.Account))
	return content
}

func TestTheContentOfEachExampleIsThatOfItsFile(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "examples", "*", "Pulumi.*.yaml"))
	require.NoError(t, err)
	compared := 0
	for _, path := range files {
		stack := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "Pulumi."), ".yaml")
		file, err := stacks.Kinds().LoadFile(filepath.Dir(path), stack)
		if err != nil {
			continue // the example has a program of its own
		}
		text, _, err := stacks.Kinds().Encode(contentOf(t, file))
		require.NoError(t, err, path)
		again, err := stacks.Kinds().ParseFile(path, stack, text)
		require.NoError(t, err, "%s:\n%s", path, text)
		written, _, err := stacks.Kinds().Encode(contentOf(t, again))
		require.NoError(t, err, path)
		assert.Equal(t, string(text), string(written), path)
		assert.Equal(t, []any{file.Kind, file.Region}, []any{again.Kind, again.Region}, path)
		compared++
	}
	assert.Greater(t, compared, 15)
}

func TestAContentHasASectionOfAKind(t *testing.T) {
	t.Parallel()
	_, _, err := stacks.Kinds().Encode(config.Content{})
	require.Len(t, fault.In(err), 1)
	assert.Equal(t, "Section", fault.In(err)[0].Path)
}
