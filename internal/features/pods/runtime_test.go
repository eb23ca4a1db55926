package pods_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/image"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/podstack"
	"github.com/hypershift-aws/hypershift-aws/test/race"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// podUser is the user of the operator's workspace pods.
const podUser = 1000

// pod is a file system with the engine, the language host and a project, in which commands run as in a workspace pod of
// the Pulumi Kubernetes Operator: with no Go toolchain, as podUser. Where the test may not change its root or its user,
// commands see the machine's files, but no program except the two on PATH.
type pod struct {
	t    *testing.T
	root string
	env  []string
	// own is true if the pod has its own root, and asUser if commands run as podUser.
	own, asUser bool
	// programs and project are the folders of the programs and of the project.
	programs, project string
	// alone runs the engine without the program in front of it.
	alone   bool
	version semver.Version
}

var _ auto.PulumiCommand = (*pod)(nil)

// newPod returns a pod with the engine and an empty project.
func newPod(t *testing.T) *pod {
	t.Helper()
	p := emptyPod(t, "bin", "project")
	p.copyProgram(enginetest.EnginePath(t), "bin/pulumi")
	for _, dir := range []string{"project", "state", "home", "tmp"} {
		require.NoError(t, os.MkdirAll(filepath.Join(p.root, dir), 0o755))
	}
	p.setenv(map[string]string{
		"PATH":        p.inside("bin"),
		"HOME":        p.inside("home"),
		"PULUMI_HOME": p.inside("home/.pulumi"),
		"TMPDIR":      p.inside("tmp"),
	})
	return p
}

// emptyPod returns a pod with what the kubelet and the base of an image provide.
func emptyPod(t *testing.T, programs, project string) *pod {
	t.Helper()
	p := &pod{
		t: t, root: t.TempDir(), own: os.Geteuid() == 0,
		asUser: os.Geteuid() == 0 && os.Getenv(inOwnNetwork) != networkAsUser, programs: programs, project: project,
	}
	p.version = enginetest.Engine(t).Version()
	for _, dir := range []string{"dev", "etc", "proc"} {
		require.NoError(t, os.MkdirAll(filepath.Join(p.root, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.root, "dev", "null"), nil, 0o600))
	require.NoError(t, os.Chmod(filepath.Join(p.root, "dev", "null"), 0o666))
	// as the kubelet writes it
	require.NoError(t, os.WriteFile(filepath.Join(p.root, "etc", "hosts"), []byte("127.0.0.1 localhost\n"), 0o644))
	passwd := "operator:x:1000:1000::/home:/bin/false\nroot:x:0:0::/home:/bin/false\n"
	require.NoError(t, os.WriteFile(filepath.Join(p.root, "etc", "passwd"), []byte(passwd), 0o644))
	if !p.own {
		t.Log("not run by root: the file system is not changed")
	}
	if !p.asUser {
		t.Log("not run by root: the user stays the same")
	}
	return p
}

// inside returns how a command in the pod names a path.
func (p *pod) inside(path string) string {
	if p.own {
		return "/" + path
	}
	return filepath.Join(p.root, path)
}

func (p *pod) setenv(environ map[string]string) {
	for key, value := range environ {
		p.env = append(p.env, key+"="+value)
	}
}

// handOver changes the owner of the files in a folder to the user of the pod.
func (p *pod) handOver(folder string) {
	p.t.Helper()
	if !p.asUser {
		return
	}
	require.NoError(p.t, filepath.WalkDir(filepath.Join(p.root, folder),
		func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, podUser, podUser)
		}))
}

// command returns a program of the pod, to run in its project.
func (p *pod) command(program string, args ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(p.root, p.programs, program), args...)
	command.Dir, command.Env = filepath.Join(p.root, p.project), slices.Clone(p.env)
	if p.own {
		path := filepath.Join("/", p.programs, program)
		command.Path, command.Args[0], command.Dir = path, path, filepath.Join("/", p.project)
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: p.root}
	}
	if p.asUser {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: podUser, Gid: podUser}
	}
	return command
}

