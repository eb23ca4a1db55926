package recovery

import (
	"bytes"
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

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/cloudstate"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// bucketStack is a stack whose state is in a bucket, on two machines that share its account.
type bucketStack struct {
	t       *testing.T
	cloud   *cloudstate.Bucket
	machine [2]string
	env     []string
	// prefix is that of the state's objects in the bucket.
	prefix string
}

func newBucketStack(t *testing.T, cloud *cloudstate.Bucket, prefix string) *bucketStack {
	t.Helper()
	s := &bucketStack{t: t, cloud: cloud, prefix: prefix}
	for i := range s.machine {
		s.machine[i] = t.TempDir()
		text := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}.String()
		require.NoError(t, os.WriteFile(filepath.Join(s.machine[i], "Pulumi.test.yaml"), []byte(text), 0o600))
	}
	path := filepath.Dir(enginetest.EnginePath(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	backend := strings.Replace(cloud.Backend, "s3://"+cloudstate.BucketName, "s3://"+cloudstate.BucketName+"/"+prefix, 1)
	s.env = append(append(os.Environ(), cloud.Env...), "PATH="+path, "PULUMI_SKIP_CHECKPOINTS=true",
		"PULUMI_BACKEND_URL="+backend)
	return s
}

// run runs an operation on one of the machines.
func (s *bucketStack) run(on int, name string, env ...string) (stderr string, code int) {
	s.t.Helper()
	command := exec.Command(harness.Executable(s.t))
	var errs bytes.Buffer
	command.Dir, command.Stderr = s.machine[0], &errs
	command.Env = append(append(slices.Clone(s.env), cloudstate.Operation+"="+name), env...)
	for _, rehearsal := range env {
		command.Env = harness.WrittenForKills(command.Env, rehearsal)
	}
	if on > 0 {
		command.Env = append(command.Env, cloudstate.Machine+"="+s.machine[on])
	}
	var exit *exec.ExitError
	if err := command.Run(); !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	return errs.String(), command.ProcessState.ExitCode()
}

// finish runs `up` until it succeeds, on the machine that had the last interrupted update or on the other. It reports
// false if it stops at candidates that only the user can decide about. All processes have ended, so a lock is released.
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
	for _, r := range harness.Settled(s.t, []byte(s.cloud.Object(s.prefix+"/.pulumi/stacks/hypershift-aws/test.json"))) {
		if r.Custom && !strings.HasPrefix(string(r.Type), "pulumi:") {
			recorded = append(recorded, string(r.Type)+" "+string(r.ID))
		}
	}
	for _, r := range harness.MadeIn(s.t, filepath.Join(s.machine[0], ".hypershift-aws", "offline")) {
		held = append(held, r.Type+" "+r.ID)
	}
	require.ElementsMatch(s.t, recorded, held, "the state, and the account")
}

// TestTwoProcessesOnOneStateInABucketLoseNothingThroughAWSsAPI runs two updates of one stack at the same time and kills
// each at one of its calls, twice, with the lock of the dead released in between. Another update then finishes: the
// state has all resources of the account.
func TestTwoProcessesOnOneStateInABucketLoseNothingThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud := cloudstate.NewBucket(t)
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
						faults := fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: 0.0005, faults: [{call: %d, kill: %s}]}",
							call+process+round, victim)
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
