package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// recorder is an Observer, and the operation: stacks end as it says.
type recorder struct {
	mu     sync.Mutex
	events []string
	// outcomes are how stacks end, in the order of attempts; the last one stays. Default: success.
	outcomes map[string][]fleetrun.Outcome
	// most is how many were in progress at once, and of one account.
	now, most  int
	perAccount map[string]int
	mostOfOne  int
	// gate, where it is set, is received from by each operation before it ends.
	gate chan struct{}
}

func (r *recorder) Started(job *fleetrun.Job) { r.events = append(r.events, "+"+job.ID) }
func (r *recorder) Ended(job *fleetrun.Job, _ fleetrun.Outcome) {
	r.events = append(r.events, "-"+job.ID)
}
func (r *recorder) Note(sentence string) { r.events = append(r.events, sentence) }

func (r *recorder) operate(job *fleetrun.Job) fleetrun.Outcome {
	r.mu.Lock()
	if r.perAccount == nil {
		r.perAccount = map[string]int{}
	}
	r.now++
	r.perAccount[job.Account]++
	r.most, r.mostOfOne = max(r.most, r.now), max(r.mostOfOne, r.perAccount[job.Account])
	r.mu.Unlock()
	if r.gate != nil {
		<-r.gate
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now--
	r.perAccount[job.Account]--
	list := r.outcomes[job.ID]
	if len(list) == 0 {
		return fleetrun.Outcome{Status: fleetrun.Succeeded}
	}
	if len(list) > 1 {
		r.outcomes[job.ID] = list[1:]
	}
	return list[0]
}

// do runs the stacks and returns how each ended, as "name=status" in the order of names.
func (r *recorder) do(
	t *testing.T,
	members []fleetrun.Member,
	waves string,
	limits fleetrun.Limits,
	stop chan struct{},
) (string, map[*fleetrun.Job]fleetrun.Outcome) {
	t.Helper()
	parsed, err := ParseWaves(waves)
	require.NoError(t, err)
	jobs, err := Plan(members, members, parsed, false, nil)
	require.NoError(t, err)
	if limits.Parallel == 0 {
		limits.Parallel = 1
	}
	limits.PerAccount = max(limits.PerAccount, 1)
	passed := make(chan time.Time)
	close(passed)
	run := Run{
		Jobs:     jobs,
		Limits:   limits,
		Operate:  r.operate,
		Observer: r,
		Stop:     stop,
		After:    func(time.Duration) <-chan time.Time { return passed },
	}
	outcomes, err := run.Do()
	require.NoError(t, err)
	var list []string
	for job, outcome := range outcomes {
		list = append(list, job.ID+"="+string(outcome.Status))
	}
	slices.Sort(list)
	return strings.Join(list, " "), outcomes
}

func fleetOf(n int) []fleetrun.Member {
	var list []fleetrun.Member
	for i := range n {
		list = append(list, cluster(fmt.Sprintf("s%d", i), ""))
	}
	return list
}

func TestAFailureStopsTheWavesAfterItAndNothingBefore(t *testing.T) {
	t.Parallel()
	r := &recorder{outcomes: map[string][]fleetrun.Outcome{"s1": {{Status: fleetrun.Failed, Code: 1}}}}
	got, outcomes := r.do(t, fleetOf(5), "1,2,rest", fleetrun.Limits{}, nil)
	assert.Equal(t, "s0=succeeded s1=failed s2=succeeded s3=not started s4=not started", got)
	for job, outcome := range outcomes {
		if job.ID == "s4" {
			assert.Equal(t, "stack s1 of wave 2 did not succeed", outcome.Problem)
		}
	}
	assert.Equal(t, failure.Failed, Reason(outcomes))
}

func TestWithoutWavesAFailureStopsOnlyDependentStacks(t *testing.T) {
	t.Parallel()
	r := &recorder{outcomes: map[string][]fleetrun.Outcome{"m": {{Status: fleetrun.Failed, Code: 2}}}}
	got, outcomes := r.do(t, []fleetrun.Member{cluster("a", "m"), cluster("b", ""), managementStack("m")}, "",
		fleetrun.Limits{}, nil)
	assert.Equal(t, "a=not started b=succeeded m=failed", got)
	assert.Equal(t, failure.Refused, Reason(outcomes))
}

func TestNoMoreAreStartedAfterAsManyFailuresAsAllowed(t *testing.T) {
	t.Parallel()
	failed := []fleetrun.Outcome{{Status: fleetrun.Failed, Code: 1}}
	r := &recorder{outcomes: map[string][]fleetrun.Outcome{"s0": failed, "s2": failed}}
	got, _ := r.do(t, fleetOf(5), "", fleetrun.Limits{MaxFailures: 2}, nil)
	assert.Equal(t, "s0=failed s1=succeeded s2=failed s3=not started s4=not started", got)
}

func TestNoMoreStacksAreStartedWhileTooManyHaveAChangeThatContinues(t *testing.T) {
	t.Parallel()
	open := []fleetrun.Outcome{{Status: fleetrun.Succeeded, Open: true}}
	r := &recorder{outcomes: map[string][]fleetrun.Outcome{"s0": open, "s2": open}}
	got, outcomes := r.do(t, fleetOf(5), "", fleetrun.Limits{MaxOpen: 2, Parallel: 5, PerAccount: 5}, nil)
	assert.Equal(t, "s0=succeeded s1=succeeded s2=succeeded s3=not started s4=not started", got)
	assert.LessOrEqual(t, r.most, 2, "each stack in progress may begin such a change")
	for job, outcome := range outcomes {
		if job.ID == "s3" {
			assert.Equal(t, "stacks with a change that continues in stages: 2", outcome.Problem)
		}
	}
}

func TestAfterAFailureOfTheBackendNoMoreAreStarted(t *testing.T) {
	t.Parallel()
	r := &recorder{outcomes: map[string][]fleetrun.Outcome{"s1": {{Status: fleetrun.Failed, Code: 1, Backend: true}}}}
	got, _ := r.do(t, fleetOf(4), "", fleetrun.Limits{}, nil)
	assert.Equal(t, "s0=succeeded s1=failed s2=not started s3=not started", got)
}

func TestALockedStackIsTriedAgainWhenTheOthersHaveEnded(t *testing.T) {
	t.Parallel()
	locked := fleetrun.Outcome{Status: fleetrun.Locked, Code: 4}
	r := &recorder{outcomes: map[string][]fleetrun.Outcome{"s0": {locked, locked, {Status: fleetrun.Succeeded}}}}
	got, _ := r.do(t, fleetOf(2), "", fleetrun.Limits{LockWait: time.Minute}, nil)
	assert.Equal(t, "s0=succeeded s1=succeeded", got)
	const again = "locked by another update: s0; trying again"
	assert.Equal(t, []string{"+s0", "-s0", "+s1", "-s1", again, "+s0", "-s0", again, "+s0", "-s0"}, r.events)

	r = &recorder{outcomes: map[string][]fleetrun.Outcome{"m": {locked}}}
	got, outcomes := r.do(t, []fleetrun.Member{cluster("a", "m"), managementStack("m"), cluster("b", "")}, "",
		fleetrun.Limits{LockWait: 4 * time.Second}, nil)
	assert.Equal(t, "a=not started b=succeeded m=locked", got)
	assert.Equal(t, failure.Conflict, Reason(outcomes))
}

func TestAManagementStackThatWasLockedIsFollowedByItsClusters(t *testing.T) {
	t.Parallel()
	r := &recorder{
		outcomes: map[string][]fleetrun.Outcome{"m": {{Status: fleetrun.Locked, Code: 4}, {Status: fleetrun.Succeeded}}},
	}
	got, _ := r.do(t, []fleetrun.Member{cluster("a", "m"), managementStack("m")}, "",
		fleetrun.Limits{LockWait: time.Minute}, nil)
	assert.Equal(t, "a=succeeded m=succeeded", got)
}

func TestAfterASignalNoStackIsStartedAndThoseInProgressEnd(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	r := &recorder{gate: make(chan struct{})}
	done := make(chan string)
	var outcomes map[*fleetrun.Job]fleetrun.Outcome
	go func() {
		var got string
		got, outcomes = r.do(t, fleetOf(4), "", fleetrun.Limits{Parallel: 2}, stop)
		done <- got
	}()
	close(stop)
	// Operations end only after the signal; how many had begun before it is the scheduler's.
	go func() {
		for range 4 {
			r.gate <- struct{}{}
		}
	}()
	got := <-done
	assert.NotContains(t, got, "running")
	assert.Contains(t, got, "s3=not started")
	assert.Equal(t, failure.Interrupted, Reason(outcomes))
}

func TestNoMoreThanTheLimitsAreInProgress(t *testing.T) {
	t.Parallel()
	members := fleetOf(12)
	for i := range members {
		members[i].Account = fmt.Sprint(i % 2)
	}
	r := &recorder{}
	got, _ := r.do(t, members, "", fleetrun.Limits{Parallel: 5, PerAccount: 2}, nil)
	assert.Equal(t, 12, strings.Count(got, "succeeded"))
	assert.LessOrEqual(t, r.most, 4)
	assert.LessOrEqual(t, r.mostOfOne, 2)
}

func TestARunIsResumedFromTheJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	journal, err := OpenJournal(dir)
	require.NoError(t, err)
	_, err = OpenJournal(dir)
	require.Equal(t, failure.Conflict, failure.ReasonOf(err), "another run has it")
	members := fleetOf(4)
	for i := range members {
		members[i].Digest = "d"
	}
	waves, err := ParseWaves("1,rest")
	require.NoError(t, err)
	jobs, err := Plan(members, members, waves, false, nil)
	require.NoError(t, err)
	_, _, err = journal.Resume("up", true, members)
	require.ErrorContains(t, err, "there is no run to resume")
	require.NoError(t, journal.Begin("up", true, jobs))
	require.NoError(t, journal.Note(jobs[0], fleetrun.Outcome{Status: fleetrun.Succeeded, Open: true}))
	require.Equal(t, 1, journal.Open())
	members[0].Digest = "d"
	journal.Close()
	journal, err = OpenJournal(dir)
	require.NoError(t, err)
	continued, given, err := journal.Resume("up", true, members)
	require.NoError(t, err)
	require.Len(t, continued, 4)
	require.True(t, given["s0"].Open)
	require.NoError(t, journal.Note(jobs[0], fleetrun.Outcome{Status: fleetrun.Succeeded}))
	require.NoError(t, journal.Note(jobs[1], fleetrun.Outcome{Status: fleetrun.Running}))
	require.NoError(t, journal.Note(jobs[2], fleetrun.Outcome{Status: fleetrun.Succeeded}))
	journal.Close() // as the system does when the process is killed

	journal, err = OpenJournal(dir)
	require.NoError(t, err)
	defer journal.Close()
	members[2].Digest = "changed"
	open, given, err := journal.Resume("up", true, members)
	require.NoError(t, err)
	var ids []string
	for _, m := range open {
		ids = append(ids, m.ID)
	}
	assert.Equal(t, []string{"s1", "s2", "s3"}, ids, "s1 was in progress, the file of s2 has changed, s3 was not begun")
	assert.Equal(t, 2, given["s3"].Wave)
	_, _, err = journal.Resume("destroy", true, members)
	assert.ErrorContains(t, err, "the last run was `fleet up`")
	_, _, err = journal.Resume("up", false, members)
	assert.ErrorContains(t, err, "the last run was with --offline")
	_, _, err = journal.Resume("up", true, members[:1])
	assert.ErrorContains(t, err, "no longer has a file")
	path := filepath.Join(dir, "journal.json")
	for _, killed := range []string{`{"id": "s3", "status": "succ`, `{"id": "s3", "status": "succ` + "\n"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append(text, killed...), 0o600))
		open, _, err = journal.Resume("up", true, members)
		require.NoError(t, err)
		require.Len(t, open, 3, "the last line is incomplete, because the process was killed")
	}
	require.NoError(t, os.WriteFile(path, []byte(`{
 "format": 1, "operation": "up", "offline": true,
 "stacks": [{"stack": "s0", "dir": "/p", "status": "succeeded", "digest": "d"}, {"stack": "s1", "dir": "/p", "status": "running"}]
}
`), 0o600))
	open, _, err = journal.Resume("up", true, members)
	require.NoError(t, err)
	require.Len(t, open, 1, "an earlier version wrote it")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, _, err = journal.Resume("up", true, members)
	assert.ErrorContains(t, err, "is not a journal")
}

