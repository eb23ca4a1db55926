package workspace

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
)

func TestRecoveryUsesTheCurrentCredentialsOfTheConfig(t *testing.T) {
	t.Parallel()
	state := map[string]any{
		"region":               "us-east-1",
		"accessKey":            "old",
		"profile":              "old",
		"version":              "6.83.4",
		"skipRegionValidation": "true",
	}
	config := auto.ConfigMap{"aws:region": {Value: "us-east-1"}, "aws:accessKey": {Value: "new"},
		"aws:secretKey":       {Value: "s", Secret: true},
		"hypershift-aws:kind": {Value: "cluster"}}
	now := renewed(state, config, func(value string) any { return value })
	require.Equal(t, map[string]any{
		"region":               "us-east-1",
		"accessKey":            "new",
		"secretKey":            "s",
		"version":              "6.83.4",
		"skipRegionValidation": "true",
	}, now)
	require.Equal(t, map[string]any{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": `"s"`},
		renewed(state, config, awsconfig.Secret)["secretKey"], "what the engine encrypts")
	require.Equal(t, state, renewed(state, auto.ConfigMap{
		"hypershift-aws:kind": {Value: "cluster"},
	}, awsconfig.Secret), "credentials of the environment")
}

// TestTheCurrentConfigIsReadByTheEngineOnlyForSecrets has an engine that knows no config: a stack without secrets does
// not start it.
func TestTheCurrentConfigIsReadByTheEngineOnlyForSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.plain.yaml"),
		[]byte("config: {aws:region: us-east-1, aws:profile: now, a:b: c}\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.secret.yaml"),
		[]byte("config: {aws:secretKey: {secure: v1:x}}\n"), 0o600))
	files, err := project.Open(dir)
	require.NoError(t, err)
	interrupts := engine.WatchInterrupts()
	t.Cleanup(interrupts.Close)
	started := &noConfig{}
	local, err := auto.NewLocalWorkspace(t.Context(), auto.WorkDir(dir), auto.Pulumi(started))
	require.NoError(t, err)
	read := func(name string) (auto.ConfigMap, error) {
		selected, err := auto.SelectStack(t.Context(), name, StackWorkspace{Workspace: local})
		require.NoError(t, err)
		stack := &Stack{Name: name, Session: &Session{Project: files, Interrupts: interrupts}, Auto: selected}
		return stack.currentConfig(t.Context())
	}

	config, err := read("plain")
	require.NoError(t, err)
	require.Equal(t, auto.ConfigMap{"aws:region": {Value: "us-east-1"}, "aws:profile": {Value: "now"}}, config)
	require.Zero(t, started.times)
	_, err = read("secret")
	require.Error(t, err)
	require.Equal(t, 1, started.times)
}

// noConfig is an engine that cannot read a config.
type noConfig struct{ times int }

func (*noConfig) Version() semver.Version { return engine.Minimum() }

func (e *noConfig) Run(
	context.Context,
	string,
	io.Reader,
	[]io.Writer,
	[]io.Writer,
	[]string,
	...string,
) (string, string, int, error) {
	e.times++
	return "", "", 1, errors.New("no config")
}

// TestSecretSettingsAreDecryptedByTheEngine: for recovery and for a sweep, of the file and of the state.
func TestSecretSettingsAreDecryptedByTheEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := `#!/bin/sh
case "$*" in
*"config --json --show-secrets"*) echo '{"aws:region": {"value": "us-east-1"}, "aws:secretKey": {"value": "of the file", "secret": true}}';;
*"stack export --show-secrets"*) echo '{"version": 3, "deployment": {"resources": [{"urn": "urn:pulumi:dev::p::pulumi:providers:aws::vpc-owner-account", "id": "0a1b",
  "custom": true, "type": "pulumi:providers:aws", "inputs": {"secretKey": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "\"of the state\""}}}]}}';;
*) exit 1;;
esac
`
	path := filepath.Join(dir, "pulumi")
	require.NoError(t, os.WriteFile(path, []byte(script), 0o700))
	interrupts := engine.WatchInterrupts()
	t.Cleanup(interrupts.Close)
	stack := &Stack{Name: "dev", WorkDir: dir, Command: &engine.Command{Engine: &engine.Engine{Path: path}, Environ: os.Environ(), Interrupts: interrupts}}
	s := &Providers{stack: stack}

	plain := map[string]any{"region": "eu-west-1"}
	shown, err := s.shownSettings(t.Context(), plain, "")
	require.NoError(t, err)
	require.Equal(t, plain, shown)

	shown, err = s.shownSettings(t.Context(), map[string]any{"secretKey": map[string]any{"secure": "v1:x"}}, "")
	require.NoError(t, err)
	require.Equal(t, map[string]any{"region": "us-east-1", "secretKey": "of the file"}, shown)

	encrypted := map[string]any{
		"secretKey": map[string]any{
			"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
			"ciphertext":                       "v1:x",
		},
	}
	shown, err = s.shownSettings(t.Context(), encrypted,
		"urn:pulumi:dev::p::pulumi:providers:aws::vpc-owner-account::0a1b")
	require.NoError(t, err)
	require.False(t, awsconfig.Encrypted(shown))
	_, err = awsconfig.Parse(shown)
	require.NoError(t, err)
}
