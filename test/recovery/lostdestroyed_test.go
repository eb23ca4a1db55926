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
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// byNameAlone are types that AWS does not list by their tags: what a state has lost of them is not named.
func byNameAlone() []string {
	return []string{awstype.Queue, awstype.EventRule, awstype.LogGroup, awstype.User, awstype.Distribution}
}

// TestADestroyNamesWhatTheStateHasLost: of each type, a resource and what depends on it are taken out of the state by
// hand. The destroy fails, or it names what AWS still has.
func TestADestroyNamesWhatTheStateHasLost(t *testing.T) {
	t.Parallel()
	made := harness.CreatedStack(t)
	var types []string
	for _, r := range made.State() {
		record, _ := awstype.Lookup(string(r.Type))
		if (record.Tagged || record.Sweep.Delete != nil) && !slices.Contains(types, string(r.Type)) &&
			!slices.Contains(byNameAlone(), string(r.Type)) {
			types = append(types, string(r.Type))
		}
	}
	require.Greater(t, len(types), 10)
	name := func(token string) string { return token }
	for _, token := range sizes.Named(t, types, name, awstype.HostedZone, awstype.Role) {
		t.Run(token, func(t *testing.T) {
			t.Parallel()
			e := made.Copy()
			loseFirst(t, e, token)
			stdout, stderr, code := e.Exit("--offline", "destroy", "--yes")
			if code != 0 {
				return
			}
			for id := range harness.MadeIDs(t, e.OfflineDir()) {
				token, id, _ := strings.Cut(id, " ")
				if record, _ := awstype.Lookup(token); record.Tagged || record.Sweep.Delete != nil && token != awstype.Record {
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
