package secrets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// openProject opens a project for a Go program, with the engine of the tests.
func openProject(t *testing.T, o automation.ProjectOptions) *automation.Project {
	t.Helper()
	o.NoInstall, o.EngineDirs = true, []string{filepath.Dir(filepath.Dir(enginetest.EnginePath(t)))}
	p, err := automation.Open(o)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// TestTheSecretsOfAStackWithoutAFileAreInItsStateAlone gives the secrets of the canaries as values.
func TestTheSecretsOfAStackWithoutAFileAreInItsStateAlone(t *testing.T) {
	t.Parallel()
	life := canaries(t)["cluster"]
	dir, elsewhere := t.TempDir(), t.TempDir()
	environ := map[string]string{}
	for _, variable := range life.environ {
		name, value, _ := strings.Cut(variable, "=")
		environ[name] = value
		path := filepath.Join(elsewhere, name)
		require.NoError(t, os.WriteFile(path, []byte(value), 0o600))
		life.config = strings.NewReplacer("{env: "+name+"}", path, "env: {key: "+name+"}",
			"files: {key: "+path+"}").Replace(life.config)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.file.yaml"), []byte(life.config), 0o600))
	var told strings.Builder
	p := openProject(t, automation.ProjectOptions{
		Dir: dir, Offline: true, Environ: append(os.Environ(), life.environ...),
		Events: func(e automation.Event) { fmt.Fprintf(&told, "%+v\n", e) }, Interrupts: automation.NewInterrupts(),
	})
	content := func() (config.Content, *config.HostedCluster) {
		file, err := stacks.LoadFile(dir, "file")
		require.NoError(t, err)
		h := config.As[*config.Cluster](file).HostedCluster
		h.PullSecret, h.SSHKey = config.SecretValue(environ["CANARY_PULL_SECRET"]),
			config.SecretValue(environ["CANARY_SSH_KEY"])
		h.EtcdKey = config.SecretValue(environ["CANARY_ETCD_KEY"])
		h.Objects = []config.ReferredObject{{
			Name: "canary", Kind: hostedcluster.SecretKind,
			Text: map[string]pulumi.StringInput{"key": pulumi.String(environ["CANARY_OBJECT"])},
		}}
		return config.Content{Account: config.Account{Region: "us-east-1"}, Section: config.As[*config.Cluster](file)}, h
	}
	given, _ := content()
	stack, err := p.NewStack("given", given)
	require.NoError(t, err)

	steps := func(stack *automation.Stack) []string {
		result, err := stack.Preview(t.Context(), automation.PreviewOptions{})
		require.NoError(t, err)
		var steps []string
		for _, step := range result.Plan.Changed() {
			steps = append(steps, string(step.Change)+" "+step.Type+" "+step.Name)
		}
		slices.Sort(steps)
		return steps
	}
	require.Equal(t, steps(p.Stack("file")), steps(stack))
	_, err = stack.Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
	require.NoError(t, err)
	_, err = stack.Preview(t.Context(), automation.PreviewOptions{ExpectNoChanges: true})
	require.NoError(t, err)
	requireNoCanary(t, dir, told.String(), life.secrets)
	require.NoFileExists(t, filepath.Join(dir, "Pulumi.given.yaml"))

	for path, change := range map[string]func(h *config.HostedCluster){
		"pullSecret": func(h *config.HostedCluster) {
			h.PullSecret = config.SecretValue("{" + environ["CANARY_PULL_SECRET"])
		},
		"etcdKey": func(h *config.HostedCluster) { h.EtcdKey = config.SecretValue(environ["CANARY_ETCD_KEY"] + "x") },
		"sshKey":  func(h *config.HostedCluster) { h.SSHKey = config.SecretValue("") },
	} {
		wrong, h := content()
		change(h)
		_, err := p.NewStack("wrong", wrong)
		faults := fault.In(err)
		require.Len(t, faults, 1, path)
		require.Equal(t, "hypershift-aws:cluster.hostedCluster."+path, faults[0].Path)
		require.NotEmpty(t, faults[0].Remedy)
		requireNoCanary(t, dir, err.Error()+fmt.Sprintf("%+v %#v", h.PullSecret, *h.EtcdKey), life.secrets)
	}
}

// TestTwoMachinesWithOneContentSeeNoDifference runs a stack from two folders that share the backend alone. Its state
// has secrets under a passphrase, whose salt the folders do not share.
func TestTwoMachinesWithOneContentSeeNoDifference(t *testing.T) {
	t.Parallel()
	account, err := offline.Serve(offline.Options{Dir: t.TempDir(), Seeds: stackfile.ManagementSeeds()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	backend := "file://" + t.TempDir()
	machine := func(dir string) *automation.Stack {
		p := openProject(t, automation.ProjectOptions{
			Dir: dir, Backend: backend,
			Environ: append(os.Environ(), "PULUMI_CONFIG_PASSPHRASE=two machines", "PULUMI_DEBUG_PROVIDERS="+account.Providers(),
				"PULUMI_SKIP_UPDATE_CHECK=true",
				enginetest.WithoutDownloads),
		})
		stack, err := p.NewStack("management", config.Content{
			Account: config.Account{Region: "us-east-1"},
			Section: &config.Management{PrerequisitesArgs: management.PrerequisitesArgs{
				OIDCBucket: management.OIDCBucketArgs{Name: "demo-oidc"}, Operator: management.OperatorArgs{Identity: management.AccessKeys}, Unprotected: true,
			}},
		})
		require.NoError(t, err)
		return stack
	}
	dirs := []string{t.TempDir(), t.TempDir()}
	one, two := machine(dirs[0]), machine(dirs[1])
	salt := func(dir string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, ".hypershift-aws", "work", "management", "Pulumi.management.yaml"))
		require.NoError(t, err)
		var settings struct {
			EncryptionSalt string `yaml:"encryptionsalt"`
		}
		require.NoError(t, yaml.Unmarshal(text, &settings))
		require.NotEmpty(t, settings.EncryptionSalt)
		return settings.EncryptionSalt
	}
	up := func(stack *automation.Stack) int {
		t.Helper()
		result, err := stack.Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
		require.NoError(t, err)
		return len(result.Planned.Changed())
	}
	unchanged := func(stack *automation.Stack) map[string]any {
		t.Helper()
		_, err := stack.Preview(t.Context(), automation.PreviewOptions{ExpectNoChanges: true})
		require.NoError(t, err)
		outputs, err := stack.Outputs(t.Context(), true)
		require.NoError(t, err)
		return outputs
	}
	require.NotZero(t, up(one))
	outputs := unchanged(two)
	require.NotContains(t, fmt.Sprint(outputs["operatorCredentials"]), "[secret]")
	require.Zero(t, up(two))
	require.Equal(t, outputs, unchanged(one))
	require.Equal(t, salt(dirs[0]), salt(dirs[1]))

	_, err = two.Destroy(t.Context(), automation.DestroyOptions{Decide: automation.Approve, RemoveState: true})
	require.NoError(t, err)
	require.NotZero(t, up(one), "the salt that its folder has is used again")
	unchanged(two)
}
