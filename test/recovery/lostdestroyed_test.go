package recovery

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/race"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// Of each type, a resource and what depends on it are taken out of the state by hand. The destroy fails, or it names
// what AWS still has.
func TestADestroyNamesWhatTheStateHasLost(t *testing.T) {
	t.Parallel()
	namesLost(t, harness.CreatedStack(t), awstype.HostedZone, awstype.Role)
}

func TestADestroyNamesWhatTheStateOfAManagementStackHasLost(t *testing.T) {
	t.Parallel()
	race.SkipEngine(t)
	made := harness.StackAt(t, t.TempDir())
	made.Configure(`config:
  aws:region: us-east-1
  hypershift-aws:kind: management
  hypershift-aws:management:
    unprotected: true
    oidcBucket: {name: demo-oidc, access: ThroughCloudFront}
    operator: {identity: AccessKeys}
    zone: {domain: example.com}
    etcdKey: {alias: demo}
    interruptionQueueName: demo-interruptions
`)
	made.Run("--offline", "up", "--yes")
	namesLost(t, made, awstype.Queue, awstype.EventRule, awstype.User, awstype.Distribution)
}

// namesLost destroys copies of a stack, each without a resource of another type in its state. few are the types of
// small runs.
func namesLost(t *testing.T, made *harness.Stack, few ...string) {
	t.Helper()
	named := func(token string) bool {
		record, _ := awstype.Lookup(token)
		return record.Tagged || record.Sweep.Delete != nil && token != awstype.Record || len(record.Lost.Actions) > 0
	}
	var types []string
	for _, r := range made.State() {
		if named(string(r.Type)) && !slices.Contains(types, string(r.Type)) {
			types = append(types, string(r.Type))
		}
	}
	for _, token := range sizes.Named(t, types, func(token string) string { return token }, few...) {
		t.Run(token, func(t *testing.T) {
			t.Parallel()
			e := made.Copy()
			loseFirst(t, e, token)
			stdout, stderr, code := e.Exit("--offline", "destroy", "--yes")
			if code != 0 {
				return
			}
			for id := range harness.MadeIDs(t, e.OfflineDir()) {
				if token, id, _ := strings.Cut(id, " "); named(token) {
					require.Contains(t, stdout+stderr, id, "%s stays unnamed", token)
				}
			}
		})
	}
}

// loseFirst takes the first resource of a type, and what depends on it, out of a stack's state.
func loseFirst(t *testing.T, e *harness.Stack, token string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(e.OfflineDir(), "state", ".pulumi", "stacks", "*", "test.json"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	text, err := os.ReadFile(found[0])
	require.NoError(t, err)
	var file map[string]any
	require.NoError(t, json.Unmarshal(text, &file))
	latest := file["checkpoint"].(map[string]any)["latest"].(map[string]any)
	lost := map[any]bool{}
	latest["resources"] = slices.DeleteFunc(latest["resources"].([]any), func(one any) bool { // dependents come later
		r := one.(map[string]any)
		depends := lost[r["parent"]] || lost[r["deletedWith"]]
		if all, has := r["dependencies"].([]any); has {
			depends = depends || slices.ContainsFunc(all, func(urn any) bool { return lost[urn] })
		}
		if depends || len(lost) == 0 && r["type"] == token && r["external"] != true {
			lost[r["urn"]] = true
		}
		return lost[r["urn"]]
	})
	require.NotEmpty(t, lost)
	text, err = json.Marshal(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(found[0], text, 0o600))
}
