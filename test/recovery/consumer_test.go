package recovery

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// asksForConsent matches the flag with which a refused command may be run again.
var asksForConsent = regexp.MustCompile("--allow (\\S+)`")

// consenting runs a command, with the consent that it asks for, once the engine of a killed one has ended.
func consenting(e *harness.Stack, env []string, args ...string) (said string, code int) {
	e.T.Helper()
	args = append([]string{"--offline"}, args...)
	for range 300 {
		stdout, stderr, code := e.With(env...).Exit(args...)
		if asked := asksForConsent.FindStringSubmatch(stdout + stderr); code == 2 && asked != nil {
			stdout, stderr, code = e.With(env...).Exit(append(args, "--allow", asked[1])...)
		}
		if code != 4 {
			return stdout + stderr, code
		}
		time.Sleep(100 * time.Millisecond)
	}
	e.T.Fatal("the stack stays locked")
	return "", 0
}

// killed kills a process of a command at one call, by turns before and after it. It reports false for a command that
// made fewer calls, which has succeeded.
func killed(e *harness.Stack, victim string, call int, args ...string) bool {
	e.T.Helper()
	when := []string{"before", "after"}[call%2]
	fault := fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: %d, kill: %s, when: %s}]}", call, victim, when)
	said, code := consenting(e, []string{"PULUMI_PARALLEL=1", fault}, args...)
	require.NotEqual(e.T, 2, code, "it does not continue:\n%s", said)
	return code != 0
}

// Other VPCs, in a third account, get access to a control plane, another access, and none; then the cluster is deleted.
// Each of these runs is killed at one call after the other. Nothing is lost and nothing is there twice, and the same
// command ends as if it had never been killed.
func TestTheLifeOfAConsumerSurvivesKills(t *testing.T) {
	t.Parallel()
	with := stackfile.AccessibleByStack()
	without := stackfile.WithoutAccess(with)
	other := strings.NewReplacer("localZoneVPCs: [", "acceptanceRequired: true\n      localZoneVPCs: [",
		"hostNames: [api-demo.clusters.example.com]", "hostNames: [api-demo.hub.example.com]\n          localZoneID: none",
		"allowedCIDRs: [10.100.0.0/16]", "allowedCIDRs: [10.100.0.0/17]").Replace(with)
	up := []string{"up", "--yes"}
	steps := []struct {
		name, config string
		command      []string
	}{
		{"create", with, up}, {"change", other, up}, {"leave", without, up},
		{"destroy", without, []string{"destroy", "--yes"}},
	}
	base := harness.StackAt(t, t.TempDir())
	base.Configure(without)
	base.Run("--offline", "up", "--yes")
	for _, step := range sizes.First(1, steps) {
		before, after := base, base.Copy()
		after.Configure(step.config)
		said, code := consenting(after, nil, step.command...)
		require.Zero(t, code, said)
		require.NotEmpty(t, harness.Differences(before.Graph(), after.Graph()), "what the step changes")
		base = after
		from, want := harness.Copied(t, before.Dir), after.Graph()
		requireEnd := func(e *harness.Stack) {
			said, code := consenting(e, nil, step.command...)
			require.Zero(e.T, code, said)
			require.Empty(t, harness.Differences(want, e.Graph()), "the end state")
			e.RequireTrue()
			if step.name != "destroy" {
				e.Run("--offline", "up", "--yes", "--expect-no-changes")
				e.Run("--offline", "drift")
			}
		}
		t.Run(step.name, func(t *testing.T) {
			t.Parallel()
			t.Run("again and again", func(t *testing.T) {
				t.Parallel()
				e := harness.StackAt(t, from).Copy()
				e.Configure(step.config)
				kills := 0
				for killed(e, []string{"engine", "both"}[kills/2%2], kills+1, step.command...) {
					kills++
				}
				require.Greater(t, kills, 2)
				t.Logf("%d kills", kills)
				requireEnd(e)
			})
			for call := range sizes.Pick(1, 100) {
				e := harness.StackAt(t, from).Copy()
				e.Configure(step.config)
				if !killed(e, sizes.Pick("cli", []string{"engine", "both", "cli"}[call%3]), call+1, step.command...) {
					break
				}
				t.Run(fmt.Sprintf("call-%d", call+1), func(t *testing.T) {
					t.Parallel()
					e.CLI.T, e.T = t, t
					requireEnd(e)
				})
			}
		})
	}
}
