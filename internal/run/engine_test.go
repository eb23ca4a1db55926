package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

const blueAndGreen = `apiVersion: v1
kind: Config
current-context: blue
clusters: [{name: blue, cluster: {server: "https://blue"}}, {name: green, cluster: {server: "https://green"}}]
contexts: [{name: blue, context: {cluster: blue, user: admin}}, {name: green, context: {cluster: green, user: admin}}]
users: [{name: admin, user: {token: first}}]
`

// An engine in a pod is not run by this program's command. A Secret with its kubeconfig, which the pod mounts, may
// change while it runs.
func TestTheEngineOfAPodUsesTheContextThatTheOperationBeganWith(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	run := func(file string, change func()) (text string, err error) {
		require.NoError(t, os.WriteFile(path, []byte(blueAndGreen), 0o600))
		s := &workspace.Stack{Name: "dev", WorkDir: t.TempDir(), Session: &workspace.Session{
			Environment: environment.AWS(environment.Options{Environ: []string{kubeconfig.Variable + "=" + path}}),
			Interrupts:  engine.NewInterrupts(),
			RunEngine: func(environ []string, ch chan<- events.EngineEvent) error {
				defer close(ch)
				require.Equal(t, "8", engine.Environ(environ).Get("PULUMI_PARALLEL"))
				if file, pinned := engine.Environ(environ).Lookup(kubeconfig.Variable); pinned {
					used, err := os.ReadFile(file)
					require.NoError(t, err)
					text += string(used)
				}
				return nil
			},
		}}
		inputs := map[string]any{}
		if file != "" {
			inputs["kubeconfig"] = file
		}
		s.State = &state.Deployment{
			Resources: []*state.Resource{{ResourceV3: apitype.ResourceV3{Type: "pulumi:providers:kubernetes", Inputs: inputs}}},
		}
		connection := &binding.Connection{Stack: s}
		_, err = connection.Selected(config.Kubeconfig{File: file})
		require.NoError(t, err)
		change()
		ch := make(chan events.EngineEvent)
		err = (&Engine{Stack: s, Connection: connection, verb: gates.Destroy}).runEngine(gates.Destroy, "", nil)(ch)
		_, open := <-ch
		require.False(t, open, "nobody waits for its events")
		return text, err
	}
	switched := func() {
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(blueAndGreen, "current-context: blue",
			"current-context: green", 1)), 0o600))
	}

	text, err := run("", switched)
	require.NoError(t, err)
	require.Contains(t, text, "https://blue")
	require.NotContains(t, text, "green")

	text, err = run("", func() { require.NoError(t, os.Remove(path)) })
	require.NoError(t, err)
	require.Contains(t, text, "current-context: unavailable", "not the service account of the pod")

	text, err = run(path, switched)
	require.Equal(t, failure.Conflict, failure.ReasonOf(err), "%v", err)
	require.Empty(t, text)
}
