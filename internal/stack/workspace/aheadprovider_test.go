package workspace

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/provider"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// accounts is an environment that knows its accounts or not.
type accounts struct {
	Environment
	label    string
	attached bool
}

func (a accounts) Label() string       { return a.label }
func (a accounts) KnowsAccounts() bool { return !a.attached }

func TestAProviderIsStartedAheadOnlyAsTheEngineWould(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environment accounts
		file        string
		environ     engine.Environ
		program     func(stacks.Options) pulumi.RunFunc
		refused     string
	}{
		"by default":           {},
		"in memory":            {environment: accounts{label: "offline"}, refused: "in memory"},
		"attached by the user": {environment: accounts{attached: true}, refused: "attaches an aws provider"},
		"with a program of its own": {program: func(stacks.Options) pulumi.RunFunc { return nil },
			refused: "program of its own"},
		"with environments":      {file: "environment: [prod]\n", refused: "names environments"},
		"with secrets":           {file: "config: {aws:secretKey: {secure: v1:x}}\n", refused: "has secrets"},
		"with the engine's logs": {environ: engine.Environ{"PULUMI_OPTION_LOGFLOW=true"}, refused: "LOGFLOW"},
		"with a trace":           {environ: engine.Environ{"PULUMI_OPTION_TRACING=x"}, refused: "TRACING"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: demo\nruntime: go\n"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(test.file), 0o600))
			files, err := project.Open(dir)
			require.NoError(t, err)
			p := &Providers{stack: &Stack{Name: "dev", Session: &Session{
				Project: files, Environ: test.environ, Environment: test.environment, Program: test.program,
			}}}
			if err = p.mayStart(); test.refused == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.refused)
			}
		})
	}
}

func TestAnEngineAttachesOnlyForOneProviderThatDoesNotChange(t *testing.T) {
	t.Parallel()
	const version = "6.83.4"
	own := "urn:pulumi:dev::demo::pulumi:providers:aws::default_" + strings.ReplaceAll(version, ".", "_")
	inputs := func(more string) string {
		return fmt.Sprintf(`{"__internal": {}, "version": %q, "region": "us-east-1", "skipRegionValidation": "true"%s}`,
			version, more)
	}
	for name, test := range map[string]struct {
		// providers are the inputs of the state's providers by their URNs.
		providers map[string]string
		// file and section are additions to the stack's file.
		file, section string
		refused       string
	}{
		"before the first update": {},
		"as recorded":             {providers: map[string]string{own: inputs("")}},
		"with tags": {
			providers: map[string]string{own: inputs(`, "defaultTags": "{\"tags\":{\"team\":\"a\"}}"`)},
			file:      "  aws:defaultTags: {tags: {team: a}}\n",
		},
		"with other tags": {
			providers: map[string]string{own: inputs(`, "defaultTags": "{\"tags\":{\"team\":\"a\"}}"`)},
			file:      "  aws:defaultTags: {tags: {team: b}}\n", refused: "another one than in the file",
		},
		"with a new key": {providers: map[string]string{own: inputs("")}, file: "  aws:maxRetries: 3\n",
			refused: "another one than in the file"},
		"with a removed key": {providers: map[string]string{own: inputs(`, "profile": "a"`)},
			refused: "another one than in the file"},
		"of another version": {providers: map[string]string{own: strings.Replace(inputs(""), version, "6.0.0", 1)},
			refused: "has version 6.0.0"},
		"with what only the engine knows": {
			providers: map[string]string{own: strings.Replace(inputs(""), "{}", `{"pluginChecksums": {"a": "b"}}`, 1)},
			refused:   "another one than in the file",
		},
		"with a secret in the state": {providers: map[string]string{own: inputs(
			`, "secretKey": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "x"}`)},
			refused: "has secrets"},
		"with a provider of another account in the state": {
			providers: map[string]string{own: inputs(""), strings.Replace(own, "default", "management", 1): inputs("")},
			refused:   "several AWS providers",
		},
		"with another account in the file": {
			section: ", accounts: {management: {profile: b}}",
			refused: "file has several AWS providers",
		},
		"with a plugin of the user's": {file: "  aws:pluginDownloadURL: https://example.org\n", refused: "version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			section := "name: demo, infraID: demo-x1, baseDomain: example.org, network: {zones: [us-east-1a]}, " +
				"oidc: {bucketName: oidc}"
			text := "config:\n  hypershift-aws:kind: cluster\n  aws:region: us-east-1\n" + test.file +
				"  hypershift-aws:cluster: {" + section + test.section + "}\n"
			file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(text))
			require.NoError(t, err)
			deployment := &state.Deployment{}
			for urn, text := range test.providers {
				r := &state.Resource{}
				require.NoError(t, json.Unmarshal(fmt.Appendf(nil,
					`{"urn": %q, "type": "pulumi:providers:aws", "custom": true, "inputs": %s}`, urn, text), r))
				deployment.Resources = append(deployment.Resources, r)
			}
			p := &Providers{stack: &Stack{Name: "dev", File: file, State: deployment, Command: &engine.Command{}},
				ahead: aheadProvider{version: version}}
			if err := p.mayAttach(); test.refused == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.refused)
			}
		})
	}
}

