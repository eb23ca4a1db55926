package offline

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// rehearse returns an instance in us-east-1 on a separate server with the settings.
func rehearse(t *testing.T, settings string) *engine {
	t.Helper()
	r, err := ReadRehearsal(settings)
	require.NoError(t, err)
	return attach(t, serve(t, Options{Rehearsal: r}), props.Map{"region": "us-east-1"})
}

func TestTheSettingsOfARehearsalAreRefusedAllAtOnce(t *testing.T) {
	t.Parallel()
	_, err := ReadRehearsal(`{scale: -1, quotas: {cows: 1}, throttle: {EC2: {burst: 0}}, faults: [{call: 1, from: 2}, {call: 1}, {call: 1, kill: all}], restored: {west: west}}`)
	for _, says := range []string{"scale, settle, lateTags, lateReferences and lateReads cannot be negative",
		"quotas.cows: unknown quota", "throttle.EC2: burst",
		"faults[0]: exactly one of call, from", "faults[1]: code or kill is required", `restored.west: "west" is no other management cluster`, `faults[2]: kill: "all" is not one of`} {
		require.ErrorContains(t, err, says)
	}
	_, err = ReadRehearsal(`{unheard: of}`)
	require.ErrorContains(t, err, "unheard")

	path := filepath.Join(t.TempDir(), "rehearsal.yaml")
	require.NoError(t, os.WriteFile(path, []byte("scale: 0.5\n"), 0o600))
	r, err := ReadRehearsal(path)
	require.NoError(t, err)
	require.InDelta(t, 53, r.CreationSeconds(awstype.NATGateway), 0.001)
	r, err = ReadRehearsal("")
	require.NoError(t, err)
	require.Zero(t, r.CreationSeconds(awstype.NATGateway))
}

func TestTheNthCallFailsAndTheOthersDoNot(t *testing.T) {
	t.Parallel()
	e := rehearse(t, `{faults: [{call: 2, code: UnauthorizedOperation, message: You are not authorized.}]}`)
	in := props.Map{"cidrBlock": "10.0.0.0/16"}
	e.id(awstype.VPC, in)
	_, _, err := e.try(awstype.VPC, in, false)
	refused(t, err, "UnauthorizedOperation")
	e.id(awstype.VPC, in)
}

func TestEachCallFromTheNthOnFails(t *testing.T) {
	t.Parallel()
	e := rehearse(t, `{faults: [{from: 2, code: ExpiredToken}]}`)
	id := e.vpc()
	refused(t, e.delete(awstype.VPC, id), "ExpiredToken")
	refused(t, e.delete(awstype.VPC, id), "ExpiredToken")
}

func TestAProcessIsKilledBeforeOrAfterTheCallTakesEffect(t *testing.T) {
	t.Parallel()
	r, err := ReadRehearsal(`{faults: [{call: 1, kill: engine, when: before}, {call: 1, kill: cli, signal: TERM}]}`)
	require.NoError(t, err)
	dir := t.TempDir()
	var killed []string // and how many VPCs the account had by then
	killer := func(process faults.Process, signal faults.Signal) {
		files, _ := filepath.Glob(filepath.Join(dir, "accounts", "*", "us-east-1", "ec2.Vpc", "*.json"))
		killed = append(killed, fmt.Sprintf("%s %s %d", process, signal, len(files)))
	}
	e := attach(t, serve(t, Options{Dir: dir, Rehearsal: r, Killer: killer}), props.Map{"region": "us-east-1"})
	e.vpc()
	require.Equal(t, []string{"engine KILL 0", "cli TERM 1"}, killed)
}

func TestAThrottledCallIsTriedAgainAndGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	for service, code := range map[string]string{"EC2": "RequestLimitExceeded", "IAM": "Throttling"} {
		var waits []time.Duration
		s := faults.NewRun(faults.Rehearsal{Throttle: map[string]faults.Bucket{service: {Burst: 1, PerSecond: 1}}}, nil)
		now := time.Unix(0, 0)
		s.Now, s.Sleep = func() time.Time { return now }, func(d time.Duration) { waits = append(waits, d) }
		s.Buckets[service] = faults.NewBucket(s.Throttle[service], now)
		call := func() error {
			return s.Do(faults.Operation{Service: service}, func() (string, error) { return "", nil })
		}
		require.NoError(t, call())
		require.ErrorContains(t, call(), code)
		require.Len(t, waits, faults.ThrottleAttempts)
		require.True(t, slices.IsSorted(waits))
		now = now.Add(time.Second)
		require.NoError(t, call(), "a second brings a call")
	}
}

func TestANewResourceIsNotVisibleAtOnceAndTheProviderRetries(t *testing.T) {
	t.Parallel()
	s := faults.NewRun(faults.Rehearsal{Scale: 1, Settle: 8}, nil)
	now := time.Unix(0, 0)
	s.Now, s.Sleep = func() time.Time { return now }, func(d time.Duration) { now = now.Add(d) }
	require.NoError(t, s.Do(faults.Operation{Token: "x", Creates: true}, func() (string, error) { return "vpc-1", nil }))
	now = time.Unix(1, 0)
	s.CreatedAt["vpc-1"] = now
	asked := 0
	require.NoError(t, s.Do(faults.Operation{}, func() (string, error) {
		asked++
		if s.Hides("vpc-1") {
			return "", faults.NotYetVisible(awserr.Errorf("InvalidVpcID.NotFound", "The vpc ID does not exist"))
		}
		return "", nil
	}))
	require.Equal(t, 5, asked)
}

