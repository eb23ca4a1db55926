// Package podstack runs stacks as pods of the Pulumi Kubernetes Operator do: each run in a folder of its own, by the
// program in front of the engine.
package podstack

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
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
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
	"github.com/hypershift-aws/hypershift-aws/test/automationtest"
	"github.com/hypershift-aws/hypershift-aws/test/cloudstate"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

const (
	// InAgent in the environment makes the program of tests run "up", "preview", "destroy" or "destroy one" on a stack of
	// the working directory by the Automation API, as the agent of the Pulumi Kubernetes Operator does in a pod. It exits
	// with 4 if the stack is locked.
	InAgent = "HYPERSHIFT_AWS_TEST_IN_AGENT"
	// InStack in the environment is the name of that stack, "" for test.
	InStack = "HYPERSHIFT_AWS_TEST_IN_STACK"
	// PodAccount in the environment is the folder of a project whose accounts in memory are AWS for the program in front
	// of the engine.
	PodAccount = "HYPERSHIFT_AWS_TEST_POD_ACCOUNT"
)

// RunFront runs the program in front of the engine. Its environment is AWS, or an account in memory outside of the pod.
func RunFront() int {
	system := pulumishim.Process()
	if account := os.Getenv(PodAccount); account != "" {
		system.Timing = lease.Timing{Beat: 100 * time.Millisecond, Fence: time.Minute, Dead: 2 * time.Second}
		system.Environment = func(o environment.Options) (workspace.Environment, error) {
			outside, err := project.Open(account)
			if err != nil {
				return nil, err
			}
			memory, err := sandbox.InMemory(environment.Options{Project: outside, Environ: o.Environ})
			pod := cloudstate.Environment{Environment: memory, Process: o.Environ, Journals: o.Project}
			if o.Environ.Get("AWS_ENDPOINT_URL_KMS") != "" {
				return cloudEnvironment{pod}, err
			}
			return pod, err
		}
		system.Open = func(o automation.ProjectOptions, e workspace.Environment) (*automation.Project, error) {
			return automation.Open(automationtest.WithEnvironment(o, e))
		}
	}
	return pulumishim.Run(system, os.Args[1:])
}

// cloudEnvironment is an environment in memory with its states in a bucket, whose secrets a KMS key encrypts.
type cloudEnvironment struct{ cloudstate.Environment }

func (e cloudEnvironment) MakeWorkDir(stack string) (project.WorkDir, error) {
	return e.Journals.MakeWorkDir(stack)
}

