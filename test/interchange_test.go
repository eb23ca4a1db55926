package test

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
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/gohost"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// project is a folder in which plain `pulumi` runs, with its state in a folder beside it.
type project struct {
	t    *testing.T
	dir  string
	env  []string
	path string
}

// pulumiProject prepares plain `pulumi` for a copy of the config in dir: with pulumi-language-go if that is on PATH,
// otherwise with package gohost.
func pulumiProject(t *testing.T, dir, state string, seeds []offline.Seed) *project {
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
	return &project{t: t, dir: dir, env: env, path: enginetest.EnginePath(t)}
}

// init creates the project's stack demo.
func (p *project) init() {
	p.t.Helper()
	p.pulumi("stack", "init", "demo", "--secrets-provider", transit.Provider)
}

// pulumi runs the engine in the project.
func (p *project) pulumi(args ...string) {
	p.t.Helper()
	command := exec.Command(p.path, append(args, "--non-interactive", "--color=never")...)
	command.Dir, command.Env = p.dir, p.env
	output, err := command.CombinedOutput()
	require.NoError(p.t, err, "pulumi %s:\n%s", strings.Join(args, " "), output)
}

func TestTheCLIAndPulumiPreviewEachOthersStacksWithoutChanges(t *testing.T) {
	t.Parallel()
	for _, first := range sizes.First(1, []string{"hypershift-aws", "pulumi"}) {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			p := pulumiProject(t, withProgram(t, "public-and-private"), state, seedsOf(t, "public-and-private"))
			c := newCLI(t, p.dir, p.env...)
			if first == "pulumi" {
				p.init()
				p.pulumi("up", "--yes", "--skip-preview")
				c.run("preview", "--expect-no-changes")
				c.run("destroy", "--yes")
			} else {
				c.run("up", "--yes")
				p.pulumi("preview", "--expect-no-changes", "--stack", "demo")
				p.pulumi("config", "set", "--path", config.ClusterKey+".unprotected", "true", "--stack", "demo")
				p.pulumi("destroy", "--yes", "--skip-preview", "--run-program", "--stack", "demo")
			}
			require.Empty(t, madeIn(t, filepath.Join(state, "offline")))
		})
	}
}