func TestAResumedDestroyFinishesWhatItBeganAndNothingThatWasMadeAgain(t *testing.T) {
	t.Parallel()
	journal, err := OpenJournal(t.TempDir())
	require.NoError(t, err)
	defer journal.Close()
	members := fleetOf(3)
	waves, err := ParseWaves("")
	require.NoError(t, err)
	jobs, err := Plan(members, members, waves, false, nil)
	require.NoError(t, err)
	require.NoError(t, journal.Begin("destroy", true, jobs))
	require.NoError(t, journal.Note(jobs[0], fleetrun.Outcome{Status: fleetrun.Succeeded}))
	require.NoError(t, journal.Note(jobs[1], fleetrun.Outcome{Status: fleetrun.Failed}))
	members[0].Digest, members[1].Digest = "edited", "edited"
	open, _, err := journal.Resume("destroy", true, members)
	require.NoError(t, err)
	require.Len(t, open, 2, "the destroy of s0 has ended")

	made := func(times ...time.Time) *state.Deployment {
		d := &state.Deployment{}
		for i := range times {
			d.Resources = append(d.Resources, &state.Resource{ResourceV3: apitype.ResourceV3{Created: &times[i]}})
		}
		return d
	}
	before, after := journal.Began.Add(-time.Minute), journal.Began.Add(time.Minute)
	require.False(t, journal.MadeAgain(nil))
	require.False(t, journal.MadeAgain(made(before)))
	require.True(t, journal.MadeAgain(made(before, after)), "what the failed destroy left was deployed again")
}

