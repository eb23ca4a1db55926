package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMakeEngineTakesTheEngineOnThePathIfItIsNewEnough(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "tools", "engine"))
	require.NoError(t, err)
	for version, taken := range map[string]bool{
		"v3.250.0": true, "v3.250.1": true, "v3.1000.0": true,
		"v3.249.9": false, "v3.250.0-alpha.1": false, "v4.0.0": false, "": false,
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			command := exec.Command(script(t, filepath.Join(dir, "tools", "engine"), string(text)), "v3.250.0")
			script(t, filepath.Join(dir, "path", "go"), "echo built > bin/pulumi")
			found := script(t, filepath.Join(dir, "path", executable), "echo "+version+"; [ -n '"+version+"' ]")
			command.Env = []string{"PATH=" + filepath.Dir(found) + string(os.PathListSeparator) + os.Getenv("PATH")}
			command.Dir = filepath.Join(dir, "tools")
			output, err := command.CombinedOutput()
			require.NoError(t, err, string(output))
			target, err := os.Readlink(filepath.Join(dir, "bin", executable))
			if taken {
				require.NoError(t, err)
				assert.Equal(t, found, target)
				assert.Contains(t, string(output), version)
			} else {
				require.Error(t, err, "a link to %s", target)
				assert.FileExists(t, filepath.Join(dir, "bin", executable))
				assert.Contains(t, string(output), "building the Pulumi engine v3.250.0")
			}
		})
	}
}
