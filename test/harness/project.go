package harness

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/gohost"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// WithProgram creates a project whose config is a copy of the example's and whose program is the example's
// own, which needs the repository around it to build.
func WithProgram(t *testing.T, example string) string {
	t.Helper()
	dir := stackfile.CopyOf(t, example)
	program, err := filepath.Rel(dir, repo.Path("examples", example))
	require.NoError(t, err)
	project := filepath.Join(dir, "Pulumi.yaml")
	text, err := os.ReadFile(project)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(project, append(text, "main: "+program+"\n"...), 0o600))
	return dir
}

// Project is a folder in which plain `pulumi` runs, with its state in a folder beside it.
type Project struct {
	t    *testing.T
	Dir  string
	Env  []string
	Path string
}

// NewProject prepares plain `pulumi` for a copy of the config in dir: with pulumi-language-go if that is on PATH,
// otherwise with package gohost.
func NewProject(t *testing.T, dir, state string, seeds []offline.Seed) *Project {
	t.Helper()
	account, err := offline.Serve(offline.Options{Dir: filepath.Join(state, "offline"), Seeds: seeds})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	secrets, err := transit.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, secrets.Close()) })
	environ := enginetest.Environment(state, account.Providers())
	maps.Copy(environ, secrets.Environ())
	env := os.Environ()
	for key, value := range environ {
		env = append(env, key+"="+value)
	}
	if _, err := exec.LookPath("pulumi-language-go"); err != nil {
		host, err := gohost.Serve(programs)
		require.NoError(t, err)
		t.Cleanup(host.Close)
		env = append(env, "PULUMI_DEBUG_LANGUAGES="+host.Languages())
		t.Log("pulumi-language-go is not on PATH: a stand-in runs the program")
	}
	home := filepath.Join(state, "home")
	require.NoError(t, engine.HomeWithoutLogs(home))
	env = append(env, "PULUMI_HOME="+home)
	return &Project{t: t, Dir: dir, Env: env, Path: enginetest.EnginePath(t)}
}

// Init creates the project's stack demo.
func (p *Project) Init() {
	p.t.Helper()
	p.Pulumi("stack", "init", "demo", "--secrets-provider", transit.Provider)
}

// Pulumi runs the engine in the project.
func (p *Project) Pulumi(args ...string) {
	p.t.Helper()
	command := exec.Command(p.Path, append(args, "--non-interactive", "--color=never")...)
	command.Dir, command.Env = p.Dir, p.Env
	output, err := command.CombinedOutput()
	require.NoError(p.t, err, "pulumi %s:\n%s", strings.Join(args, " "), output)
}
