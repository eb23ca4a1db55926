package fleet_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// smallFleet returns a management stack and three clusters.
func smallFleet(t *testing.T) *harness.CLI {
	t.Helper()
	c := harness.NewFleet(t)
	text, err := os.ReadFile(filepath.Join(c.Dir, config.FileName("west")))
	require.NoError(t, err)
	north := strings.ReplaceAll(string(text), "west", "north")
	require.NoError(t, os.WriteFile(filepath.Join(c.Dir, config.FileName("north")), []byte(north), 0o600))
	return c
}

// stackStatuses runs a fleet command with JSON and returns the last status of each stack, and the exit code.
func stackStatuses(c *harness.CLI, args ...string) (map[string]string, int) {
	c.T.Helper()
	stdout, stderr, code := c.Exit(append([]string{"--offline", "-o", "json", "fleet"}, args...)...)
	statuses, tagged := map[string]string{}, 0
	for line := range strings.Lines(stdout) {
		var object struct{ Type, Stack, Status, Operation string }
		require.NoError(c.T, json.Unmarshal([]byte(line), &object), line)
		switch object.Type {
		case "fleetStack":
			statuses[object.Stack] = object.Status
		case "resource", "summary":
			if !strings.HasPrefix(object.Operation, "fleet ") { // the summary of the whole run
				require.NotEmpty(c.T, object.Stack, line)
				tagged++
			}
		}
	}
	require.NotEmpty(c.T, statuses, stderr)
	c.T.Logf("fleet %s: exit code %d, %d events, %v", strings.Join(args, " "), code, tagged, statuses)
	return statuses, code
}

// urnsOf returns what each stack has, by name.
func urnsOf(states map[string][]apitype.ResourceV3) map[string][]string {
	names := map[string][]string{}
	for stack, resources := range states {
		for _, r := range resources {
			names[stack] = append(names[stack], string(r.URN))
		}
		slices.Sort(names[stack])
	}
	return names
}

