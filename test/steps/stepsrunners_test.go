package steps

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/podstack"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func ofStack(stack *enginetest.Stack, up func() (string, bool)) runner {
	return runner{
		configure: stack.Configure,
		up:        up,
		account:   func() any { return []any{stack.Resources(), stack.Calls()} },
	}
}

// byCLI runs stacks by the CLI.
func byCLI(t *testing.T) runner {
	e := harness.StackAt(t, t.TempDir())
	return runner{
		configure: e.Configure, account: func() any { return harness.MadeIn(t, e.OfflineDir()) },
		up: func() (string, bool) {
			_, stderr, code := e.Exit("--offline", "up", "--yes")
			require.Contains(t, []int{0, 1, 2}, code, stderr) // 1 if the program refuses, as it does a change of keys
			return stderr, code == 0
		},
	}
}

// byEngine runs a program by the Automation API, which has no preview.
func byEngine(t *testing.T, table stepsTable, run pulumi.RunFunc) runner {
	stack := enginetest.New(t, run, enginetest.Options{Seeds: stackfile.SeedsFor(t, table.base)})
	return ofStack(stack, func() (string, bool) {
		if _, err := stack.UpErr(); err != nil {
			return err.Error(), false
		}
		return "", true
	})
}

// byPulumi runs `pulumi up` in a project whose runtime is the CLI.
func byPulumi(t *testing.T, table stepsTable, args ...string) runner {
	stack := enginetest.New(t, program.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, table.base)})
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"),
		[]byte("name: hypershift-aws\nruntime: "+languagehost.Runtime+"\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	require.NoError(t, os.Symlink(harness.Executable(t), filepath.Join(dir, "bin", languagehost.Executable)))
	return ofStack(stack, pulumiUp(stack, dir, args...))
}

// pulumiUp returns a function that runs `pulumi up` in the folder of a project.
func pulumiUp(stack *enginetest.Stack, dir string, args ...string) func() (string, bool) {
	return func() (string, bool) {
		output, err := stack.RunInErr(dir, "pulumi",
			append([]string{"up", "--yes", "--stack", enginetest.StackName, "--non-interactive", "--color=never"}, args...)...)
		return output, err == nil
	}
}

// byYAML runs a program in Pulumi YAML, which has the stack as a component of the plugin.
func byYAML(t *testing.T, table stepsTable) runner {
	if _, err := os.Stat(filepath.Join(filepath.Dir(enginetest.EnginePath(t)), "pulumi-language-yaml")); err != nil {
		t.Skip("NOT TESTED: the table of steps in YAML, because there is no language host for it: make bin/pulumi-language-yaml")
	}
	const project = "yaml"
	stack := enginetest.New(t, stacks.Run, enginetest.Options{
		Project:    project,
		Seeds:      stackfile.SeedsFor(t, table.base),
		Components: true,
	})
	dir := t.TempDir()
	r := ofStack(stack, pulumiUp(stack, dir, "--skip-preview"))
	r.configure = func(text string) {
		var file struct{ Config map[string]any }
		require.NoError(t, yaml.Unmarshal([]byte(text), &file))
		section := file.Config[table.key].(map[string]any)
		if guest, is := section["network"].(map[string]any); is {
			var zones []any // the schema of the component has no short form of a zone
			for _, zone := range guest["zones"].([]any) {
				zones = append(zones, map[string]any{"name": zone})
			}
			guest["zones"] = zones
		}
		delete(file.Config, table.key)
		delete(file.Config, config.KindKey)
		for path, content := range map[string]any{
			filepath.Join(dir, "Pulumi.yaml"): map[string]any{"name": project, "runtime": "yaml", "resources": map[string]any{
				"whole": map[string]any{"type": table.component, "properties": section},
			}},
			"": map[string]any{"config": file.Config},
		} {
			written, err := yaml.Marshal(content)
			require.NoError(t, err)
			if path == "" {
				stack.Configure(string(written))
				continue
			}
			require.NoError(t, os.WriteFile(path, written, 0o600))
		}
	}
	return r
}

// byAgent runs stacks in a pod, where the program is in front of the engine. agent has the pod's agent update the
// stack; nil makes the agent's calls of the Automation API without it.
func byAgent(t *testing.T, table stepsTable, agent func(s *podstack.Stack) (message string, code int)) runner {
	if agent == nil {
		agent = (*podstack.Stack).Update
	}
	s := podstack.NewOf(t, table.base, "", func(*podstack.Stack) {})
	// as in the objects: each step writes the stack's file again
	s.Env = append(s.Env, "PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER=true")
	return runner{
		configure: func(text string) {
			s.Configure(text)
			s.WriteFile("Pulumi.test.yaml", text)
		},
		account: func() any { return harness.MadeIn(t, s.OfflineDir()) },
		up: func() (string, bool) {
			message, code := agent(s)
			return message, code == 0
		},
	}
}

// embedding returns a program that has the stack as a component, and calls guarded for its components.
func embedding(guarded func(*pulumi.Context, func(pulumi.ResourceOption) error) error) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		text, isCluster := ctx.GetConfig(config.ClusterKey)
		if !isCluster {
			text, _ = ctx.GetConfig(config.ManagementKey)
		}
		var keys yaml.Node
		if err := yaml.Unmarshal([]byte(text), &keys); err != nil {
			return err
		}
		return guarded(ctx, func(guard pulumi.ResourceOption) error {
			section := stacks.Section{Keys: keys.Content[0]}
			if !isCluster {
				_, err := stacks.NewManagement(ctx, "management", section, guard)
				return err
			}
			_, err := stacks.NewCluster(ctx, "cluster", section, guard)
			return err
		})
	}
}
