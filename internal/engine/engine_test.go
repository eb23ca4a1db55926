package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// fakeEngine puts a pulumi of a version into dir.
func fakeEngine(t *testing.T, dir, version string) string {
	t.Helper()
	return script(t, filepath.Join(dir, "pulumi"), "echo "+version)
}

func script(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	// A process that is forked meanwhile would hold the file open for writing, and Linux not run it.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	return path
}

func TestTheEngineOnThePathComesFirstIfItIsRecent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	onPath := fakeEngine(t, filepath.Join(dir, "path"), "v3.999.0")
	built := fakeEngine(t, filepath.Join(dir, "project", "bin"), "v3.999.1")
	search := Search{Environ: Environ{"PATH=" + filepath.Join(dir, "path")}, Dirs: []string{filepath.Join(dir, "project")}}

	engine, err := Find(t.Context(), search)
	require.NoError(t, err)
	assert.Equal(t, onPath, engine.Path)

	fakeEngine(t, filepath.Join(dir, "path"), "v3.100.0")
	engine, err = Find(t.Context(), search)
	require.NoError(t, err)
	assert.Equal(t, built, engine.Path)
	assert.Equal(t, "3.999.1", engine.Version.String())
}

func TestTheEngineIsFoundNextToTheProgramAndInTheModule(t *testing.T) {
	t.Parallel()
	for name, search := range map[string]func(root string) Search{
		"beside the program": func(root string) Search {
			return Search{Executable: filepath.Join(root, "bin", "hypershift-aws")}
		},
		"in bin/ of the program's": func(root string) Search {
			return Search{Executable: filepath.Join(root, "hypershift-aws")}
		},
		"in bin/ beside its folder": func(root string) Search {
			return Search{Executable: filepath.Join(root, "out", "hypershift-aws")}
		},
		"in the module's bin/": func(root string) Search {
			return Search{Dirs: []string{filepath.Join(root, "examples", "public")}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o644))
			want := fakeEngine(t, filepath.Join(root, "bin"), "v3.999.0")
			engine, err := Find(t.Context(), search(root))
			require.NoError(t, err)
			assert.Equal(t, want, engine.Path)
		})
	}
}

func TestNoProgramOfTheProjectsFolderIsRun(t *testing.T) {
	dir := t.TempDir()
	fakeEngine(t, filepath.Join(dir, "bin"), "v3.999.0")
	t.Chdir(dir)
	_, err := Find(t.Context(), Search{Environ: Environ{"PATH=bin"}, Executable: "/nowhere/bin/hypershift-aws"})
	assert.Equal(t, failure.Refused, failure.ReasonOf(err))
}

func TestWithoutAnEngineTheErrorListsWhatWasFoundAndTheRemedy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := fakeEngine(t, filepath.Join(dir, "old"), "v3.100.0")
	next := fakeEngine(t, filepath.Join(dir, "next"), "v4.0.0")
	broken := script(t, filepath.Join(dir, "broken", "pulumi"), "exit 3")
	path := fmt.Sprintf("%s:%s:%s", filepath.Dir(old), filepath.Dir(next), filepath.Dir(broken))

	_, err := Find(t.Context(), Search{Environ: Environ{"PATH=" + path}})
	assert.Equal(t, failure.Refused, failure.ReasonOf(err))
	for _, text := range []string{old + " is v3.100.0", next + " is v4.0.0", broken + " does not run",
		"v" + Minimum().String(), "make engine"} {
		assert.ErrorContains(t, err, text)
	}
}

func TestAnEnginesVersionIsReadOncePerFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	search := Search{Environ: Environ{"PATH=" + filepath.Join(dir, "path"), "HOME=" + dir}}
	path := fakeEngine(t, filepath.Join(dir, "path"), "v3.999.0")
	// No script, and nothing that runs: its version can only be remembered.
	require.NoError(t, os.WriteFile(path, []byte("an engine"), 0o755))
	record := search.versionRecord(path)
	require.NoError(t, os.MkdirAll(filepath.Dir(record), 0o755))
	require.NoError(t, os.WriteFile(record, []byte("3.999.7"), 0o644))

	engine, err := Find(t.Context(), search)
	require.NoError(t, err)
	assert.Equal(t, "3.999.7", engine.Version.String())

	require.NoError(t, os.WriteFile(path, []byte("a newer engine"), 0o755))
	_, err = Find(t.Context(), search)
	assert.ErrorContains(t, err, "does not run")
}

func TestAVersionManagersScriptIsRunEachTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	search := Search{Environ: Environ{"PATH=" + filepath.Join(dir, "path"), "HOME=" + dir}}
	path := fakeEngine(t, filepath.Join(dir, "path"), `v3.999.$(cat "$HOME/minor")`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "minor"), []byte("1"), 0o644))
	assert.Empty(t, search.versionRecord(path))
	search.Environ = search.Environ.With("PATH", filepath.Join(dir, "path")+":"+os.Getenv("PATH"))
	for _, minor := range []string{"1", "2"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "minor"), []byte(minor), 0o644))
		engine, err := Find(t.Context(), search)
		require.NoError(t, err)
		assert.Equal(t, "3.999."+minor, engine.Version.String())
	}
}

func TestEveryProjectFileRequiresTheMinimumEngineVersion(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*/Pulumi.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, "../../Pulumi.yaml") {
		project, err := workspace.LoadProject(file)
		require.NoError(t, err)
		require.Equal(t, ">="+Minimum().String(), project.RequiredPulumiVersion, "requiredPulumiVersion of %s", file)
	}
}
