package binding

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

const twoClusters = `apiVersion: v1
kind: Config
current-context: blue
clusters:
- {name: blue, cluster: {server: "https://blue"}}
- {name: green, cluster: {server: "https://green"}}
contexts:
- {name: blue, context: {cluster: blue, user: admin}}
- {name: green, context: {cluster: green, user: admin}}
users: [{name: admin, user: {token: first}}]
`

// applied is a stack whose state has a provider with a kubeconfig, and an engine that prints its own kubeconfig.
func applied(t *testing.T, k config.Kubeconfig, environ ...string) *Connection {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Pulumi.yaml": "name: test\nruntime: hypershift-aws\n",
		"pulumi":      "#!/bin/sh\necho \"$KUBECONFIG\"; cat \"$KUBECONFIG\" || true\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
	}
	p, err := project.Open(dir)
	require.NoError(t, err)
	inputs := map[string]any{}
	if k.File != "" {
		inputs["kubeconfig"] = k.File
	}
	s := &workspace.Stack{
		Name: "dev", WorkDir: dir,
		Session: &workspace.Session{
			Environment: environment.AWS(environment.Options{Project: p, Environ: environ}),
			Interrupts:  engine.NewInterrupts(),
		},
		State: &state.Deployment{
			Resources: []*state.Resource{{ResourceV3: apitype.ResourceV3{
				URN: "urn:pulumi:dev::test::pulumi:providers:kubernetes::cluster", Type: "pulumi:providers:kubernetes", Inputs: inputs,
			}}},
		},
	}
	c := &Connection{Stack: s}
	s.Command = &engine.Command{
		Engine:     &engine.Engine{Path: filepath.Join(dir, "pulumi")},
		Environ:    append(engine.Environ{"PATH=" + os.Getenv("PATH")}, environ...),
		Interrupts: s.Session.Interrupts,
		Prepare: func(_ context.Context, args []string) (engine.Prepared, error) {
			environ, ended, err := c.Pin(args)
			return engine.Prepared{Environ: environ, Ended: ended}, err
		},
	}
	return c
}

func replace(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, new)), 0o600))
}

func TestTheEngineUsesTheContextThatTheOperationBeganWith(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(path, []byte(twoClusters), 0o600))
	c := applied(t, config.Kubeconfig{}, kubeconfig.Variable+"="+path)
	_, err := c.Selected(config.Kubeconfig{})
	require.NoError(t, err)
	replace(t, path, "current-context: blue", "current-context: green")
	replace(t, path, "token: first", "token: renewed")

	out, err := c.Stack.Run(t.Context(), "up", "--yes")
	require.NoError(t, err)
	copied, text, _ := strings.Cut(out, "\n")
	require.Equal(t, c.KubeconfigsDir(), filepath.Dir(copied))
	require.Contains(t, text, "https://blue")
	require.Contains(t, text, "token: renewed", "credentials are read anew")
	require.NotContains(t, text, "green")
	require.NoFileExists(t, copied, "the engine has ended")

	out, err = c.Stack.Run(t.Context(), "stack", "export")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(out, path+"\n"), "this command starts no provider")
	reads, err := c.OpenCluster(config.Kubeconfig{})
	require.NoError(t, err)
	require.Contains(t, reads.Address(), "https://blue", "later gates ask the same cluster")
}

// Which cluster a client reaches is asked once for the calls that follow one another, and again for another cluster.
func TestOneReadSaysWhichClusterTheCallsOfAnOperationReach(t *testing.T) {
	t.Parallel()
	var identities atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/v1/namespaces/kube-system" {
			identities.Add(1)
		}
		_, _ = w.Write([]byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "3f1c"}}`))
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(twoClusters, "https://blue", server.URL)), 0o600))
	c := applied(t, config.Kubeconfig{File: path})
	c.Target = &gate.Target{}
	c.Target.ManagementCluster = "3f1c"
	for range 3 {
		api, err := c.Open(t.Context())
		require.NoError(t, err)
		require.NoError(t, api.Close())
	}
	require.EqualValues(t, 1, identities.Load())
	c.Target.ManagementCluster = "another"
	_, err := c.Open(t.Context())
	require.ErrorContains(t, err, "selects another management cluster")
	_, err = c.Open(t.Context())
	require.ErrorContains(t, err, "selects another management cluster")
}

func TestTheEngineDoesNotStartIfAFileSelectsAnotherCluster(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(path, []byte(twoClusters), 0o600))
	c := applied(t, config.Kubeconfig{File: path}, kubeconfig.Variable+"=/theirs")
	_, err := c.Selected(config.Kubeconfig{File: path})
	require.NoError(t, err)
	out, err := c.Stack.Run(t.Context(), "destroy")
	require.NoError(t, err)
	require.Equal(t, "/theirs", strings.TrimSpace(out), "the provider has the path of the file")

	replace(t, path, "current-context: blue", "current-context: green")
	_, err = c.Stack.Run(t.Context(), "destroy")
	require.Equal(t, failure.Conflict, failure.ReasonOf(c.Stack.Classify(err)))
	require.ErrorContains(t, c.Stack.Classify(err), "the context green instead of blue")
}

func TestTheEngineReachesNoOtherClusterIfAContextCannotBeRead(t *testing.T) {
	t.Parallel()
	c := applied(t, config.Kubeconfig{}, "HOME="+t.TempDir())
	out, err := c.Stack.Run(t.Context(), "refresh")
	require.NoError(t, err)
	require.Contains(t, out, "current-context: unavailable")
}
