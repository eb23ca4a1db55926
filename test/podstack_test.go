package test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	runtimehost "github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/lease"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pulumishim"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	killing "github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/selfcheck"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
)

const (
	// inAgent in the environment makes this test binary run "up", "preview", "destroy" or "destroy one" on a stack of the working directory by the Automation API, as
	// the agent of the Pulumi Kubernetes Operator does in a pod. It exits with 4 if the stack is locked.
	inAgent = "HYPERSHIFT_AWS_TEST_IN_AGENT"
	// inStack in the environment is the name of that stack, "" for test.
	inStack = "HYPERSHIFT_AWS_TEST_IN_STACK"
	// podAccount in the environment is the folder of a project whose accounts in memory are AWS for the program in front of the engine.
	podAccount = "HYPERSHIFT_AWS_TEST_POD_ACCOUNT"
)

// runFront runs the program in front of the engine. Its environment is AWS, or an account in memory outside of the pod.
func runFront() int {
	system := pulumishim.Process()
	if account := os.Getenv(podAccount); account != "" {
		system.Timing = lease.Timing{Beat: 100 * time.Millisecond, Fence: time.Minute, Dead: 2 * time.Second}
		system.Environment = func(o environment.Options) (workspace.Environment, error) {
			outside, err := projects.Open(account)
			if err != nil {
				return nil, err
			}
			memory, err := sandbox.InMemory(environment.Options{Project: outside, Environ: o.Environ})
			pod := bucketEnvironment{memory, o.Environ, o.Project}
			if o.Environ.Get("AWS_ENDPOINT_URL_KMS") != "" {
				return cloudEnvironment{pod}, err
			}
			return pod, err
		}
	}
	return pulumishim.Run(system, os.Args[1:])
}

// cloudEnvironment is an environment in memory with its states in a bucket, whose secrets a KMS key encrypts.
type cloudEnvironment struct{ bucketEnvironment }

func (e cloudEnvironment) MakeWorkDir(stack string) (string, error) {
	return e.journals.MakeWorkDir(stack)
}

// programInPod returns the program of stacks whose management cluster is one in memory, in the folder of a project. The files that a config names are
// relative to dir, "" for the folder of the engine's project.
func programInPod(account, dir string) pulumi.RunFunc {
	open := func(k config.Kubeconfig) (selfcheck.Cluster, error) {
		outside, err := projects.Open(account)
		if err != nil {
			return nil, err
		}
		return inmemory.OpenCluster(outside.OfflineDir(), k.File, k.Context, os.Environ())
	}
	return func(ctx *pulumi.Context) error {
		options := selfcheck.Options(ctx, open)
		options.Dir = dir
		return options.Run(ctx)
	}
}

