package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/race"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// IDOf returns the ID of a resource in the state, by its type's last part and its name.
func (e *Stack) IDOf(token, name string) string {
	e.T.Helper()
	for _, r := range e.State() {
		if strings.HasSuffix(string(r.Type), ":"+token) && r.URN.Name() == name {
			return string(r.ID)
		}
	}
	require.Fail(e.T, "the state has no such resource", "%s %s", token, name)
	return ""
}

// Stack is a project with one stack, run by the CLI offline.
type Stack struct {
	*CLI
	T *testing.T
}

// NewStack returns a project with the stack test, a public cluster of one zone, which is not created.
func NewStack(t *testing.T) *Stack {
	t.Helper()
	e := StackAt(t, t.TempDir())
	e.Configure(stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}.String())
	return e
}

var createOnce sync.Once

// CreatedStack returns the stack of NewStack, created. The first test that asks for one creates it, and all get copies.
func CreatedStack(t *testing.T) *Stack {
	t.Helper()
	race.SkipEngine(t)
	dir := filepath.Join(Dir, "stack")
	createOnce.Do(func() {
		e := NewStack(t)
		e.Run("--offline", "up", "--yes")
		require.NoError(t, os.CopyFS(dir, os.DirFS(e.Dir)))
	})
	require.DirExists(t, dir, "the test that created the stack failed")
	return StackAt(t, Copied(t, dir))
}

// StackAt returns the stack test of the project in dir.
func StackAt(t *testing.T, dir string) *Stack {
	t.Helper()
	return &Stack{NewCLI(t, dir), t}
}

// Configure writes the stack's file.
func (e *Stack) Configure(text string) {
	e.T.Helper()
	require.NoError(e.T, os.WriteFile(filepath.Join(e.Dir, "Pulumi.test.yaml"), []byte(text), 0o600))
}

// Change applies a change that creates, updates and deletes resources.
func (e *Stack) Change() {
	e.T.Helper()
	text := stackfile.Cluster{
		Access: hypershift.PublicAndPrivate,
		NAT:    network.PerZone,
		Zones:  stackfile.ZoneNames(2),
	}.String()
	e.Configure(strings.Replace(strings.Replace(text, "platform", "other", 1), "interfaceEndpoints: []",
		"interfaceEndpoints: [sts]", 1))
}

// Copy returns the same project elsewhere, with its state and its account.
func (e *Stack) Copy() *Stack {
	e.T.Helper()
	return StackAt(e.T, Copied(e.T, e.Dir))
}

// UntilFree runs a command that must succeed, once the engine that a killed program left running has ended.
func (e *Stack) UntilFree(args ...string) {
	e.T.Helper()
	for range 300 {
		stdout, stderr, code := e.Exit(args...)
		if code != 4 {
			require.Zero(e.T, code, "%s%s", stdout, stderr)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	e.T.Fatal("the stack stays locked")
}

// UntilDecided is like UntilFree, for a command that may stop because AWS has two candidates for an interrupted
// creation: then it reports false.
func (e *Stack) UntilDecided(args ...string) bool {
	e.T.Helper()
	for range 300 {
		stdout, stderr, code := e.Exit(args...)
		switch code {
		case 0:
			return true
		case 4:
			time.Sleep(100 * time.Millisecond)
		default:
			require.Equal(e.T, 2, code, "%s%s", stdout, stderr)
			require.Contains(e.T, stderr, "--take ID")
			e.T.Log(stderr)
			return false
		}
	}
	e.T.Fatal("the stack stays locked")
	return false
}

// State returns what the engine has recorded, without entries that are not in AWS.
func (e *Stack) State() []apitype.ResourceV3 {
	e.T.Helper()
	paths, err := filepath.Glob(filepath.Join(e.OfflineDir(), "state", ".pulumi", "stacks", "*", "test.json"))
	require.NoError(e.T, err)
	require.Len(e.T, paths, 1)
	text, err := os.ReadFile(paths[0])
	require.NoError(e.T, err)
	var file struct {
		Checkpoint struct {
			Latest struct {
				Resources         []apitype.ResourceV3
				PendingOperations []json.RawMessage `json:"pending_operations"`
			}
		}
	}
	require.NoError(e.T, json.Unmarshal(text, &file))
	require.Empty(e.T, file.Checkpoint.Latest.PendingOperations, "operations under way")
	var made []apitype.ResourceV3
	for _, r := range file.Checkpoint.Latest.Resources {
		if r.Custom && !strings.HasPrefix(string(r.Type), "pulumi:") {
			made = append(made, r)
		}
	}
	return made
}

// Graph returns the state with names in the place of IDs: every resource's inputs and dependencies by its URN.
func (e *Stack) Graph() map[string]string {
	e.T.Helper()
	var pairs []string
	for _, r := range e.State() {
		pairs = append(pairs, `"`+string(r.ID)+`"`, `"<`+r.URN.Name()+`>"`)
		if arn, _ := r.Outputs["arn"].(string); arn != "" {
			pairs = append(pairs, arn, "<"+r.URN.Name()+">.arn")
		}
		if service, _ := r.Outputs["serviceName"].(string); service != "" && strings.HasSuffix(string(r.Type),
			":VpcEndpointService") {
			pairs = append(pairs, service, "<"+r.URN.Name()+">.service")
		}
		if ip, _ := r.Outputs["publicIp"].(string); ip != "" {
			pairs = append(pairs, `"`+ip+`"`, `"<`+r.URN.Name()+`>.ip"`)
		}
	}
	names := strings.NewReplacer(pairs...)
	graph := map[string]string{}
	for _, r := range e.State() {
		require.NotContains(e.T, graph, string(r.URN), "a second of it")
		delete(r.Inputs, "records") // of a record, it holds the name server that the zone was given
		delete(r.Inputs, "aliases") // of a record, they hold the name of an endpoint
		inputs, err := json.Marshal(r.Inputs)
		require.NoError(e.T, err)
		slices.Sort(r.Dependencies)
		graph[string(r.URN)] = lookedUpZone.ReplaceAllString(names.Replace(string(inputs)), "<a zone that was there>") +
			fmt.Sprintf(" delete=%t parent=%s dependencies=%v", r.Delete, r.Parent, r.Dependencies)
	}
	return graph
}

// lookedUpZone matches the IDs that are left of zones when the stack's own have their names.
var lookedUpZone = regexp.MustCompile(`\bZ[0-9A-Z]{20}\b`)

// Differences returns the resources that differ, with the expected and the actual value of each.
func Differences(want, got map[string]string) []string {
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

// RequireTrue requires that the account has exactly the resources of the state, and that nothing is locked.
func (e *Stack) RequireTrue() {
	e.T.Helper()
	var recorded, held []string
	for _, r := range e.State() {
		recorded = append(recorded, string(r.Type)+" "+string(r.ID))
	}
	for _, r := range MadeIn(e.T, e.OfflineDir()) {
		held = append(held, r.Type+" "+r.ID)
	}
	require.ElementsMatch(e.T, recorded, held, "the state, and the account")
	locks, err := filepath.Glob(filepath.Join(e.OfflineDir(), "state", ".pulumi", "locks", "*", "*", "*", "*"))
	require.NoError(e.T, err)
	require.Empty(e.T, locks)
}

// Copied returns a copy of a folder, which ends with the test.
func Copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}
