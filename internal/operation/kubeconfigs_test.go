package operation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/environment"
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
func applied(t *testing.T, k config.Kubeconfig, environ ...string) *Stack {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Pulumi.yaml": "name: test\nruntime: hypershift-aws\n", "pulumi": "#!/bin/sh\necho \"$KUBECONFIG\"; cat \"$KUBECONFIG\" || true\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
	}
	p, err := project.Open(dir)
	require.NoError(t, err)
	inputs := map[string]any{}
	if k.File != "" {
		inputs["kubeconfig"] = k.File
	}
	s := &Stack{
		Name: "dev", workDir: dir,
		session: &Session{Environment: environment.AWS(environment.Options{Project: p, Environ: environ}), Interrupts: engine.NewInterrupts()},
		state:   &state.Deployment{Resources: []*state.Resource{{ResourceV3: apitype.ResourceV3{Type: "pulumi:providers:kubernetes", Inputs: inputs}}}},
	}
	s.command = &engine.Command{
		Engine: &engine.Engine{Path: filepath.Join(dir, "pulumi")}, Environ: append(engine.Environ{"PATH=" + os.Getenv("PATH")}, environ...),
		Interrupts: s.session.Interrupts, Prepare: s.pinKubeconfigs,
	}
	return s
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
	s := applied(t, config.Kubeconfig{}, kubeconfig.Variable+"="+path)
	_, err := s.selected(config.Kubeconfig{})
	require.NoError(t, err)
	replace(t, path, "current-context: blue", "current-context: green")
	replace(t, path, "token: first", "token: renewed")

	out, err := s.run(t.Context(), "up", "--yes")
	require.NoError(t, err)
	copied, text, _ := strings.Cut(out, "\n")
	require.Equal(t, s.kubeconfigsDir(), filepath.Dir(copied))
	require.Contains(t, text, "https://blue")
	require.Contains(t, text, "token: renewed", "credentials are read anew")
	require.NotContains(t, text, "green")
	require.NoFileExists(t, copied, "the engine has ended")

	out, err = s.run(t.Context(), "stack", "export")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(out, path+"\n"), "this command starts no provider")
	reads, err := s.openCluster(config.Kubeconfig{})
	require.NoError(t, err)
	require.Contains(t, reads.Address(), "https://blue", "later gates ask the same cluster")
}

func TestTheEngineDoesNotStartIfAFileSelectsAnotherCluster(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(path, []byte(twoClusters), 0o600))
	s := applied(t, config.Kubeconfig{File: path}, kubeconfig.Variable+"=/theirs")
	_, err := s.selected(config.Kubeconfig{File: path})
	require.NoError(t, err)
	out, err := s.run(t.Context(), "destroy")
	require.NoError(t, err)
	require.Equal(t, "/theirs", strings.TrimSpace(out), "the provider has the path of the file")

	replace(t, path, "current-context: blue", "current-context: green")
	_, err = s.run(t.Context(), "destroy")
	require.Equal(t, failure.Conflict, failure.ReasonOf(s.classify(err)))
	require.ErrorContains(t, s.classify(err), "the context green instead of blue")
}

func TestTheEngineReachesNoOtherClusterIfAContextCannotBeRead(t *testing.T) {
	t.Parallel()
	s := applied(t, config.Kubeconfig{}, "HOME="+t.TempDir())
	out, err := s.run(t.Context(), "refresh")
	require.NoError(t, err)
	require.Contains(t, out, "current-context: unavailable")
}