// runAgent makes the calls of the operator's agent for an operation, and returns an exit code.
func runAgent(operation string) int {
	ctx := context.Background()
	err := func() error {
		workspace, err := auto.NewLocalWorkspace(ctx, auto.WorkDir("."), auto.SecretsProvider(transit.Provider))
		if err != nil {
			return err
		}
		stack, err := auto.UpsertStack(ctx, cmp.Or(os.Getenv(inStack), "test"), workspace)
		if err != nil {
			return err
		}
		if operation == "preview" {
			_, err = stack.Preview(ctx, optpreview.UserAgent("pulumi-kubernetes-operator/test"), optpreview.Diff(),
				optpreview.ErrorProgressStreams(os.Stderr), optpreview.ProgressStreams(os.Stderr), optpreview.EventStreams(follow()))
			return err
		}
		if operation == "destroy one" {
			_, err = stack.Destroy(ctx, optdestroy.Target([]string{"urn:pulumi:test::hypershift-aws::aws:ec2/instance:Instance::network-bastion"}))
			return err
		}
		if operation == "destroy" {
			_, err = stack.Destroy(ctx, optdestroy.Refresh(), optdestroy.RunProgram(true), optdestroy.EventStreams(follow()))
			return err
		}
		_, err = stack.Up(ctx, optup.UserAgent("pulumi-kubernetes-operator/test"), optup.SuppressOutputs(), optup.SuppressProgress(), optup.EventStreams(follow()))
		return err
	}()
	switch {
	case err == nil:
		return 0
	case auto.IsConcurrentUpdateError(err):
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// podStack is a stack that pods update. The account and the state are outside of the pods.
type podStack struct {
	*cliStack
	env []string
	// cloud has the state in a bucket, below prefix; nil for a state in a folder.
	cloud  *cloudState
	prefix string
	// pod is the folder of the present pod, and agent its process.
	pod   string
	agent atomic.Int64
}

// newPodStack returns a stack without a state. The account calls kill as the rehearsal says.
func newPodStack(t *testing.T, rehearsal string, kill func(*podStack)) *podStack {
	t.Helper()
	return newPodStackOf(t, clusterConfig{access: hypershift.Public, nat: network.Single, zones: zoneNames(1)}.String(), rehearsal, kill)
}

// newPodStackOf is newPodStack for the stack of a file.
func newPodStackOf(t *testing.T, text, rehearsal string, kill func(*podStack)) *podStack {
	t.Helper()
	s := &podStack{cliStack: cliStackAt(t, t.TempDir())}
	s.configure(text)
	require.NoError(t, os.MkdirAll(filepath.Join(s.offlineDir(), "state"), 0o700))
	file, err := stacks.LoadFile(s.dir, "test")
	require.NoError(t, err)
	options := offline.Options{Dir: s.offlineDir(), Seeds: seedsIn(file), Killer: func(killing.Process, killing.Signal) { kill(s) }}
	options.Rehearsal, err = offline.ReadRehearsal(rehearsal)
	require.NoError(t, err)
	account, err := offline.Serve(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	secrets, err := transit.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, secrets.Close()) })
	for _, variables := range []map[string]string{enginetest.Environment(filepath.Join(s.offlineDir(), "state"), account.Providers()), secrets.Environ()} {
		for name, value := range variables {
			s.env = append(s.env, name+"="+value)
		}
	}
	s.env = writtenForKills(append(s.env, podAccount+"="+s.dir), rehearsal)
	s.newPod()
	return s
}

// newCloudPodStack is newPodStack with a state in a bucket.
func newCloudPodStack(t *testing.T, cloud *cloudState, prefix, rehearsal string, kill func(*podStack)) *podStack {
	t.Helper()
	s := newPodStack(t, rehearsal, kill)
	s.cloud, s.prefix = cloud, prefix
	for _, variable := range cloud.env {
		if !strings.HasPrefix(variable, "AWS_ENDPOINT_URL_KMS=") { // the secrets are encrypted as in a folder
			s.env = append(s.env, strings.Replace(variable, "s3://"+stateBucket, "s3://"+stateBucket+"/"+prefix, 1))
		}
	}
	return s
}

// look copies a state in a bucket to the folder in which the methods of a cliStack read it.
func (s *podStack) look() {
	s.t.Helper()
	if s.cloud == nil {
		return
	}
	folder := filepath.Join(s.offlineDir(), "state")
	require.NoError(s.t, os.RemoveAll(folder))
	for _, key := range s.cloud.keys(s.prefix + "/") {
		path := filepath.Join(folder, strings.TrimPrefix(key, s.prefix))
		require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(s.t, os.WriteFile(path, []byte(s.cloud.object(key)), 0o600))
	}
}

// newPod replaces the pod by another one, which has none of its files.
func (s *podStack) newPod() {
	s.t.Helper()
	if s.pod != "" {
		// What was killed may still be writing.
		require.Eventually(s.t, func() bool { return os.RemoveAll(s.pod) == nil }, time.Minute, 50*time.Millisecond)
	}
	s.pod = s.t.TempDir()
	for _, dir := range []string{"bin", "project", "home", "tmp"} {
		require.NoError(s.t, os.Mkdir(filepath.Join(s.pod, dir), 0o700))
	}
	for _, name := range []string{engine.Executable, runtimehost.Executable} {
		require.NoError(s.t, os.Symlink(executable(s.t), filepath.Join(s.pod, "bin", name)))
	}
	s.writeFile("Pulumi.yaml", "name: hypershift-aws\nruntime: hypershift-aws\n")
	if text, err := os.ReadFile(filepath.Join(s.dir, "Pulumi.test.yaml")); !errors.Is(err, fs.ErrNotExist) {
		require.NoError(s.t, err)
		s.writeFile("Pulumi.test.yaml", string(text))
	}
}

