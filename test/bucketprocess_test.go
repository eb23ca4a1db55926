package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// inBucket in the environment makes this test binary run one operation on stack test of the working directory: "up", "changes" or "cancel". The
// accounts are in memory, and the state is in the backend of PULUMI_BACKEND_URL. The process exits as the CLI does.
const inBucket = "HYPERSHIFT_AWS_TEST_IN_BUCKET"

// machine in the environment is the project's folder on another machine, whose journals the process uses; "" for the working directory's.
const machine = "HYPERSHIFT_AWS_TEST_MACHINE"

// bucketEnvironment is an environment in memory with its states in a bucket.
type bucketEnvironment struct {
	workspace.Environment
	environ engine.Environ
	// journals is the project whose working folders are used.
	journals *projects.Project
}

func (e bucketEnvironment) Backend() engine.Backend {
	return engine.Backend{URL: e.environ.Get("PULUMI_BACKEND_URL")}
}

func (e bucketEnvironment) MakeWorkDir(stack string) (string, error) {
	return e.journals.MakeOfflineWorkDir(stack)
}

func (e bucketEnvironment) Environ() engine.Environ {
	environ := e.Environment.Environ()
	for _, name := range []string{"PULUMI_BACKEND_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_KMS"} {
		if value := e.environ.Get(name); value != "" {
			environ = environ.With(name, value)
		}
	}
	return environ
}

// errChanges is that of "changes" if the plan has some.
var errChanges = errors.New("the plan has changes")

// runInBucket runs an operation and returns its exit code.
func runInBucket(name string) int {
	err := operateInBucket(context.Background(), name)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	var known *failure.Error
	if errors.As(err, &known) {
		fmt.Fprintln(os.Stderr, known.Remedy)
	}
	switch {
	case errors.Is(err, errChanges):
		return 3
	case failure.ReasonOf(err) == failure.Conflict:
		return 4
	case failure.ReasonOf(err) == failure.Refused:
		return 2
	}
	return 1
}

func operateInBucket(ctx context.Context, name string) error {
	in, err := projects.Open(".")
	if err != nil {
		return err
	}
	journals := in
	if other := os.Getenv(machine); other != "" {
		if journals, err = projects.Open(other); err != nil {
			return err
		}
	}
	environ := engine.Environ(os.Environ())
	interrupts := engine.WatchInterrupts()
	defer interrupts.Close()
	memory, err := sandbox.InMemory(environment.Options{Project: in, Environ: environ, Interrupts: interrupts})
	if err != nil {
		return err
	}
	defer func() { _ = memory.Close() }()
	found, err := engine.Find(ctx, engine.Search{Environ: environ})
	if err != nil {
		return err
	}
	session := &workspace.Session{
		Copies:  run.Copies,
		Project: in, Engine: found, Environ: environ, Environment: bucketEnvironment{memory, environ, journals}, Interrupts: interrupts,
		Report: func(e report.Event) { fmt.Fprintln(os.Stderr, e) },
	}
	file, err := in.LoadStack("test")
	if err != nil {
		return err
	}
	stack, err := run.Open(ctx, session, "test", file, run.MayCreate)
	if err != nil {
		return err
	}
	defer stack.Stack.Close()
	if name == "cancel" {
		return run.Cancel(ctx, stack.Stack)
	}
	if _, err := stack.Recovery.Recover(ctx); err != nil {
		return err
	}
	planned, err := stack.Engine.Preview(ctx)
	if err != nil {
		return err
	}
	if name == "changes" {
		if planned.HasChanges {
			return errChanges
		}
		return nil
	}
	_, err = stack.Engine.Up(ctx)
	return err
}

// bucketStack is a stack whose state is in a bucket, on two machines that share its account.
type bucketStack struct {
	t       *testing.T
	cloud   *cloudState
	machine [2]string
	env     []string
	// prefix is that of the state's objects in the bucket.
	prefix string
}

