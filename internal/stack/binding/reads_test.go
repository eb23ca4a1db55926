package binding

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Each right to read that `permissions --kubernetes` lists for a command is named before the command does anything, if
// the user lacks it.
func TestEachRightToReadThatIsMissingIsNamedFirst(t *testing.T) {
	t.Parallel()
	var denied atomic.Pointer[rights.Read]
	var asked atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/selfsubjectrulesreviews") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		without, allowed := denied.Load(), true
		if without != nil {
			allowed = !strings.Contains(string(body), fmt.Sprintf(`"verb":%q`, without.Verb)) ||
				!strings.Contains(string(body), fmt.Sprintf(`"resource":"%ss"`, strings.ToLower(without.Kind.Kind))) ||
				without.Namespace != "" && !strings.Contains(string(body), fmt.Sprintf(`"namespace":%q`, without.Namespace)) ||
				without.Name != "" && !strings.Contains(string(body), fmt.Sprintf(`"name":%q`, without.Name))
		}
		_, _ = fmt.Fprintf(w, `{"kind":"SelfSubjectAccessReview","status":{"allowed":%t}}`, allowed)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: c, user: {token: t}}]
contexts: [{name: c, context: {cluster: c, user: c}}]
`, server.URL), 0o600))
	text := "  hypershift-aws:kind: nodePools\n  hypershift-aws:nodePools:\n    name: demo\n" +
		"    kubeconfig: {file: " + path + "}\n    nodePools: [{name: a, replicas: 1, zone: us-east-1a}]\n"
	file := fileOf(t, text)
	warned := func(operation gates.Operation) []string {
		t.Helper()
		c := applied(t, config.Kubeconfig{})
		c.Stack.File = file
		return c.unreadable(t.Context(), operation)
	}
	tried := 0
	for _, operation := range []gates.Operation{gates.Preview, gates.Up, gates.Refresh, gates.Drift, gates.Status,
		gates.Destroy, gates.Access, gates.Adopt} {
		denied.Store(nil)
		require.Empty(t, warned(operation), operation)
		for _, read := range rights.For(file.Section, commandOf(operation)).Reads() {
			if operation != gates.Up && slices.Contains([]string{"list", "watch"}, read.Verb) {
				continue
			}
			tried++
			denied.Store(&read)
			warnings := warned(operation)
			require.Len(t, warnings, 1, "%s without %+v", operation, read)
			require.Contains(t, warnings[0], "the user of nodePools.kubeconfig may not "+read.Verb+" ")
			require.Contains(t, warnings[0], read.Kind.Kind)
			require.Contains(t, warnings[0], "--kubernetes --command "+string(commandOf(operation)))
		}
	}
	require.Greater(t, tried, 30)
	denied.Store(nil)
	before := asked.Load()
	require.Empty(t, warned(gates.Backup), "it needs all that it reads")
	require.Equal(t, before, asked.Load())
}
