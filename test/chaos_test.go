package test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// attack is what a seed does: it kills something at one call of a command. The seed decides what and when; which of the
// engine's parallel calls comes to be that one is up to the machine.
type attack struct {
	command string // "up", "change" or "destroy"
	victim  string
	signal  string
	when    string
	call    int
}

func newAttack(seed uint64) attack {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // not for secrets
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	return attack{
		command: pick("up", "change", "destroy"), victim: pick("cli", "engine", "both"),
		signal: pick("KILL", "KILL", "TERM"), when: pick("before", "after"), call: 1 + r.IntN(48),
	}
}

func (a attack) environment() string {
	return fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: 0.0005, faults: [{call: %d, kill: %s, signal: %s, when: %s}]}",
		a.call, a.victim, a.signal, a.when)
}

func TestTheNextRunRecoversFromAnyKilledProcess(t *testing.T) {
	t.Parallel()
	before := createdCLIStack(t)
	base := before.dir
	after := before.copy()
	after.change()
	after.run("--offline", "up", "--yes")
	want := map[string]map[string]string{"up": before.graph(), "change": after.graph(), "destroy": {}}
	require.Greater(t, len(want["change"]), len(want["up"]))

	seeds := sizes.Seeds(2, 200)
	var stopped atomic.Int32
	t.Cleanup(func() { t.Logf("%d seeds, of which %d stopped at two candidates", len(seeds), stopped.Load()) })
	for _, seed := range seeds {
		a := newAttack(seed)
		t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("again: %s: %+v", sizes.Again(t), a)
			e := newCLIStack(t)
			if a.command != "up" {
				e = cliStackAt(t, base).copy()
			}
			command := a.command
			if command == "change" {
				e.change()
				command = "up"
			}
			e.cli.with(a.environment()).exit("--offline", command, "--yes")
			if !e.untilDecided("--offline", command, "--yes") {
				t.Log("stopped: two candidates")
				stopped.Add(1)
				return
			}
			require.Empty(t, differences(want[a.command], e.graph()), "the end state")
			e.requireTrue()
			if a.command != "destroy" {
				e.run("--offline", "up", "--yes", "--expect-no-changes")
			}
		})
	}
}

// TestTheStateOfAnUpdateInProgressIsNotRestored truncates a state's file, as an engine does while it writes it.
func TestTheStateOfAnUpdateInProgressIsNotRestored(t *testing.T) {
	t.Parallel()
	e := createdCLIStack(t)
	folder := filepath.Join(e.offlineDir(), "state", ".pulumi")
	path := filepath.Join(folder, "stacks", "hypershift-aws", "test.json")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)/2], 0o600))
	lock := filepath.Join(folder, "locks", "organization", "hypershift-aws", "test", "x.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o755))
	host, err := os.Hostname()
	require.NoError(t, err)
	held := fmt.Sprintf(`{"pid": %d, "username": "u", "hostname": %q, "timestamp": "2026-01-02T03:04:05Z"}`, os.Getpid(), host)
	require.NoError(t, os.WriteFile(lock, []byte(held), 0o600))

	_, stderr, code := e.exit("--offline", "destroy", "--yes")
	require.Equal(t, 4, code, stderr)
	require.Contains(t, stderr, fmt.Sprintf("stack test is locked by u@%s, process %d, since 2026-01-02T03:04:05Z", host, os.Getpid()))
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, whole[:len(whole)/2], now)

	// Without the lock nothing proves which copy has all resources.
	require.NoError(t, os.Remove(lock))
	for _, command := range [][]string{{"preview"}, {"destroy", "--yes"}} {
		_, stderr, code = e.exit(append([]string{"--offline"}, command...)...)
		require.Equal(t, 2, code, stderr)
		require.Contains(t, stderr, "hypershift-aws repair --restore-state")
	}
	require.NotEmpty(t, madeIn(t, e.offlineDir()))
	e.run("--offline", "repair", "--restore-state")
	e.run("--offline", "up", "--yes")
	e.requireTrue()
}

// cliStack is a project with one stack, run by the CLI offline.
type cliStack struct {
	*cli
	t *testing.T
}

func newCLIStack(t *testing.T) *cliStack {
	t.Helper()
	e := cliStackAt(t, t.TempDir())
	e.configure(clusterConfig{access: hypershift.Public, nat: network.Single, zones: zoneNames(1)}.String())
	return e
}

var cliStackOnce sync.Once

// createdCLIStack returns the stack of newCLIStack, created. The first test that asks for one creates it, and all get copies.
func createdCLIStack(t *testing.T) *cliStack {
	t.Helper()
	dir := filepath.Join(testDir, "stack")
	cliStackOnce.Do(func() {
		e := newCLIStack(t)
		e.run("--offline", "up", "--yes")
		require.NoError(t, os.CopyFS(dir, os.DirFS(e.dir)))
	})
	require.DirExists(t, dir, "the test that created the stack failed")
	return cliStackAt(t, copied(t, dir))
}

func cliStackAt(t *testing.T, dir string) *cliStack {
	t.Helper()
	return &cliStack{newCLI(t, dir), t}
}

func (e *cliStack) configure(text string) {
	e.t.Helper()
	require.NoError(e.t, os.WriteFile(filepath.Join(e.dir, "Pulumi.test.yaml"), []byte(text), 0o600))
}