func TestAStackIsLockedAsLongAsItsProcessRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	job := &fleetrun.Job{Member: cluster("a", "")}
	program := filepath.Join(dir, "program")
	// The process that the first run leaves has inherited the lock.
	text := fmt.Sprintf(`#!/bin/sh
set -e
cd '%s'
echo '{"type":"summary","created":2}'
if [ -e again ]; then exit 0; fi
(while [ ! -e again ]; do sleep 0.02; done) >/dev/null 2>&1 &
echo '{"type":"error","problem":"it broke","code":"backend"}'
exit 1
`, dir)
	// A process that is forked meanwhile would hold the file open for writing, and Linux not run it.
	syscall.ForkLock.RLock()
	err := os.WriteFile(program, []byte(text), 0o700)
	syscall.ForkLock.RUnlock()
	require.NoError(t, err)
	p := &Processes{
		Executable: program,
		Environ:    os.Environ(),
		Dir:        filepath.Join(dir, "own"),
		Args:       func(*fleetrun.Job) []string { return nil },
	}
	first := p.Operate(job)
	assert.Equal(t, fleetrun.Failed, first.Status)
	assert.Equal(t, "it broke", first.Problem)
	assert.True(t, first.Backend)
	assert.Equal(t, 2, first.Created)
	second := p.Operate(job)
	assert.Equal(t, fleetrun.Locked, second.Status)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "again"), nil, 0o600))
	require.Eventually(t, func() bool {
		return p.Operate(job).Status == fleetrun.Succeeded
	}, time.Minute, 20*time.Millisecond)
}

