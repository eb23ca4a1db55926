package conformance

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// aesKey returns the nth key, of 32 bytes.
func aesKey(n int) []byte { return fmt.Appendf(nil, "%032d", n) }

// rotatingStack is a stack whose hosted cluster has an AES key, and the operators of its management cluster.
type rotatingStack struct {
	*harness.Stack
	operators *keyOperators
	// keyFile has the key that the stack's file refers to.
	keyFile string
	// kills and steps count the runs that were killed and the steps of the operators.
	kills, steps int
}

// newRotatingStack creates the hosted cluster, whose API server has 1,000 Secrets. From then on the test's operators
// run instead of the offline ones.
func newRotatingStack(t *testing.T) *rotatingStack {
	t.Helper()
	e := &rotatingStack{Stack: harness.StackAt(t, t.TempDir()), keyFile: filepath.Join(t.TempDir(), "etcd.key")}
	e.wantKey(0)
	config := stackfile.Cluster{
		Access: hypershift.Public,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(1),
		More:   stackfile.HostedCluster(t, "      etcdKey: "+e.keyFile+"\n"),
	}.String()
	e.Configure(strings.NewReplacer(stackfile.KMSKeyARN, "none", "4.19.0", "4.22.0").Replace(config))
	e.Run("--offline", "up", "--yes")
	clusters, err := offline.Clusters(e.OfflineDir())
	require.NoError(t, err)
	require.Len(t, clusters, 1)
	t.Cleanup(func() { require.NoError(t, clusters[0].Close()) })
	o := &keyOperators{
		t:             t,
		management:    clusters[0],
		copies:        map[string][]byte{},
		configuration: encryptionConfiguration(aesKey(0)),
	}
	o.ownSecret = o.secret
	operators, err := o.management.Operators()
	require.NoError(t, err)
	operators.Killed = true
	require.NoError(t, o.management.SetOperators(operators))
	o.server = startKeyed(t, o.configuration)
	o.server.write(1000)
	require.NoError(t, o.server.judge())
	e.operators = o
	return e
}

func (e *rotatingStack) wantKey(n int) {
	e.T.Helper()
	require.NoError(e.T, os.WriteFile(e.keyFile, []byte(base64.StdEncoding.EncodeToString(aesKey(n))), 0o600))
}

// advance lets the operators do their next step, after which all Secrets must be readable, and writes more of them. It
// reports whether there was a step.
func (e *rotatingStack) advance() bool {
	e.T.Helper()
	step, err := e.operators.step()
	require.NoError(e.T, err)
	require.NoError(e.T, e.operators.server.judge(), "after: %s", step)
	if step == "" {
		return false
	}
	e.steps++
	e.T.Log(step)
	e.operators.server.write(10)
	return true
}

// upKilled runs up, which is killed before or after its nth call, and reports whether it was.
func (e *rotatingStack) upKilled(n int, victim, when string) bool {
	e.T.Helper()
	for {
		stdout, stderr, code := e.With(fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: %d, kill: %s, when: %s}]}",
			n, victim, when)).
			Exit("--offline", "up", "--yes")
		switch code {
		case 4: // the engine of a killed program still runs
		case 0:
			return false
		case 2:
			require.Fail(e.T, "up was refused", "%s%s", stdout, stderr)
		default:
			e.T.Logf("up, killing %s %s call %d: exit code %d", victim, when, n, code)
			e.kills++
			require.NoError(e.T, e.operators.server.judge(), "after a killed up")
			return true
		}
	}
}

// progress returns what up has changed so far: the HostedCluster's keys, and their Secrets.
func (e *rotatingStack) progress() string {
	e.T.Helper()
	secrets, err := e.operators.management.List("Secret", "clusters")
	require.NoError(e.T, err)
	return fmt.Sprint(e.operators.hostedCluster().Object("spec").Object("secretEncryption"), len(secrets))
}

// rotated reports whether the stack and the operators have completed the rotation to the nth key.
func (e *rotatingStack) rotated(n int) bool {
	e.T.Helper()
	aescbc := e.operators.hostedCluster().Object("spec").Object("secretEncryption").Object("aescbc")
	active, backup := aescbc.String("activeKey", "name"), aescbc.String("backupKey", "name")
	if backup != "" || string(e.operators.secret(active)) != string(aesKey(n)) {
		return false
	}
	_, _, code := e.Exit("--offline", "preview", "--expect-no-changes")
	return code == 0
}