func TestAFleetStopsAtAFailedWaveIsResumedAndDestroyed(t *testing.T) {
	t.Parallel()
	c := smallFleet(t)
	// The stack of the second wave fails: the management stack's key for etcd does not admit its account.
	c.Edit("management", `, "333333333333"`, "")
	c.Edit("west", "333333333333", "222222222222")
	got, code := stackStatuses(c, "up", "--yes", "--waves", "1,1,rest", "--parallel", "2")
	require.Equal(t, 1, code)
	require.Equal(t, map[string]string{
		"management": "succeeded",
		"east":       "succeeded",
		"north":      "failed",
		"west":       "not started",
	}, got)

	c.Edit("management", `"222222222222"`, `"222222222222", "333333333333"`)
	got, code = stackStatuses(c, "up", "--yes", "--resume")
	require.Zero(t, code)
	require.Equal(t, map[string]string{
		"management": "succeeded",
		"north":      "succeeded",
		"west":       "succeeded",
	}, got, "east has succeeded before; the file of management has changed")
	_, stderr, code := c.Exit("--offline", "fleet", "up", "--yes", "--resume")
	require.Zero(t, code)
	require.Contains(t, stderr, "nothing to resume")
	c.RequireFleetTrue(c.FleetState())

	// Saved plans, and a stack that another update has locked.
	got, code = stackStatuses(c, "preview", "--select", "kind=cluster,account=222222222222", "--save-plans",
		filepath.Join(c.Dir, "plans"), "--expect-no-changes")
	require.Zero(t, code)
	require.Equal(t, map[string]string{"east": "succeeded", "west": "succeeded"}, got)
	lock := filepath.Join(c.OfflineDir(), "state", ".pulumi", "locks", "organization", "hypershift-aws", "west", "x.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o755))
	require.NoError(t, os.WriteFile(lock, []byte(`{"pid": 1, "username": "u", "hostname": "elsewhere", "timestamp": "2026-01-02T03:04:05Z"}`), 0o600))
	got, code = stackStatuses(c, "up", "--yes", "--plans", filepath.Join(c.Dir, "plans"), "--select", "east", "--select",
		"west", "--lock-wait", "0")
	require.Equal(t, 4, code)
	require.Equal(t, map[string]string{"east": "succeeded", "west": "locked"}, got)
	require.NoError(t, os.Remove(lock))

	// What is deleted in AWS is drift of one stack.
	gone, err := filepath.Glob(filepath.Join(c.OfflineDir(), "accounts", "333333333333", "us-east-1", "ec2.NatGateway",
		"*.json"))
	require.NoError(t, err)
	require.Len(t, gone, 1)
	require.NoError(t, os.Remove(gone[0]))
	got, code = stackStatuses(c, "drift")
	require.Equal(t, 3, code)
	require.Equal(t, map[string]string{
		"management": "succeeded",
		"east":       "succeeded",
		"north":      "changed",
		"west":       "succeeded",
	}, got)
	_, code = stackStatuses(c, "refresh", "--select", "north")
	require.Zero(t, code)

	got, code = stackStatuses(c, "destroy", "--yes", "--waves", "1,rest")
	require.Zero(t, code)
	require.Len(t, got, 4)
	require.Empty(t, harness.MadeIn(t, c.OfflineDir()))
}

func TestAFleetIsRefusedBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stack, old, with string
		args             []string
		want             string
	}{
		"one infra ID": {"west", "west-x1", "east-x1", nil, "both have infra ID east-x1 and keep OIDC documents in"},
		"no management": {"west", "management: management #", "management: nosuch #", nil,
			"names the management stack nosuch, which has neither a file"},
		"a cycle": {"west", "management: management #", "management: west #", nil,
			"name each other as management stack: west -> west"},
		"a fault": {"west", "zones: [us-east-1a]", "zones: [us-east-1a]\n      natt: Single", nil,
			"Pulumi.west.yaml:16: hypershift-aws:cluster.network.natt is not a key"},
		"nothing selected":   {"", "", "", []string{"--select", "south"}, "--select matches none of 4 stacks"},
		"-s":                 {"", "", "", []string{"-s", "west"}, "use --select west instead of -s"},
		"no run to resume":   {"", "", "", []string{"--resume"}, "there is no run to resume"},
		"a wave without end": {"", "", "", []string{"--waves", "1"}, "--waves leaves out 2 of 3 stacks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := smallFleet(t)
			if test.old != "" {
				c.Edit(test.stack, test.old, test.with)
			}
			_, stderr, code := c.Exit(append([]string{"--offline", "fleet", "up", "--yes"}, test.args...)...)
			require.Equal(t, 2, code, stderr)
			require.Contains(t, stderr, test.want)
			require.NoDirExists(t, filepath.Join(c.OfflineDir(), "accounts"))
		})
	}
}

// The example's script runs all twenty clusters; here one of its table, in addition to east and west, which have
// separate files.
func TestTheFleetExamplesScriptEndsWithEmptyAccounts(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	require.NoError(t, os.Symlink(harness.Executable(t), filepath.Join(programs, "hypershift-aws")))
	c := harness.NewCLI(t, t.TempDir(), "PROGRAMS="+programs)
	command := exec.Command("sh", repo.Path("examples", "fleet", "run"), "1")
	command.Dir, command.Env = c.Dir, c.Env
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Regexp(t, `west +2 +failed .*does not allow the cluster's account 333333333333`, string(output))
	require.Contains(t, string(output), "fleet drift of 4 stacks: 3 succeeded, 1 changed")
	require.Contains(t, string(output), "fleet destroy of 4 stacks: 4 succeeded")
}