func TestALineIsTaggedWithItsStack(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"type":"note","message":"m"}` + "\n": `{"type":"note","message":"m","stack":"a/b"}`,
		`{"type":"summary","stack":"a/b"}`:     `{"type":"summary","stack":"a/b"}`,
		`{"stack":"b","type":"summary"}`:       `{"stack":"a/b","type":"summary"}`,
		"panic: x":                             "",
	} {
		assert.Equal(t, want, string(Tag([]byte(line), "a/b")))
	}
}

func TestTheFirstReasonOfAStackIsItsProblem(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"type":"refusal","gate":"guard","name":"vpc","kind":"VPC","change":"replace","because":"x -> y"}`:                                    "VPC vpc would be replaced: x -> y",
		`{"type":"fault","file":"Pulumi.b.yaml","line":6,"path":"management","value":"m","problem":"is not deployed","remedy":"run it first"}`: `management: "m" is not deployed; run it first`,
		`{"type":"refusal","gate":"quotas","problem":"AWS would refuse it:\n  elastic IPs"}`:                                                   "AWS would refuse it: elastic IPs",
	} {
		var s said
		s.read([]byte(line))
		s.read([]byte(`{"type":"error","problem":"see above"}`))
		assert.Equal(t, want, s.problem)
	}
}

// TestARefusedUpdateHasChangedNothing reads what up writes if its plan is refused: the summaries of the refresh and of
// the preview, and an error.
func TestARefusedUpdateHasChangedNothing(t *testing.T) {
	t.Parallel()
	preview := `{"type":"summary","operation":"preview","stack":"b","result":"succeeded","updated":3,"replaced":13}`
	up := `{"type":"summary","operation":"up","stack":"b","result":"failed","updated":2}`
	for operation, want := range map[string][2]event.Counts{
		"up":      {{}, {Updated: 2}},
		"pause":   {{}, {Updated: 2}}, // which runs up
		"preview": {{Updated: 3, Replaced: 13}, {Updated: 3, Replaced: 13}},
	} {
		s := said{operation: operation}
		s.read([]byte(`{"type":"summary","operation":"refresh","stack":"b","result":"succeeded","updated":5}`))
		assert.Zero(t, s.counts, operation)
		s.read([]byte(preview))
		assert.Equal(t, want[0], s.counts, operation)
		s.read([]byte(up))
		assert.Equal(t, want[1], s.counts, operation)
	}
}

