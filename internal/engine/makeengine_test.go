package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
			found := script(t, filepath.Join(dir, "path", Executable), "echo "+version+"; [ -n '"+version+"' ]")
			command.Env = []string{"PATH=" + filepath.Dir(found) + string(os.PathListSeparator) + os.Getenv("PATH")}
			command.Dir = filepath.Join(dir, "tools")
			output, err := command.CombinedOutput()
			require.NoError(t, err, string(output))
			target, err := os.Readlink(filepath.Join(dir, "bin", Executable))
			if taken {
				require.NoError(t, err)
				assert.Equal(t, found, target)
				assert.Contains(t, string(output), version)
			} else {
				require.Error(t, err, "a link to %s", target)
				assert.FileExists(t, filepath.Join(dir, "bin", Executable))
				assert.Contains(t, string(output), "building the Pulumi engine v3.250.0")
			}
		})
	}
}

// What both use is compiled once: `make demo` builds the engine and the CLI.
func TestTheEngineIsBuiltFromTheModuleVersionsOfTheCLI(t *testing.T) {
	t.Parallel()
	cli, engine := required(t, "go.mod"), required(t, "tools", "go.mod")
	shared := 0
	for module, version := range engine {
		if own, both := cli[module]; both {
			shared++
			assert.Equal(t, own, version, "%s: `go get` the later version in both folders, then `make tidy`", module)
		}
	}
	assert.Greater(t, shared, 100)
}

// required returns the versions of the modules that a go.mod of this repository requires.
func required(t *testing.T, path ...string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	require.NoError(t, err)
	versions := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(strings.TrimPrefix(line,
			"require ")); len(fields) >= 2 && strings.HasPrefix(fields[1], "v") {
			versions[fields[0]] = fields[1]
		}
	}
	return versions
}