// withPlugins returns the options of an image with files in the place of the plugins: the accounts in memory replace
// the providers.
func withPlugins(t *testing.T) image.Options {
	t.Helper()
	o := image.Options{
		Binary:     harness.Executable(t),
		EnginePath: enginetest.EnginePath(t),
		Project:    "hypershift-aws",
		Plugins:    t.TempDir(),
	}
	var err error
	o.Providers, err = image.ProvidersOf(o.Binary)
	require.NoError(t, err)
	for _, provider := range o.Providers {
		dir := filepath.Join(o.Plugins, fmt.Sprintf("resource-%s-%s", provider.Name, provider.Version))
		require.NoError(t, os.Mkdir(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "pulumi-resource-"+provider.Name), nil, 0o755))
	}
	return o
}

// runtimePod returns a pod with the image that package image assembles, whose project is that of an example. In it,
// only the workspace can be written. The state is in the workspace.
func runtimePod(t *testing.T, example string) *pod {
	t.Helper()
	p := emptyPod(t, image.Programs, image.Program)
	require.NoError(t, image.Assemble(p.root, withPlugins(t)))
	p.copyLibraries(harness.Executable(t))
	p.copyLibraries(enginetest.EnginePath(t))
	require.NoError(t, os.Mkdir(filepath.Join(p.root, image.Workspace, "state"), 0o755))
	p.copyFile(filepath.Join(stackfile.CopyOf(t, example), "Pulumi.demo.yaml"),
		filepath.Join(image.Program, "Pulumi.demo.yaml"))
	p.setenv(map[string]string{
		"PATH": p.inside(image.Programs), "HOME": p.inside(image.Home), "PULUMI_HOME": p.inside(image.Home + "/.pulumi"),
		"TMPDIR": p.inside(image.Temporary),
	})

	account, err := offline.Serve(offline.Options{
		Dir:   filepath.Join(t.TempDir(), "offline"),
		Seeds: stackfile.SeedsOf(t, example),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	secrets, err := transit.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, secrets.Close()) })
	p.setenv(enginetest.Environment(p.inside(image.Workspace+"/state"), account.Providers()))
	p.setenv(secrets.Environ())
	p.handOver(image.Workspace)
	p.readOnly(image.Workspace)
	return p
}

// readOnly makes all files read-only except a folder, if the test has its own mounts.
func (p *pod) readOnly(except string) {
	p.t.Helper()
	if os.Getenv(inOwnNetwork) == "" || !p.own {
		p.t.Log("NOT TESTED: that only the workspace is written: the kernel refuses a namespace of mounts")
		return
	}
	unmount, err := mountReadOnly(p.root, except)
	require.NoError(p.t, err)
	p.t.Cleanup(unmount)
	require.ErrorContains(p.t, os.WriteFile(filepath.Join(p.root, image.Programs, "x"), nil, 0o600),
		"read-only file system")
}

// copyProgram copies a program and, if the pod has its own root, the libraries that it is linked with.
func (p *pod) copyProgram(from, to string) {
	p.t.Helper()
	p.copyFile(from, to)
	p.copyLibraries(from)
}

// copyLibraries copies the libraries that a program is linked with, if the pod has its own root.
func (p *pod) copyLibraries(from string) {
	p.t.Helper()
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
	in, err := os.Open(from)
	require.NoError(p.t, err)
	defer func() { _ = in.Close() }()
	p.write(in, to)
}

func (p *pod) write(in io.Reader, to string) {
	p.t.Helper()
	to = filepath.Join(p.root, to)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(to), 0o755))
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755) //nolint:gosec // a program
	require.NoError(p.t, err)
	_, err = io.Copy(out, in)
	require.NoError(p.t, err)
	require.NoError(p.t, out.Close())
}

// Run implements auto.PulumiCommand: the Automation API runs the engine in the pod.
func (p *pod) Run(
	_ context.Context, _ string, stdin io.Reader, outs, errs []io.Writer, environ []string, args ...string,
) (stdout, stderr string, code int, err error) {
	var out, errOut strings.Builder
	command := p.command("pulumi", append(args, "--non-interactive")...)
	if p.alone {
		command.Path = p.inside(image.Engine)
	}
	command.Env, command.Stdin = append(command.Env, environ...), stdin
	command.Stdout, command.Stderr = io.MultiWriter(append(outs, &out)...), io.MultiWriter(append(errs, &errOut)...)
	p.t.Logf("pulumi %s", strings.Join(args, " "))
	err = command.Run()
	return out.String(), errOut.String(), command.ProcessState.ExitCode(), err
}