// TestSecretsStayReadableWhileARealAPIServersKeyIsRotatedAndEachRunIsKilled rotates the key of a hosted cluster whose
// API server is real. up is killed before and after each of its calls, and after each of these the operators do one
// step. In the second rotation a third key is requested while data is encrypted again.
func TestSecretsStayReadableWhileARealAPIServersKeyIsRotatedAndEachRunIsKilled(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the rotation of a key with a real API server and etcd, which make conformance builds and starts")
	}
	e := newRotatingStack(t)
	victims := []string{"both", "engine", "cli"}
	rotate := func(last int, each func()) {
		for round := 0; ; round++ {
			require.Less(t, round, 40, "the rotation to key %d does not end", last)
			for call := 1; e.upKilled(call, victims[(round+call)%len(victims)], "before"); call++ {
				was := e.progress()
				if e.upKilled(call, victims[round%len(victims)], "after") && e.progress() != was {
					call = 0 // the next run has one call less
				}
				e.advance()
			}
			each()
			if !e.advance() && e.rotated(last) {
				return
			}
		}
	}
	e.wantKey(1)
	rotate(1, func() {})
	e.wantKey(2)
	rotate(3, func() {
		if e.operators.left != nil {
			e.wantKey(3)
		}
	})
	require.Equal(t, map[string]int{
		keyName(aesKey(3)): len(e.operators.server.written),
	}, e.operators.server.encryptedWith())
	require.Equal(t, encryptionConfiguration(aesKey(3)), e.operators.server.running)
	require.GreaterOrEqual(t, e.kills, 24, "a rotation is a new Secret, two updates of the HostedCluster and a deletion, each killed before and after")
	t.Logf("%d Secrets, %d killed runs, %d steps of the operators", len(e.operators.server.written), e.kills, e.steps)
}

// The judge of the rotation convicts each order that drops a key too early, and acquits the right one.
func TestSecretsOfARealAPIServerAreLostIfAKeyIsDroppedOneStepEarly(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: a key that is dropped too early, with a real API server and etcd, which make conformance builds and starts")
	}
	s := startKeyed(t, encryptionConfiguration(aesKey(0)))
	s.write(1000)
	require.NoError(t, s.judge())
	for n, c := range []struct {
		name string
		// between are the configurations before the one without the former key, as the keys that write and read.
		between [][2]int
		// again is how many Secrets are encrypted again before that.
		again int
	}{
		{"the configuration that reads the new key is left out, and the encryption of data", nil, 0},
		{"the new key reads, and never writes", [][2]int{{0, 1}}, 0},
		{"the new key writes, and no data is encrypted again", [][2]int{{0, 1}, {1, 0}}, 0},
		{"all data but one Secret is encrypted again", [][2]int{{0, 1}, {1, 0}}, 999},
	} {
		former, next := aesKey(n), aesKey(n+1)
		keys := [][]byte{former, next}
		for _, both := range c.between {
			s.restart(encryptionConfiguration(keys[both[0]], keys[both[1]]))
			require.NoError(t, s.judge(), c.name)
		}
		require.NoError(t, s.encryptAgain(s.names()[:c.again]), c.name)
		s.restart(encryptionConfiguration(next))
		require.Error(t, s.judge(), "%s: the former key is dropped, and all Secrets can be read", c.name)
		s.restart(encryptionConfiguration(next, former))
		require.NoError(t, s.judge(), c.name)
		require.NoError(t, s.encryptAgain(s.names()), c.name)
		s.restart(encryptionConfiguration(next))
		require.NoError(t, s.judge(), "%s: in the right order", c.name)
		require.Equal(t, map[string]int{keyName(next): len(s.written)}, s.encryptedWith(), c.name)
	}
}

// What this project's stages prevent: HyperShift's rules lose data, or stop, if a stack does otherwise.
func TestARealAPIServersSecretsNeedTheStagesOfTheStack(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: an order of changes that HyperShift cannot follow, with a real API server and etcd, which make conformance builds and starts")
	}
	e := newRotatingStack(t)
	e.wantKey(1)
	e.Run("--offline", "up", "--yes")
	former := e.operators.hostedCluster().Object("spec").Object("secretEncryption").Object("aescbc").String("backupKey",
		"name")
	require.NotEmpty(t, former)
	e.operators.ownSecret = func(name string) []byte { // the former Secret is deleted while the HostedCluster mentions it
		if name == former {
			return nil
		}
		return e.operators.secret(name)
	}
	_, err := e.operators.step()
	require.ErrorContains(t, err, "failed to get backupKey aescbc secret "+former)

	e.operators.ownSecret = e.operators.secret
	for step := "begin"; step != ""; {
		step, err = e.operators.step()
		require.NoError(t, err)
		require.NoError(t, e.operators.server.judge(), step)
	}
	// a new content of the Secret that the HostedCluster has already
	e.operators.ownSecret = func(string) []byte { return aesKey(2) }
	for steps := 0; e.operators.server.judge() == nil; steps++ {
		require.Less(t, steps, 12, "all Secrets can be read")
		_, err := e.operators.step()
		require.NoError(t, err)
	}
}