// TestOnlyTheEnginesProcessKnowsTheProvider: for everything else, the user has attached what was attached before.
func TestOnlyTheEnginesProcessKnowsTheProvider(t *testing.T) {
	t.Parallel()
	plugin := filepath.Join(t.TempDir(), "pulumi-resource-aws")
	require.NoError(t, os.WriteFile(plugin, []byte("#!/bin/sh\necho 1\nexec sleep 60\n"), 0o700))
	attached := engine.Environ{"PULUMI_DEBUG_PROVIDERS=kubernetes:1"}
	stack := &Stack{
		Command: &engine.Command{Environ: attached}, Session: &Session{Environ: attached}, State: &state.Deployment{},
	}
	p := &Providers{stack: stack}
	p.ahead.once.Do(func() {
		p.ahead.version = "6.83.4"
		p.ahead.ahead = &provider.Ahead{
			Path: plugin, Dir: t.TempDir(), Environ: os.Environ(), Credentials: func() string { return "" },
		}
	})
	t.Cleanup(p.close)
	used, _ := p.Attached(t.Context(), []string{"preview"})
	require.Nil(t, used, "none was started")
	p.StartAhead(t.Context())
	used, _ = p.Attached(t.Context(), []string{"--non-interactive", "stack", "export"})
	require.Nil(t, used, "it uses no provider")
	used, environ := p.Attached(t.Context(), []string{"--non-interactive", "preview"})
	require.NotNil(t, used)
	defer used.End()
	require.Equal(t, []string{"PULUMI_DEBUG_PROVIDERS=kubernetes:1,aws:1"}, environ)
	assert.Equal(t, engine.Environ{"PULUMI_DEBUG_PROVIDERS=kubernetes:1"}, stack.Command.Environ)
	assert.Equal(t, engine.Environ{"PULUMI_DEBUG_PROVIDERS=kubernetes:1"}, stack.Session.Environ)
}

func TestAChangeOfAFileWithCredentialsIsSeen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now()))
		return path
	}
	token, named := write("token", "1"), write("named", "1")
	environ := engine.Environ{"HOME=" + home, "AWS_WEB_IDENTITY_TOKEN_FILE=" + token}
	settings := map[string]any{"sharedCredentialsFiles": []any{named}}
	before := credentialFiles(environ, settings)
	require.Equal(t, before, credentialFiles(environ, settings))
	for _, name := range []string{".aws/credentials", ".aws/config", ".aws/sso/cache/a.json", "token", "named"} {
		write(name, "changed")
		now := credentialFiles(environ, settings)
		assert.NotEqual(t, before, now, name)
		before = now
	}
}