func newBucketStack(t *testing.T, cloud *cloudState, prefix string) *bucketStack {
	t.Helper()
	s := &bucketStack{t: t, cloud: cloud, prefix: prefix}
	for i := range s.machine {
		s.machine[i] = t.TempDir()
		text := clusterConfig{access: hypershift.Public, nat: network.Single, zones: zoneNames(1)}.String()
		require.NoError(t, os.WriteFile(filepath.Join(s.machine[i], "Pulumi.test.yaml"), []byte(text), 0o600))
	}
	path := filepath.Dir(enginetest.EnginePath(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	backend := strings.Replace(cloud.backend, "s3://"+stateBucket, "s3://"+stateBucket+"/"+prefix, 1)
	s.env = append(append(os.Environ(), cloud.env...), "PATH="+path, "PULUMI_SKIP_CHECKPOINTS=true", "PULUMI_BACKEND_URL="+backend)
	return s
}

// run runs an operation on one of the machines.
func (s *bucketStack) run(on int, name string, env ...string) (stderr string, code int) {
	s.t.Helper()
	command := exec.Command(executable(s.t))
	var errs bytes.Buffer
	command.Dir, command.Stderr = s.machine[0], &errs
	command.Env = append(append(slices.Clone(s.env), inBucket+"="+name), env...)
	for _, rehearsal := range env {
		command.Env = writtenForKills(command.Env, rehearsal)
	}
	if on > 0 {
		command.Env = append(command.Env, machine+"="+s.machine[on])
	}
	var exit *exec.ExitError
	if err := command.Run(); !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	return errs.String(), command.ProcessState.ExitCode()
}

// finish runs `up` until it succeeds, on the machine that had the last interrupted update or on the other. It reports false if it stops at
// candidates that only the user can decide about. All processes have ended, so a lock is released.
func (s *bucketStack) finish() bool {
	s.t.Helper()
	stopped := map[int]bool{}
	for attempt := 0; attempt < 40 && len(stopped) < len(s.machine); attempt++ {
		on := len(stopped)
		stderr, code := s.run(on, "up")
		switch code {
		case 0:
			return true
		case 4:
			s.run(on, "cancel")
			time.Sleep(100 * time.Millisecond)
		default:
			require.Equal(s.t, 2, code, stderr)
			require.Contains(s.t, stderr, "--take ID")
			s.t.Log(stderr)
			stopped[on] = true
		}
	}
	require.Len(s.t, stopped, len(s.machine), "the stack stays locked")
	return false
}

// requireTrue requires that the state in the bucket has exactly the resources of the account.
func (s *bucketStack) requireTrue() {
	s.t.Helper()
	var recorded, held []string
	for _, r := range settled(s.t, []byte(s.cloud.object(s.prefix+"/.pulumi/stacks/hypershift-aws/test.json"))) {
		if r.Custom && !strings.HasPrefix(string(r.Type), "pulumi:") {
			recorded = append(recorded, string(r.Type)+" "+string(r.ID))
		}
	}
	for _, r := range madeIn(s.t, filepath.Join(s.machine[0], ".hypershift-aws", "offline")) {
		held = append(held, r.Type+" "+r.ID)
	}
	require.ElementsMatch(s.t, recorded, held, "the state, and the account")
}

// TestTwoProcessesOnOneStateInABucketLoseNothingThroughAWSsAPI runs two updates of one stack at the same time and kills each at one of its calls, twice, with
// the lock of the dead released in between. Another update then finishes: the state has all resources of the account.
func TestTwoProcessesOnOneStateInABucketLoseNothingThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud := newCloudState(t)
	const calls = 48 // a first update of the stack has some more
	var stopped, cases atomic.Int32
	t.Cleanup(func() {
		t.Logf("%d pairs of processes on one state in a bucket, of which %d stopped at candidates", cases.Load(), stopped.Load())
	})
	tried := sizes.Pick(1, calls)
	for i := range tried {
		call := 3 + i*calls/tried
		for other, of := range sizes.Pick([]string{"one-machine"}, []string{"one-machine", "two-machines"}) {
			victim := []string{"engine", "both"}[(i+other)%2]
			name := fmt.Sprintf("%s-%s-%d", of, victim, call)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newBucketStack(t, cloud, name)
				for round := range 2 {
					var together sync.WaitGroup
					for process := range 2 {
						faults := fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: 0.0005, faults: [{call: %d, kill: %s}]}", call+process+round, victim)
						together.Go(func() { s.run(process*other, "up", faults) })
					}
					together.Wait()
					for process := range 1 + other {
						s.run(process, "cancel")
					}
				}
				cases.Add(1)
				if !s.finish() {
					stopped.Add(1)
					return
				}
				s.requireTrue()
				stderr, code := s.run(0, "changes")
				require.Zero(t, code, stderr)
			})
		}
	}
}