// writeFile writes a file of the project in the pod.
func (s *podStack) writeFile(name, content string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(filepath.Join(s.pod, "project", name), []byte(content), 0o600))
}

// update has the agent of the pod update the stack.
func (s *podStack) update() (stderr string, code int) { return s.operate("up") }

// operate has the agent of the pod run an operation on the stack.
func (s *podStack) operate(operation string) (stderr string, code int) {
	s.t.Helper()
	var errs bytes.Buffer
	agent := exec.Command(executable(s.t))
	agent.Dir, agent.Stderr = filepath.Join(s.pod, "project"), &errs
	agent.WaitDelay = time.Minute // what the agent leaves running has its output
	agent.Env = append(s.environ(), inAgent+"="+operation)
	require.NoError(s.t, agent.Start())
	s.agent.Store(int64(agent.Process.Pid))
	_ = agent.Wait() // its code says how it ended
	return errs.String(), agent.ProcessState.ExitCode()
}

// environ returns the environment of the pod's agent.
func (s *podStack) environ() []string {
	return append(append(os.Environ(), s.env...), "HOME="+filepath.Join(s.pod, "home"), "PULUMI_HOME="+filepath.Join(s.pod, "home", ".pulumi"),
		"TMPDIR="+filepath.Join(s.pod, "tmp"),
		"PATH="+filepath.Join(s.pod, "bin")+string(os.PathListSeparator)+filepath.Dir(enginetest.EnginePath(s.t)))
}

// finish updates the stack until that succeeds. It reports false if the update stops at candidates that only the user can decide about.
func (s *podStack) finish() bool {
	s.t.Helper()
	for range 100 {
		stderr, code := s.update()
		switch code {
		case 0:
			return true
		case 4:
			time.Sleep(100 * time.Millisecond)
		default:
			require.Contains(s.t, stderr, "--take ID")
			s.t.Log(stderr)
			return false
		}
	}
	s.t.Fatal("the stack stays locked")
	return false
}

// children returns the processes that a process has started.
func children(parent int) []int {
	var found []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			found = append(found, id)
		}
	}
	return found
}

// tree returns a process and all that it has started, itself or by another.
func tree(process int) []int {
	all := []int{process}
	for _, child := range children(process) {
		all = append(all, tree(child)...)
	}
	return all
}

// kill kills a victim: the engine, the program in front of it, the agent, or the pod, with all of them.
func (s *podStack) kill(victim string) {
	agent := int(s.agent.Load())
	switch victim {
	case "agent":
		_ = syscall.Kill(agent, syscall.SIGKILL)
		return
	case "pod":
		for _, id := range tree(agent) {
			_ = syscall.Kill(id, syscall.SIGKILL)
		}
		return
	}
	for _, front := range children(agent) {
		if victim == "front" {
			_ = syscall.Kill(front, syscall.SIGKILL)
			continue
		}
		for _, engine := range children(front) {
			_ = syscall.Kill(engine, syscall.SIGKILL)
		}
	}
}

// marks returns what is left beside the state of runs.
func (s *podStack) marks() []string {
	s.t.Helper()
	s.look()
	var found []string
	err := filepath.WalkDir(filepath.Join(s.offlineDir(), "state", ".hypershift-aws"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && (filepath.Base(filepath.Dir(path)) == "runs" || entry.Name() == "under-way.jsonl") {
			found = append(found, path)
		}
		return err
	})
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(s.t, err)
	}
	return found
}

// elsewhere changes the mark of the last run to that of another machine, on which nothing can be proved about its processes.
func (s *podStack) elsewhere() {
	s.t.Helper()
	for _, path := range s.marks() {
		if filepath.Base(filepath.Dir(path)) != "runs" {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(s.t, err)
		var mark map[string]any
		require.NoError(s.t, json.Unmarshal(text, &mark))
		mark["process"].(map[string]any)["boot"] = "another machine"
		text, err = json.Marshal(mark)
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(path, text, 0o600))
		if s.cloud != nil {
			key, err := filepath.Rel(filepath.Join(s.offlineDir(), "state"), path)
			require.NoError(s.t, err)
			s.cloud.write(s.prefix+"/"+filepath.ToSlash(key), text)
		}
	}
}