func TestAnAccountLimitThatTheFleetWouldExceedIsRefusedBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	// West and north are in one zone of one account, so that each alone is within the limit.
	c := smallFleet(t).With("HYPERSHIFT_AWS_OFFLINE_FAULTS={quotas: {natGatewaysPerZone: 1}}")
	const finding = "NAT gateways per zone, us-east-1a (333333333333 us-east-1): limit 1, used 0, needed 2, 1 too many (stacks north, west); request an increase of vpc/L-FE5A380F to 2"
	_, stderr, code := c.Exit("--offline", "fleet", "up", "--yes")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "AWS would refuse what 4 stacks create together; nothing was started:\n  "+finding)
	require.NoDirExists(t, filepath.Join(c.OfflineDir(), "state"))
	_, stderr, code = c.Exit("--offline", "fleet", "preview", "--select", "kind=management", "--select",
		"account=333333333333")
	require.Equal(t, 2, code, "the clusters' management stack is not up")
	require.Contains(t, stderr, "fleet up would refuse this plan: "+finding)

	c.Run("--offline", "fleet", "up", "--yes", "--select", "management", "--select", "west")
	stdout, stderr, code := c.Exit("--offline", "-o", "json", "fleet", "up", "--yes", "--select", "west", "--select",
		"north")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "limit 1, used 1, needed 1, 1 too many; request", "what west has is not counted again")
	require.Contains(t, stdout, `{"type":"finding","verdict":"fails","check":"quota","account":"333333333333","region":"us-east-1"`)
	got, code := stackStatuses(c, "up", "--yes", "--select", "west", "--select", "north", "--skip-preflight")
	require.Equal(t, 1, code)
	require.Equal(t, map[string]string{"west": "succeeded", "north": "failed"}, got)
}

func TestAKilledFleetRunIsResumedWithTheSameResult(t *testing.T) {
	t.Parallel()
	undisturbed := harness.NewFleet(t)
	undisturbed.Run("--offline", "fleet", "up", "--yes", "--select", "management")
	begun := t.TempDir() // the management stack is up
	require.NoError(t, os.CopyFS(begun, os.DirFS(undisturbed.Dir)))
	undisturbed.Run("--offline", "fleet", "up", "--yes")
	want := urnsOf(undisturbed.FleetState())

	for _, seed := range sizes.Seeds(1, 50) {
		t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // not for secrets
			c, line := harness.NewFleet(t), 1+random.IntN(330)
			if seed%4 != 0 { // most begin with the clusters, which is where several stacks are in progress
				require.NoError(t, os.RemoveAll(c.Dir))
				require.NoError(t, os.CopyFS(c.Dir, os.DirFS(begun)))
				line = 1 + random.IntN(270)
			}
			parallel := 1 + random.IntN(3)
			t.Logf("again: %s: killed at line %d, %d at once", sizes.Again(t), line, parallel)
			killAtLine(c, line, "--offline", "-o", "json", "fleet", "up", "--yes", "--parallel", fmt.Sprint(parallel))
			stdout, stderr, code := c.Exit("--offline", "fleet", "up", "--yes", "--resume", "--lock-wait", "5m")
			require.Zero(t, code, "%s%s", stdout, stderr)
			states := c.FleetState()
			require.Equal(t, want, urnsOf(states))
			c.RequireFleetTrue(states)
			if seed%4 == 0 {
				c.Run("--offline", "fleet", "preview", "--expect-no-changes")
			}
		})
	}
}

// killAtLine runs a command and kills it, and not the processes that it has started, when it has written as many lines.
func killAtLine(c *harness.CLI, n int, args ...string) {
	c.T.Helper()
	command := exec.Command(harness.Executable(c.T), args...)
	command.Dir, command.Env = c.Dir, append(c.Environ(), harness.StateAfterEachStep)
	stdout, err := command.StdoutPipe()
	require.NoError(c.T, err)
	require.NoError(c.T, command.Start())
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	for read := 0; read < n && lines.Scan(); read++ {
		continue
	}
	_ = command.Process.Kill()
	_ = command.Wait()
}