func TestACreationLastsAsLongAsAWSTakes(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	slept := map[string]time.Duration{}
	for _, token := range []string{awstype.VPC, awstype.NATGateway, awstype.HostedZone, awstype.Subnet} {
		s := faults.NewRun(faults.Rehearsal{Scale: 0.1, Seconds: map[string]float64{awstype.Subnet: 30}}, nil)
		s.Sleep = func(d time.Duration) { mu.Lock(); slept[token] += d; mu.Unlock() }
		for _, creates := range []bool{true, false} {
			require.NoError(t, s.Do(faults.Operation{Token: token, Creates: creates}, func() (string, error) { return "", nil }))
		}
	}
	require.Equal(t, map[string]time.Duration{awstype.VPC: 1500 * time.Millisecond,
		awstype.NATGateway: 10600 * time.Millisecond,
		awstype.HostedZone: 7 * time.Second, awstype.Subnet: 3 * time.Second}, slept)
}

func TestARehearsalConfiguresTheOperatorsFromThenOn(t *testing.T) {
	t.Parallel()
	_, err := ReadRehearsal("{operators: {scale: -1}}")
	require.ErrorContains(t, err, "operators: scale and patience cannot be negative")
	r, err := ReadRehearsal("{operators: {scale: 0.5, killed: true}}")
	require.NoError(t, err)
	dir := t.TempDir()
	attachTo(t, serve(t, Options{Dir: dir, Rehearsal: r}), "kubernetes", props.Map{})
	attachTo(t, serve(t, Options{Dir: dir}), "kubernetes", props.Map{})
	cluster, err := OpenCluster(dir, "", "")
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Close()) }()
	how, err := cluster.Operators()
	require.NoError(t, err)
	require.Equal(t, faults.Operators{Scale: 0.5, Killed: true}, how)
}

func TestARehearsalDeletesResourcesOutOfBandAndRefusesMissingOnes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	attach(t, serve(t, Options{Dir: dir}), props.Map{"region": "us-east-1"}).
		create(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "tags": props.Map{"Name": "demo-vpc"}})

	_, err := Serve(Options{Dir: dir, Rehearsal: faults.Rehearsal{Deleted: []string{"demo-subnet"}}})
	require.ErrorContains(t, err, `whose ID or tag Name is "demo-subnet"`)

	var told []string
	serve(t, Options{
		Dir:       dir,
		Rehearsal: faults.Rehearsal{Deleted: []string{"demo-vpc"}},
		Tell:      func(s string) { told = append(told, s) },
	})
	accounts, err := Accounts(dir)
	require.NoError(t, err)
	require.Empty(t, accounts[0].Resources())
	require.Len(t, told, 1)
	require.Contains(t, told[0], "demo-vpc")

	serve(t, Options{
		Dir:       dir,
		Rehearsal: faults.Rehearsal{Deleted: []string{"demo-vpc"}},
		Tell:      func(s string) { told = append(told, s) },
	})
	require.Len(t, told, 1, "the next stack of a fleet finds it deleted")
}

func TestStacksOfAFleetDeleteTheSameResourceOutOfBandAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	attach(t, serve(t, Options{Dir: dir}), props.Map{"region": "us-east-1"}).
		create(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "tags": props.Map{"Name": "demo-vpc"}})
	results := make([]error, 8)
	var running sync.WaitGroup
	for i := range results {
		running.Go(func() {
			results[i] = deleteOutOfBand(dir, []string{"demo-vpc"}, func(string) {})
		})
	}
	running.Wait()
	require.NoError(t, errors.Join(results...))
	accounts, err := Accounts(dir)
	require.NoError(t, err)
	require.Empty(t, accounts[0].Resources())
}

func TestARehearsalHasThePoliciesOfTheUserWhoRunsTheStack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policies.json")
	document := func(actions ...string) string { return allowing(actions...)("")[0].JSON() + "\n" }
	require.NoError(t, os.WriteFile(path, []byte(document("ec2:Describe*",
		"ec2:CreateVpc")+document("ec2:ModifyVpcAttribute")), 0o600))
	e := rehearse(t, fmt.Sprintf("{policies: %q}", path))
	e.id(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": true})
	_, _, err := e.try(awstype.VPC, props.Map{"cidrBlock": "10.1.0.0/16", "tags": map[string]any{"a": "1"}}, false)
	require.ErrorContains(t, err, "is not authorized to perform: ec2:CreateTags")

	for text, want := range map[string]string{"": "has no policy", "{\"Statement\": 1}": "policies.json"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err = ReadRehearsal(fmt.Sprintf("{policies: %q}", path))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "use a file with what `hypershift-aws permissions` prints")
	}
	_, err = ReadRehearsal("{policies: no-such-file}")
	require.ErrorContains(t, err, "policies: open no-such-file")
}