func TestTheTableShowsStepResourcesAndTime(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	p := NewProgress(25, func() time.Time { return now })
	a, b := &fleetrun.Job{Member: cluster("east", "")}, &fleetrun.Job{Member: cluster("west", "")}
	p.Started(b)
	p.Ended(b, fleetrun.Outcome{Status: fleetrun.Failed})
	p.Started(a)
	for _, line := range []string{
		`{"type":"resource","op":"create","name":"n","resourceType":"aws:ec2/vpc:Vpc","status":"planned"}`,
		`{"type":"resource","op":"create","name":"i","resourceType":"aws:ec2/subnet:Subnet","status":"planned"}`,
		`{"type":"resource","op":"create","name":"n","resourceType":"aws:ec2/vpc:Vpc","status":"started"}`,
		`{"type":"resource","op":"create","name":"n","resourceType":"aws:ec2/vpc:Vpc","status":"done"}`,
		`{"type":"resource","op":"create","name":"i","resourceType":"aws:ec2/subnet:Subnet","status":"started"}`, `nonsense`,
	} {
		p.Hear(a, []byte(line))
	}
	now = now.Add(75 * time.Second)
	assert.Equal(t, []string{
		"  STACK  STEP               RESOURCES  TIME",
		"  east   creating subnet i        1/2  1m15s",
		"  25 stacks: 1 failed, 1 in progress, 23 waiting",
	}, p.Rows())
	for range 22 {
		p.Started(&fleetrun.Job{Member: cluster("x", "")})
	}
	assert.Contains(t, p.Rows(), "  and 3 more")
}

func TestAtLeastOneStackIsInProgress(t *testing.T) {
	t.Parallel()
	assert.GreaterOrEqual(t, DefaultParallel(), 1)
	assert.Equal(t, int64(5<<10), memAvailable([]byte("MemTotal: 9 kB\nMemAvailable:     5 kB\n")))
}
