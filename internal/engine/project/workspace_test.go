package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDigestOfAStacksFileIgnoresWhatTheEngineWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := Open(dir)
	require.NoError(t, err)
	write := func(text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(text), 0o600))
		return p.StackFileDigest("dev")
	}
	require.Empty(t, p.StackFileDigest("dev"))
	first := write("config:\n  aws:region: us-east-1\n")
	require.NotEmpty(t, first)
	require.Equal(t, first, write("encryptionsalt: v1:salt\nconfig:\n  aws:region: us-east-1 # here\n"))
	require.NotEqual(t, first, write("config:\n  aws:region: eu-west-1\n"))
	typed := write("config:\n  aws:useFipsEndpoint: true\n  aws:maxRetries: 5\n")
	require.Equal(t, typed, write("config:\n  aws:useFipsEndpoint: \"true\"\n  aws:maxRetries: \"5\"\n"))
	require.NotEqual(t, typed, write("config:\n  aws:useFipsEndpoint: false\n  aws:maxRetries: 5\n"))
}

func TestAStackWithoutAReadableFileHasAWorkingFolderOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := Open(dir)
	require.NoError(t, err)
	for _, text := range []string{"", "- a list\n", "config: {\n"} {
		require.NoError(t, os.WriteFile(p.StackFile("dev"), []byte(text), 0o600))
		require.False(t, p.HasStackFile("dev"), text)
	}
	require.NoError(t, os.Remove(p.StackFile("dev")))
	work, err := p.MakeWorkDir("dev")
	require.NoError(t, err)
	require.NoError(t, p.WriteStackSettings(work, "dev", map[string]string{"encryptionsalt": "v1:salt"}))
	text, err := os.ReadFile(filepath.Join(work, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	require.Equal(t, "encryptionsalt: v1:salt\n", string(text))
	settings, err := os.ReadFile(filepath.Join(work, "Pulumi.yaml"))
	require.NoError(t, err)
	require.NotContains(t, string(settings), "stackConfigDir", "the engine reads and writes the working folder's file")
	require.NoFileExists(t, p.StackFile("dev"))
}