// ProgramInPod returns the program of stacks whose management cluster is one in memory, in the folder of a project. The
// files that a config names are relative to dir, "" for the folder of the engine's project.
func ProgramInPod(account, dir string) pulumi.RunFunc {
	open := func(k config.Kubeconfig) (selfcheck.Cluster, error) {
		outside, err := project.Open(account)
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

// RunAgent makes the calls of the operator's agent for an operation, and returns an exit code.
func RunAgent(operation string) int {
	ctx := context.Background()
	err := func() error {
		workspace, err := auto.NewLocalWorkspace(ctx, auto.WorkDir("."), auto.SecretsProvider(transit.Provider))
		if err != nil {
			return err
		}
		stack, err := auto.UpsertStack(ctx, cmp.Or(os.Getenv(InStack), "test"), workspace)
		if err != nil {
			return err
		}
		if operation == "preview" {
			_, err = stack.Preview(ctx, optpreview.UserAgent("pulumi-kubernetes-operator/test"), optpreview.Diff(),
				optpreview.ErrorProgressStreams(os.Stderr), optpreview.ProgressStreams(os.Stderr),
				optpreview.EventStreams(Events()))
			return err
		}
		if operation == "destroy one" {
			_, err = stack.Destroy(ctx, optdestroy.Target(
				[]string{"urn:pulumi:test::hypershift-aws::aws:ec2/instance:Instance::network-bastion"},
			))
			return err
		}
		if operation == "destroy" {
			_, err = stack.Destroy(ctx, optdestroy.Refresh(), optdestroy.RunProgram(true), optdestroy.EventStreams(Events()))
			return err
		}
		options := []optup.Option{optup.UserAgent("pulumi-kubernetes-operator/test"), optup.SuppressOutputs(),
			optup.SuppressProgress(), optup.EventStreams(Events())}
		switch operation {
		case "up refresh":
			options = append(options, optup.Refresh())
		case "up replace":
			options = append(options, optup.Replace([]string{"urn:pulumi:test::hypershift-aws::aws:ec2/vpc:Vpc::network-vpc"}))
		case "up other file":
			options = append(options, optup.ConfigFile("other.yaml"))
		}
		_, err = stack.Up(ctx, options...)
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

// Stack is a stack that pods update. The account and the state are outside of the pods.
type Stack struct {
	*harness.Stack
	Env []string
	// cloud has the state in a bucket, below prefix; nil for a state in a folder.
	cloud  *cloudstate.Bucket
	prefix string
	// Pod is the folder of the present pod, and agent its process.
	Pod   string
	agent atomic.Int64
}

// New returns a stack without a state. The account calls kill as the rehearsal says.
func New(t *testing.T, rehearsal string, kill func(*Stack)) *Stack {
	t.Helper()
	return NewOf(t, stackfile.Cluster{
		Access: hypershift.Public,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(1),
	}.String(), rehearsal, kill)
}

// NewOf is New for the stack of a file.
func NewOf(t *testing.T, text, rehearsal string, kill func(*Stack)) *Stack {
	t.Helper()
	s := &Stack{Stack: harness.StackAt(t, t.TempDir())}
	s.Configure(text)
	require.NoError(t, os.MkdirAll(filepath.Join(s.OfflineDir(), "state"), 0o700))
	file, err := stacks.LoadFile(s.Dir, "test")
	require.NoError(t, err)
	options := offline.Options{
		Dir:    s.OfflineDir(),
		Seeds:  stackfile.SeedsIn(file),
		Killer: func(killing.Process, killing.Signal) { kill(s) },
	}
	options.Rehearsal, err = offline.ReadRehearsal(rehearsal)
	require.NoError(t, err)
	account, err := offline.Serve(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	secrets, err := transit.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, secrets.Close()) })
	for _, variables := range []map[string]string{enginetest.Environment(filepath.Join(s.OfflineDir(), "state"),
		account.Providers()), secrets.Environ()} {
		for name, value := range variables {
			s.Env = append(s.Env, name+"="+value)
		}
	}
	s.Env = harness.WrittenForKills(append(s.Env, PodAccount+"="+s.Dir), rehearsal)
	s.NewPod()
	return s
}

// NewInBucket is New with a state in a bucket.
func NewInBucket(t *testing.T, cloud *cloudstate.Bucket, prefix, rehearsal string, kill func(*Stack)) *Stack {
	t.Helper()
	s := New(t, rehearsal, kill)
	s.cloud, s.prefix = cloud, prefix
	for _, variable := range cloud.Env {
		if !strings.HasPrefix(variable, "AWS_ENDPOINT_URL_KMS=") { // the secrets are encrypted as in a folder
			s.Env = append(s.Env, strings.Replace(variable, "s3://"+cloudstate.BucketName,
				"s3://"+cloudstate.BucketName+"/"+prefix, 1))
		}
	}
	return s
}

// look copies a state in a bucket to the folder in which the methods of harness.Stack read it.
func (s *Stack) look() {
	s.T.Helper()
	if s.cloud == nil {
		return
	}
	folder := filepath.Join(s.OfflineDir(), "state")
	require.NoError(s.T, os.RemoveAll(folder))
	for _, key := range s.cloud.Keys(s.prefix + "/") {
		path := filepath.Join(folder, strings.TrimPrefix(key, s.prefix))
		require.NoError(s.T, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(s.T, os.WriteFile(path, []byte(s.cloud.Object(key)), 0o600))
	}
}

// NewPod replaces the pod by another one, which has none of its files.
func (s *Stack) NewPod() {
	s.T.Helper()
	if s.Pod != "" {
		// What was killed may still be writing.
		require.Eventually(s.T, func() bool { return os.RemoveAll(s.Pod) == nil }, time.Minute, 50*time.Millisecond)
	}
	s.Pod = s.T.TempDir()
	for _, dir := range []string{"bin", "project", "home", "tmp"} {
		require.NoError(s.T, os.Mkdir(filepath.Join(s.Pod, dir), 0o700))
	}
	for _, name := range []string{engine.Executable, runtimehost.Executable} {
		require.NoError(s.T, os.Symlink(harness.Executable(s.T), filepath.Join(s.Pod, "bin", name)))
	}
	s.WriteFile("Pulumi.yaml", "name: hypershift-aws\nruntime: hypershift-aws\n")
	if text, err := os.ReadFile(filepath.Join(s.Dir, "Pulumi.test.yaml")); !errors.Is(err, fs.ErrNotExist) {
		require.NoError(s.T, err)
		s.WriteFile("Pulumi.test.yaml", string(text))
	}
}

// WriteFile writes a file of the project in the pod.
func (s *Stack) WriteFile(name, content string) {
	s.T.Helper()
	require.NoError(s.T, os.WriteFile(filepath.Join(s.Pod, "project", name), []byte(content), 0o600))
}

// Update has the agent of the pod update the stack.
func (s *Stack) Update() (stderr string, code int) { return s.Operate("up") }

// Operate has the agent of the pod run an operation on the stack.
func (s *Stack) Operate(operation string) (stderr string, code int) {
	s.T.Helper()
	var errs bytes.Buffer
	agent := exec.Command(harness.Executable(s.T))
	agent.Dir, agent.Stderr = filepath.Join(s.Pod, "project"), &errs
	agent.WaitDelay = time.Minute // what the agent leaves running has its output
	agent.Env = append(s.Environ(), InAgent+"="+operation)
	require.NoError(s.T, agent.Start())
	s.agent.Store(int64(agent.Process.Pid))
	_ = agent.Wait() // its code says how it ended
	return errs.String(), agent.ProcessState.ExitCode()
}

// Environ returns the environment of the pod's agent.
func (s *Stack) Environ() []string {
	return append(append(os.Environ(), s.Env...), "HOME="+filepath.Join(s.Pod, "home"),
		"PULUMI_HOME="+filepath.Join(s.Pod, "home", ".pulumi"),
		"TMPDIR="+filepath.Join(s.Pod, "tmp"),
		"PATH="+filepath.Join(s.Pod, "bin")+string(os.PathListSeparator)+filepath.Dir(enginetest.EnginePath(s.T)))
}

// Finish updates the stack until that succeeds. It reports false if the update stops at candidates that only the user
// can decide about.
func (s *Stack) Finish() bool {
	s.T.Helper()
	for range 100 {
		stderr, code := s.Update()
		switch code {
		case 0:
			return true
		case 4:
			time.Sleep(100 * time.Millisecond)
		default:
			require.Contains(s.T, stderr, "--take ID")
			s.T.Log(stderr)
			return false
		}
	}
	s.T.Fatal("the stack stays locked")
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
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && len(fields) > 1 &&
			string(fields[1]) == strconv.Itoa(parent) {
			found = append(found, id)
		}
	}
	return found
}

// Tree returns a process and all that it has started, itself or by another.
func Tree(process int) []int {
	all := []int{process}
	for _, child := range children(process) {
		all = append(all, Tree(child)...)
	}
	return all
}

// Kill kills a victim: the engine, the program in front of it, the agent, or the pod, with all of them.
func (s *Stack) Kill(victim string) {
	agent := int(s.agent.Load())
	switch victim {
	case "agent":
		_ = syscall.Kill(agent, syscall.SIGKILL)
		return
	case "pod":
		for _, id := range Tree(agent) {
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

// Marks returns what is left beside the state of runs.
func (s *Stack) Marks() []string {
	s.T.Helper()
	s.look()
	var found []string
	err := filepath.WalkDir(filepath.Join(s.OfflineDir(), "state", ".hypershift-aws"),
		func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && (filepath.Base(filepath.Dir(path)) == "runs" ||
				entry.Name() == "under-way.jsonl") {
				found = append(found, path)
			}
			return err
		})
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(s.T, err)
	}
	return found
}

// Elsewhere changes the mark of the last run to that of another machine, on which nothing can be proved about its
// processes.
func (s *Stack) Elsewhere() {
	s.T.Helper()
	for _, path := range s.Marks() {
		if filepath.Base(filepath.Dir(path)) != "runs" {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(s.T, err)
		var mark map[string]any
		require.NoError(s.T, json.Unmarshal(text, &mark))
		mark["process"].(map[string]any)["boot"] = "another machine"
		text, err = json.Marshal(mark)
		require.NoError(s.T, err)
		require.NoError(s.T, os.WriteFile(path, text, 0o600))
		if s.cloud != nil {
			key, err := filepath.Rel(filepath.Join(s.OfflineDir(), "state"), path)
			require.NoError(s.T, err)
			s.cloud.Write(s.prefix+"/"+filepath.ToSlash(key), text)
		}
	}
}

// Events returns a channel that discards the events of an operation, which the agent would read.
func Events() chan events.EngineEvent {
	stream := make(chan events.EngineEvent)
	go func() {
		for range stream {
		}
	}()
	return stream
}
