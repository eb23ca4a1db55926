package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzStackFiles: any file is either refused with a message or read as a config of its kind.
func FuzzStackFiles(f *testing.F) {
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "Pulumi.*.yaml"))
	require.NoError(f, err)
	require.NotEmpty(f, examples)
	for _, example := range examples {
		text, err := os.ReadFile(example)
		require.NoError(f, err)
		f.Add(string(text))
	}
	for _, seed := range []string{"", "config:", "config: []", "config: {hypershift-aws:kind: cluster}",
		"config: {hypershift-aws:cluster: {network: {zones: [[]]}}}",
		"a: &a [*a]", "config: {hypershift-aws:kind: {secure: x}, hypershift-aws:cluster: {name: 1}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, FileName("x")), []byte(text), 0o600))
		file, err := kinds().LoadFile(dir, "x")
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.Contains(t, kinds().Names(), file.Kind)
		sections := map[Kind]bool{
			KindManagement: As[*Management](file) != nil, KindCluster: As[*Cluster](file) != nil,
			KindCAPA: As[*CAPA](file) != nil,
		}
		for kind, read := range sections {
			require.Equal(t, kind == file.Kind, read, "the section of kind %s", kind)
		}
	})
}