// change applies a change that creates, updates and deletes resources.
func (e *cliStack) change() {
	e.t.Helper()
	text := clusterConfig{access: hypershift.PublicAndPrivate, nat: network.PerZone, zones: zoneNames(2)}.String()
	e.configure(strings.Replace(strings.Replace(text, "platform", "other", 1), "interfaceEndpoints: []", "interfaceEndpoints: [sts]", 1))
}

// copy returns the same project elsewhere, with its state and its account.
func (e *cliStack) copy() *cliStack {
	e.t.Helper()
	return cliStackAt(e.t, copied(e.t, e.dir))
}

// untilFree runs a command that must succeed, once the engine that a killed program left running has ended.
func (e *cliStack) untilFree(args ...string) {
	e.t.Helper()
	for range 300 {
		stdout, stderr, code := e.exit(args...)
		if code != 4 {
			require.Zero(e.t, code, "%s%s", stdout, stderr)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	e.t.Fatal("the stack stays locked")
}

// untilDecided is like untilFree, for a command that may stop because AWS has two candidates for an interrupted creation: then it reports
// false.
func (e *cliStack) untilDecided(args ...string) bool {
	e.t.Helper()
	for range 300 {
		stdout, stderr, code := e.exit(args...)
		switch code {
		case 0:
			return true
		case 4:
			time.Sleep(100 * time.Millisecond)
		default:
			require.Equal(e.t, 2, code, "%s%s", stdout, stderr)
			require.Contains(e.t, stderr, "--take ID")
			e.t.Log(stderr)
			return false
		}
	}
	e.t.Fatal("the stack stays locked")
	return false
}

func (e *cliStack) offlineDir() string { return filepath.Join(e.dir, ".hypershift-aws", "offline") }

// state returns what the engine has recorded, without entries that are not in AWS.
func (e *cliStack) state() []apitype.ResourceV3 {
	e.t.Helper()
	paths, err := filepath.Glob(filepath.Join(e.offlineDir(), "state", ".pulumi", "stacks", "*", "test.json"))
	require.NoError(e.t, err)
	require.Len(e.t, paths, 1)
	text, err := os.ReadFile(paths[0])
	require.NoError(e.t, err)
	var file struct {
		Checkpoint struct {
			Latest struct {
				Resources         []apitype.ResourceV3
				PendingOperations []json.RawMessage `json:"pending_operations"`
			}
		}
	}
	require.NoError(e.t, json.Unmarshal(text, &file))
	require.Empty(e.t, file.Checkpoint.Latest.PendingOperations, "operations under way")
	var made []apitype.ResourceV3
	for _, r := range file.Checkpoint.Latest.Resources {
		if r.Custom && !strings.HasPrefix(string(r.Type), "pulumi:") {
			made = append(made, r)
		}
	}
	return made
}

// graph returns the state with names in the place of IDs: every resource's inputs and dependencies by its URN.
func (e *cliStack) graph() map[string]string {
	e.t.Helper()
	var pairs []string
	for _, r := range e.state() {
		pairs = append(pairs, `"`+string(r.ID)+`"`, `"<`+r.URN.Name()+`>"`)
		if arn, _ := r.Outputs["arn"].(string); arn != "" {
			pairs = append(pairs, arn, "<"+r.URN.Name()+">.arn")
		}
		if service, _ := r.Outputs["serviceName"].(string); service != "" && strings.HasSuffix(string(r.Type), ":VpcEndpointService") {
			pairs = append(pairs, service, "<"+r.URN.Name()+">.service")
		}
		if ip, _ := r.Outputs["publicIp"].(string); ip != "" {
			pairs = append(pairs, `"`+ip+`"`, `"<`+r.URN.Name()+`>.ip"`)
		}
	}
	names := strings.NewReplacer(pairs...)
	graph := map[string]string{}
	for _, r := range e.state() {
		require.NotContains(e.t, graph, string(r.URN), "a second of it")
		delete(r.Inputs, "records") // of a record, it holds the name server that the zone was given
		inputs, err := json.Marshal(r.Inputs)
		require.NoError(e.t, err)
		slices.Sort(r.Dependencies)
		graph[string(r.URN)] = lookedUpZone.ReplaceAllString(names.Replace(string(inputs)), "<a zone that was there>") +
			fmt.Sprintf(" delete=%t parent=%s dependencies=%v", r.Delete, r.Parent, r.Dependencies)
	}
	return graph
}

// lookedUpZone matches the IDs that are left of zones when the stack's own have their names.
var lookedUpZone = regexp.MustCompile(`\bZ[0-9A-Z]{20}\b`)

// differences returns the resources that differ, with the expected and the actual value of each.
func differences(want, got map[string]string) []string {
	var list []string
	for name := range want {
		if want[name] != got[name] {
			list = append(list, name+"\n  want "+want[name]+"\n  got  "+got[name])
		}
	}
	for name := range got {
		if _, known := want[name]; !known {
			list = append(list, name+" is one too many")
		}
	}
	return list
}

// requireTrue requires that the account has exactly the resources of the state, and that nothing is locked.
func (e *cliStack) requireTrue() {
	e.t.Helper()
	var recorded, held []string
	for _, r := range e.state() {
		recorded = append(recorded, string(r.Type)+" "+string(r.ID))
	}
	for _, r := range madeIn(e.t, e.offlineDir()) {
		held = append(held, r.Type+" "+r.ID)
	}
	require.ElementsMatch(e.t, recorded, held, "the state, and the account")
	locks, err := filepath.Glob(filepath.Join(e.offlineDir(), "state", ".pulumi", "locks", "*", "*", "*", "*"))
	require.NoError(e.t, err)
	require.Empty(e.t, locks)
}
