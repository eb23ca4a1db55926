package invocation

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func begun(t *testing.T, command, flag string, environ ...string) *Invocation {
	t.Helper()
	var out bytes.Buffer
	c := New(Streams{In: strings.NewReader(""), Out: &out, Err: &out, Environ: environ}, nil)
	c.Stack, c.output = flag, "text"
	require.NoError(t, c.Begin(command))
	t.Cleanup(func() { c.End(nil) })
	return c
}

func TestTheStackOfTheEnvironmentIsTheDefaultOfCommandsForOneStack(t *testing.T) {
	t.Parallel()
	const variable = "PULUMI_STACK=prod"
	require.Equal(t, "prod", begun(t, "up", "", variable).Stack)
	require.Equal(t, "dev", begun(t, "up", "dev", variable).Stack, "the flag wins")
	require.Empty(t, begun(t, "up", "").Stack)
	require.Empty(t, begun(t, "fleet up", "", variable).Stack, "fleet runs on many stacks")
	require.Empty(t, begun(t, "sweep", "", variable).Stack, "sweep has no default")
	require.Empty(t, begun(t, "new", "", variable).Stack, "the stack of the environment exists")
}

func TestNoColorIsAFlagOfThisProgramAlone(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"up --no-color": "1", "--no-color up": "1", "up --no-color=true": "1", "up": "", "up --no-color=false": "",
		"sandbox -- pulumi up --no-color": "",
	} {
		require.Equal(t, want, Streams{}.For(strings.Fields(line)).Environ.Get("NO_COLOR"), line)
	}
}

func TestYAMLHasTheObjectsOfJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := New(Streams{In: strings.NewReader(""), Out: &out, Err: &out}, nil)
	c.structured("yaml")
	c.JSON.Write("result", map[string]any{
		"count": 2, "id": "0123", "list": []string{"a: b", "true"}, "none": nil, "text": "two\nlines",
		"when": "2026-01-02T03:04:05Z",
	})
	require.NoError(t, c.WriteDocument([]int{1, 2}))
	require.Equal(t, `---
type: result
count: 2
id: "0123"
list:
  - 'a: b'
  - "true"
none: null
text: |-
  two
  lines
when: "2026-01-02T03:04:05Z"
---
- 1
- 2
`, out.String())
	c.ReportsJSON([]string{"up", "-o", "yaml", "--unknown"})
	require.IsType(t, yamlDocuments{}, c.JSON.out, "the error of a line that cannot be parsed")
}

// ofOthers are variables that this program sets for others, or removes: nobody sets them for it.
func ofOthers() map[string]bool {
	return map[string]bool{
		"HYPERSHIFT_AWS_FLEET_ANSWERS": true, "PULUMI_API": true, "PULUMI_CREDENTIALS_PATH": true,
		"PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER": true, "PULUMI_OPTION_EXCLUDE": true,
		"PULUMI_OPTION_NO_DEPENDENCIES": true, "PULUMI_OPTION_PARALLEL": true, "PULUMI_OPTION_PLAN": true,
		"PULUMI_OPTION_NO_PLUGINS": true, "PULUMI_OPTION_TARGET": true, "PULUMI_OPTION_REPLACE": true,
		"PULUMI_OPTION_TARGET_REPLACE": true, "PULUMI_OPTION_REFRESH": true, "PULUMI_SKIP_UPDATE_CHECK": true,
		"PULUMI_IGNORE_AMBIENT_PLUGINS": true, "PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH": true,
		"AWS_SDK_LOAD_CONFIG": true, "AWS_SHARED_CREDENTIALS_FILE": true, "AWS_KMS": true,
		"AWS_CONFIG_FILE": true, "AWS_WEB_IDENTITY_TOKEN_FILE": true, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": true,
	}
}

func TestTheHelpAboutTheEnvironmentHasEveryVariableThatTheCodeReads(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, v := range Variables() {
		require.False(t, listed[v.Name], v.Name)
		listed[v.Name] = true
	}
	name := regexp.MustCompile(`"((?:HYPERSHIFT_AWS|PULUMI|AWS)_[A-Z_]*[A-Z]|KUBECONFIG|KUBERNETES_[A-Z_]+|NO_COLOR|CLICOLOR\w*|TERM)"`)
	root, found := os.DirFS(filepath.Join("..", "..", "..")), map[string]bool{}
	for _, folder := range []string{"automation", "cmd", "components", "internal", "plugin", "program", "stacks"} {
		require.NoError(t, fs.WalkDir(root, folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(path, "invocation/environment.go") {
				return err
			}
			text, err := fs.ReadFile(root, path)
			for _, match := range name.FindAllStringSubmatch(string(text), -1) {
				found[match[1]] = true
				require.True(t, listed[match[1]] != ofOthers()[match[1]],
					"%s reads %s: add it to Variables, or to ofOthers", path, match[1])
			}
			return err
		}))
	}
	for _, v := range Variables() {
		if strings.HasPrefix(v.Name, "HYPERSHIFT_AWS_") {
			require.True(t, found[v.Name], "nothing reads %s", v.Name)
		}
	}
}
