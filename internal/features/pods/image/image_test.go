package image

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
)

// options returns an image of this test's own binary.
func options(t *testing.T) Options {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	return Options{
		Binary:     binary,
		EnginePath: binary,
		Project:    "demo",
		Providers:  []languagehost.Provider{{Name: "aws", Version: "v6.1.0"}, {Name: "kubernetes", Version: "v4.1.0"}},
	}
}

func TestAnImageWithoutAProvidersPluginIsNotBuiltUnlessThatIsWanted(t *testing.T) {
	t.Parallel()
	o := options(t)
	require.NoError(t, Assemble(t.TempDir(), o), "without plugins, as it is wanted")

	o.Plugins = t.TempDir()
	for _, provider := range o.Providers {
		require.ErrorContains(t, Assemble(t.TempDir(), o), "has no resource-"+provider.Name)
		dir := filepath.Join(o.Plugins, fmt.Sprintf("resource-%s-%s", provider.Name, provider.Version))
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "pulumi-resource-"+provider.Name), []byte("plugin"), 0o600))
	}
	root := t.TempDir()
	require.NoError(t, Assemble(root, o))
	found, err := filepath.Glob(filepath.Join(root, plugins, "resource-*", "pulumi-resource-*"))
	require.NoError(t, err)
	require.Len(t, found, len(o.Providers))
}
