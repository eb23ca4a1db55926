package offline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rehearse is an instance in us-east-1 on a server of its own that rehearses what the settings say.
func rehearse(t *testing.T, settings string) *engine {
	t.Helper()
	r, err := ReadRehearsal(settings)
	require.NoError(t, err)
	return attach(t, serve(t, Options{Rehearsal: r}), props{"region": "us-east-1"})
}

func TestTheSettingsOfARehearsalAreRefusedAllAtOnce(t *testing.T) {
	t.Parallel()
	_, err := ReadRehearsal(`{scale: -1, quotas: {cows: 1}, throttle: {EC2: {burst: 0}}, faults: [{call: 1, from: 2}, {call: 1}, {call: 1, kill: all}]}`)
	for _, says := range []string{"scale and settle cannot be negative", "quotas.cows: there is no such quota", "throttle.EC2: burst",
		"faults[0]: give either call or from", "faults[1]: give code or kill", `faults[2]: kill: "all" is none`} {
		require.ErrorContains(t, err, says)
	}
	_, err = ReadRehearsal(`{unheard: of}`)
	require.ErrorContains(t, err, "unheard")

	path := filepath.Join(t.TempDir(), "rehearsal.yaml")
	require.NoError(t, os.WriteFile(path, []byte("scale: 0.5\n"), 0o600))
	r, err := ReadRehearsal(path)
	require.NoError(t, err)
	require.InDelta(t, 53, r.CreationSeconds(natToken), 0.001)
	r, err = ReadRehearsal("")
	require.NoError(t, err)
	require.Zero(t, r.CreationSeconds(natToken))
}

func TestTheNthCallFailsAndTheOthersDoNot(t *testing.T) {
	t.Parallel()
	e := rehearse(t, `{faults: [{call: 2, code: UnauthorizedOperation, message: You are not authorized.}]}`)
	in := props{"cidrBlock": "10.0.0.0/16"}
	e.id(vpcToken, in)
	_, _, err := e.try(vpcToken, in, false)
	refused(t, err, "UnauthorizedOperation")
	e.id(vpcToken, in)
}

func TestFromTheNthCallOnAllFail(t *testing.T) {
	t.Parallel()
	e := rehearse(t, `{faults: [{from: 2, code: ExpiredToken}]}`)
	id := e.vpc()
	refused(t, e.delete(vpcToken, id), "ExpiredToken")
	refused(t, e.delete(vpcToken, id), "ExpiredToken")
}

// recordingKiller notes what would have been killed, and how many VPCs the account held by then.
type recordingKiller struct {
	vpcs  func() int
	notes []string
}

func (k *recordingKiller) Kill(process, signal string) {
	k.notes = append(k.notes, fmt.Sprintf("%s %s %d", process, signal, k.vpcs()))
}

func TestAProcessIsKilledBeforeOrAfterTheCallTakesEffect(t *testing.T) {
	t.Parallel()
	r, err := ReadRehearsal(`{faults: [{call: 1, kill: engine, when: before}, {call: 1, kill: cli, signal: TERM}]}`)
	require.NoError(t, err)
	dir := t.TempDir()
	recorded := &recordingKiller{vpcs: func() int {
		files, _ := filepath.Glob(filepath.Join(dir, "accounts", "*", "us-east-1", "ec2.Vpc", "*.json"))
		return len(files)
	}}
	e := attach(t, serve(t, Options{Dir: dir, Rehearsal: r, Killer: recorded}), props{"region": "us-east-1"})
	e.vpc()
	require.Equal(t, []string{"engine KILL 0", "cli TERM 1"}, recorded.notes)
}

func TestAThrottledCallIsTriedAgainAndGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	for service, code := range map[string]string{"EC2": "RequestLimitExceeded", "IAM": "Throttling"} {
		var waits []time.Duration
		s := newStage(Rehearsal{Throttle: map[string]Bucket{service: {Burst: 1, PerSecond: 1}}}, nil)
		now := time.Unix(0, 0)
		s.now, s.sleep = func() time.Time { return now }, func(d time.Duration) { waits = append(waits, d) }
		s.buckets[service] = newBucket(s.Throttle[service], now)
		call := func() error {
			return s.play(operation{service: service}, func() (string, error) { return "", nil })
		}
		require.NoError(t, call())
		require.ErrorContains(t, call(), code)
		require.Len(t, waits, throttleAttempts)
		require.True(t, slices.IsSorted(waits))
		now = now.Add(time.Second)
		require.NoError(t, call(), "a second brings a call")
	}
}

func TestWhatIsNewIsNotSeenAtOnceAndTheProviderAsksAgain(t *testing.T) {
	t.Parallel()
	s := newStage(Rehearsal{Scale: 1, Settle: 8}, nil)
	now := time.Unix(0, 0)
	s.now, s.sleep = func() time.Time { return now }, func(d time.Duration) { now = now.Add(d) }
	require.NoError(t, s.play(operation{token: "x", creates: true}, func() (string, error) { return "vpc-1", nil }))
	now = time.Unix(1, 0)
	s.born["vpc-1"] = now
	asked := 0
	require.NoError(t, s.play(operation{}, func() (string, error) {
		asked++
		if s.hides("vpc-1") {
			return "", notYet(refuse("InvalidVpcID.NotFound", "The vpc ID does not exist"))
		}
		return "", nil
	}))
	require.Equal(t, 5, asked)
}

func TestACreationLastsAsLongAsAWSTakes(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	slept := map[string]time.Duration{}
	for _, token := range []string{vpcToken, natToken, zoneToken, subnetToken} {
		s := newStage(Rehearsal{Scale: 0.1, Seconds: map[string]float64{subnetToken: 30}}, nil)
		s.sleep = func(d time.Duration) { mu.Lock(); slept[token] += d; mu.Unlock() }
		for _, creates := range []bool{true, false} {
			require.NoError(t, s.play(operation{token: token, creates: creates}, func() (string, error) { return "", nil }))
		}
	}
	require.Equal(t, map[string]time.Duration{vpcToken: 1500 * time.Millisecond, natToken: 10600 * time.Millisecond,
		zoneToken: 7 * time.Second, subnetToken: 3 * time.Second}, slept)
}

func TestARehearsalSaysHowTheOperatorsBehaveFromThenOn(t *testing.T) {
	t.Parallel()
	_, err := ReadRehearsal("{operators: {scale: -1}}")
	require.ErrorContains(t, err, "operators: scale and patience cannot be negative")
	r, err := ReadRehearsal("{operators: {scale: 0.5, killed: true}}")
	require.NoError(t, err)
	dir := t.TempDir()
	attachTo(t, serve(t, Options{Dir: dir, Rehearsal: r}), "kubernetes", props{})
	attachTo(t, serve(t, Options{Dir: dir}), "kubernetes", props{})
	cluster, err := OpenCluster(dir, "", "")
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Close()) }()
	how, err := cluster.Operators()
	require.NoError(t, err)
	require.Equal(t, Operators{Scale: 0.5, Killed: true}, how)
}