// Version implements auto.PulumiCommand.
func (p *pod) Version() semver.Version { return p.version }

// The calls of the Automation API, their options and their order are those of the agent of the Pulumi Kubernetes
// Operator in a workspace pod (agent/cmd/serve.go and agent/pkg/server/server.go of that project).
func TestTheEngineRunsStacksWithoutAGoToolchainAndWithoutNetwork(t *testing.T) {
	t.Parallel()
	race.SkipEngine(t)
	if runInOwnNetwork(t) {
		return
	}
	ctx := t.Context()
	p := runtimePod(t, "public")
	agent := "pulumi-kubernetes-operator/test"
	workspace, err := auto.NewLocalWorkspace(ctx, auto.WorkDir(filepath.Join(p.root, p.project)), auto.Pulumi(p))
	require.NoError(t, err)
	require.NoError(t, workspace.Install(ctx, &auto.InstallOptions{}))
	stack, err := auto.UpsertStack(ctx, "demo", workspace)
	require.NoError(t, err)
	require.NoError(t, stack.ChangeSecretsProvider(ctx, transit.Provider, &auto.ChangeSecretsProviderOptions{}))
	_, err = workspace.WhoAmIDetails(ctx)
	require.NoError(t, err)
	summary, err := workspace.Stack(ctx)
	require.NoError(t, err)
	require.Equal(t, "demo", summary.Name)
	require.NoError(t, stack.SetAllConfigWithOptions(ctx, auto.ConfigMap{`aws:["region"]`: {Value: "us-east-1"}}, &auto.ConfigOptions{Path: true}))

	preview, err := stack.Preview(ctx, optpreview.UserAgent(agent), optpreview.Diff(),
		optpreview.EventStreams(podstack.Events()))
	require.NoError(t, err)
	require.Positive(t, preview.ChangeSummary[apitype.OpCreate])
	up, err := stack.Up(ctx, optup.UserAgent(agent), optup.SuppressProgress(), optup.Diff(), optup.Refresh(),
		optup.EventStreams(podstack.Events()))
	require.NoError(t, err)
	require.Equal(t, "succeeded", up.Summary.Result)
	require.NotEmpty(t, up.Outputs["infraID"].Value)
	_, err = stack.Preview(ctx, optpreview.UserAgent(agent), optpreview.ExpectNoChanges(),
		optpreview.EventStreams(podstack.Events()))
	require.NoError(t, err)
	_, err = stack.Refresh(ctx, optrefresh.UserAgent(agent), optrefresh.ExpectNoChanges(),
		optrefresh.EventStreams(podstack.Events()))
	require.NoError(t, err)
	// The engine alone refuses a destroy or, with runProgram, the program does. With the program in front of it, the gates
	// decide.
	destroy := func(options ...optdestroy.Option) error {
		_, err := stack.Destroy(ctx, append(options, optdestroy.UserAgent(agent), optdestroy.Remove(),
			optdestroy.EventStreams(podstack.Events()))...)
		return err
	}
	p.alone = true
	require.ErrorContains(t, destroy(optdestroy.Refresh()),
		"You must run with the `--run-program` flag to use delete hooks during destroy")
	require.ErrorContains(t, destroy(optdestroy.RunProgram(true)),
		"may be alive: the stack has no management cluster that could be asked")
	p.alone = false
	if sizes.All() {
		_, err = stack.Preview(ctx, optpreview.UserAgent(agent), optpreview.ExpectNoChanges(),
			optpreview.EventStreams(podstack.Events()))
		require.NoError(t, err)
	}
	require.NoError(t, destroy(optdestroy.RunProgram(true)))
	stacks, err := workspace.ListStacks(ctx)
	require.NoError(t, err)
	require.Empty(t, stacks)
}
