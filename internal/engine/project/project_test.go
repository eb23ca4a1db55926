package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// project returns a project of files with their content.
func project(t *testing.T, files map[string]string) *Project {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	p, err := Open(dir)
	require.NoError(t, err)
	return p
}

func TestTheOnlyStackNeedNotBeNamed(t *testing.T) {
	t.Parallel()
	name, err := project(t, map[string]string{"Pulumi.dev.yaml": ""}).SelectStack("")
	require.NoError(t, err)
	assert.Equal(t, "dev", name)

	_, err = project(t, map[string]string{
		"Pulumi.yaml":   "name: p\nruntime: go\n",
		"Pulumi.b.yaml": "",
		"Pulumi.a.yaml": "",
	}).SelectStack("")
	assert.ErrorContains(t, err, "-s: a, b")
	assert.Equal(t, failure.Refused, failure.ReasonOf(err))
}

func TestTheBackendIsTheFirstThatIsGiven(t *testing.T) {
	t.Parallel()
	plain := project(t, nil)
	settled := project(t, map[string]string{"Pulumi.yaml": "name: p\nruntime: go\nbackend: {url: \"file://./kept\"}\n"})
	environ := engine.Environ{"PULUMI_BACKEND_URL=s3://from-environment"}

	assert.Equal(t, "s3://flag", settled.Backend("s3://flag", environ).URL)
	assert.Equal(t, "s3://from-environment", settled.Backend("", environ).URL)
	assert.Equal(t, "file://"+settled.Dir+"/kept", settled.Backend("", nil).URL)
	assert.Equal(t, "file://"+plain.Dir+"/.hypershift-aws/state", plain.Backend("", nil).URL)
	assert.Equal(t, "file:///elsewhere", plain.Backend("file:///elsewhere", nil).URL)
	assert.Equal(t, "file://~", plain.Backend("file://~", nil).URL)
	assert.Equal(t, "file://"+plain.Dir+"/near", plain.Backend("file://near", nil).URL)
}

func TestABackendWithoutItsFolderIsRefusedUnlessTheProjectOwnsIt(t *testing.T) {
	t.Parallel()
	p := project(t, nil)
	exists, err := p.Backend("", nil).Exists()
	require.NoError(t, err)
	assert.False(t, exists)
	_, err = p.Backend("file://near", nil).Exists()
	assert.Equal(t, failure.Refused, failure.ReasonOf(err))
	assert.ErrorContains(t, err, filepath.Join(p.Dir, "near"))
	assert.NoDirExists(t, filepath.Join(p.Dir, ".hypershift-aws"))
}

func TestTheWorkspacePointsBackToTheStackFile(t *testing.T) {
	t.Parallel()
	p := project(t, map[string]string{
		"Pulumi.yaml":     "name: estates\nruntime: go\nmain: cmd/program\nconfig:\n  aws:region:\n    value: us-east-1\n",
		"Pulumi.dev.yaml": "config: {}\n",
	})
	dir, err := p.MakeWorkDir("dev")
	require.NoError(t, err)
	settings, err := workspace.LoadProject(filepath.Join(dir.Engine, "Pulumi.yaml"))
	require.NoError(t, err)
	assert.Equal(t, "estates", settings.Name.String())
	assert.Equal(t, "go", settings.Runtime.Name())
	assert.Empty(t, settings.Main)
	assert.Equal(t, "us-east-1", settings.Config["aws:region"].Value)
	assert.Equal(t, p.StackFile("dev"), filepath.Join(dir.Engine, settings.StackConfigDir, "Pulumi.dev.yaml"))
	ignore, err := os.ReadFile(filepath.Join(p.Dir, ".hypershift-aws", ".gitignore"))
	require.NoError(t, err)
	assert.Equal(t, "*\n", string(ignore))
}

func TestAProjectWithoutPulumiYAMLHasTheLibrarysName(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "hypershift-aws", project(t, nil).Name())
}

// What Pulumi adds to the options may change what a run of the engine does.
func TestOptionsOfThePulumiProjectAreTakenOverOrRefused(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]string{
		"": "", "options: {refresh: always}": "", "options: {refresh: sometimes}": "#/options/refresh",
		"options: {parallel: 3}": "options",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"),
			[]byte("name: p\nruntime: hypershift-aws\n"+options+"\n"), 0o644))
		p, err := Open(dir)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, options != "", p.Refreshes())
		work, err := p.MakeWorkDir("dev")
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(work.Engine, "Pulumi.yaml"))
		require.NoError(t, err)
		require.NotContains(t, string(text), "refresh", "the engine would read and change in one run")
	}
}

func TestLinksBelowTheWorkFolderAreRefused(t *testing.T) {
	t.Parallel()
	victim := t.TempDir()
	for _, link := range []string{".hypershift-aws", ".hypershift-aws/.gitignore", ".hypershift-aws/work/prod/kubeconfigs",
		".hypershift-aws/offline/state"} {
		p, err := Open(t.TempDir())
		require.NoError(t, err)
		path := filepath.Join(p.Dir, filepath.FromSlash(link))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.Symlink(victim, path))
		_, err = p.MakeWorkDir("prod")
		require.ErrorContains(t, err, "is a link", link)
	}
	left, err := os.ReadDir(victim)
	require.NoError(t, err)
	require.Empty(t, left)
}
