package test

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	runtimehost "github.com/hypershift-aws/hypershift-aws/internal/languagehost"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/transit"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
)

// podUser is the user of the operator's workspace pods.
const podUser = 1000

// pod is a file system with the engine, the language host and a project, in which commands run as in a workspace pod of the Pulumi
// Kubernetes Operator: with no Go toolchain, as podUser. Where the test may not change its root, commands see the machine's files, but
// no program beside the two on PATH.
type pod struct {
	t    *testing.T
	root string
	env  []string
	own  bool
}

// runtimePod is a pod whose project is a copy of an example's with `runtime: hypershift-aws`.
func runtimePod(t *testing.T, example string) *pod {
	t.Helper()
	p := &pod{t: t, root: t.TempDir(), own: os.Geteuid() == 0}
	p.copyProgram(enginetest.EnginePath(t), "bin/pulumi")
	p.copyProgram(executable(t), "bin/"+runtimehost.Executable)
	for _, dir := range []string{"project", "state", "home", "tmp", "dev", "etc"} {
		require.NoError(t, os.MkdirAll(filepath.Join(p.root, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.root, "dev", "null"), nil, 0o600))
	passwd := "operator:x:1000:1000::/home:/bin/false\n"
	require.NoError(t, os.WriteFile(filepath.Join(p.root, "etc", "passwd"), []byte(passwd), 0o600))
	files := copyOf(t, example)
	require.NoError(t, os.CopyFS(filepath.Join(p.root, "project"), os.DirFS(files)))
	require.NoError(t, os.WriteFile(filepath.Join(p.root, "project", "Pulumi.yaml"), []byte("name: hypershift-aws\nruntime: "+runtimehost.Runtime+"\n"), 0o600))

	account, err := offline.Serve(offline.Options{Dir: filepath.Join(t.TempDir(), "offline"), Seeds: seedsOf(t, example)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	secrets, err := transit.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, secrets.Close()) })
	inside := ""
	if !p.own {
		inside = p.root
		t.Log("not run by root: the file system is not changed, and the user stays the same")
	}
	environ := enginetest.Environment(inside+"/state", account.Providers())
	maps.Copy(environ, secrets.Environ())
	maps.Copy(environ, map[string]string{"PATH": inside + "/bin", "HOME": inside + "/home", "PULUMI_HOME": inside + "/home/.pulumi", "TMPDIR": inside + "/tmp"})
	for key, value := range environ {
		p.env = append(p.env, key+"="+value)
	}
	if p.own {
		require.NoError(t, filepath.WalkDir(p.root, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, podUser, podUser)
		}))
	}
	return p
}

// copyProgram copies a program, and where the pod has a root of its own the libraries that it is linked with.
func (p *pod) copyProgram(from, to string) {
	p.t.Helper()
	p.copyFile(from, to)
	if !p.own {
		return
	}
	libraries, _ := exec.Command("ldd", from).Output() // a static program has none, and ldd says so with exit code 1
	for _, field := range strings.Fields(string(libraries)) {
		if filepath.IsAbs(field) {
			p.copyFile(field, field)
		}
	}
}

func (p *pod) copyFile(from, to string) {
	p.t.Helper()
	to = filepath.Join(p.root, to)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(to), 0o755))
	in, err := os.Open(from)
	require.NoError(p.t, err)
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755) //nolint:gosec // a program
	require.NoError(p.t, err)
	_, err = io.Copy(out, in)
	require.NoError(p.t, err)
	require.NoError(p.t, out.Close())
}

// pulumi runs the engine as the operator's agent does, and returns its output.
func (p *pod) pulumi(args ...string) string {
	p.t.Helper()
	command := exec.Command(filepath.Join(p.root, "bin", "pulumi"), append(args, "--non-interactive", "--color=never")...)
	command.Dir, command.Env = filepath.Join(p.root, "project"), p.env
	if p.own {
		command.Path, command.Dir = "/bin/pulumi", "/project"
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: p.root, Credential: &syscall.Credential{Uid: podUser, Gid: podUser}}
	}
	output, err := command.CombinedOutput()
	require.NoError(p.t, err, "pulumi %s:\n%s", strings.Join(args, " "), output)
	return string(output)
}

// The commands are those that the agent of the Pulumi Kubernetes Operator runs in a workspace pod.
func TestTheEngineRunsStacksWithoutAGoToolchain(t *testing.T) {
	t.Parallel()
	p := runtimePod(t, "public")
	p.pulumi("install")
	p.pulumi("stack", "select", "--create", "demo", "--secrets-provider", transit.Provider)
	assert.Contains(t, p.pulumi("preview"), "hypershift-aws:network:GuestNetwork")
	p.pulumi("up", "--yes", "--skip-preview")
	p.pulumi("preview", "--expect-no-changes")
	p.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes")
	assert.Contains(t, p.pulumi("stack", "output", "--json"), `"infraID"`)
	p.pulumi("destroy", "--yes", "--skip-preview")
	assert.NotContains(t, p.pulumi("stack", "--show-ids"), "vpc-")
}
