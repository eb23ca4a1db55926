// Package enginetest runs Pulumi programs with the real engine, each against an offline AWS account of
// its own, and shows what became of them. It is for this project's suites.
package enginetest

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// StackName is the name of every stack here.
const StackName = "test"

// Stack is a stack under test. Its methods fail the test where the engine does; those that end in Err
// return the error instead.
type Stack struct {
	auto.Stack
	t         *testing.T
	workspace auto.Workspace
	dir       string
	// backend is the folder of the backend.
	backend string
	project string
	// accounts is the folder of the offline accounts.
	accounts string
	server   *offline.Server
	// environ is the engine's environment.
	environ map[string]string
}

// Options change what a stack starts from.
type Options struct {
	// Project is the Pulumi project's name. Default hypershift-aws.
	Project string
	// Seeds are the resources that the AWS account has initially.
	Seeds []offline.Seed
	// Beside is a stack whose AWS accounts this one shares. Default: separate accounts.
	Beside *Stack
	// Backend is a stack of another project whose backend this one shares, so that its outputs can be read as
	// organization/<project>/test. Default: a separate backend.
	Backend *Stack
	// Components serves the plugin with the components to the engine.
	Components bool
	// AWS replaces the account in memory by an AWS provider. Default: nil.
	AWS *AWS
	// Kubernetes replaces the offline clusters by a Kubernetes provider and an API server; not together with AWS. Default:
	// nil.
	Kubernetes *Kubernetes
}

// Kubernetes is a Kubernetes provider, and the kubeconfig that leads it to its API server.
type Kubernetes struct {
	// Plugin is the folder that has pulumi-resource-kubernetes.
	Plugin string
	// Kubeconfig is a file.
	Kubeconfig string
}

// Environ is what the engine needs to find the provider, and the provider to find the API server.
func (k Kubernetes) Environ() map[string]string {
	return map[string]string{
		"PATH": k.Plugin + string(os.PathListSeparator) + os.Getenv("PATH"), "KUBECONFIG": k.Kubeconfig,
		"PULUMI_IGNORE_AMBIENT_PLUGINS": "false",
	}
}

// AWS is an AWS provider, and the API that it calls.
type AWS struct {
	// Plugin is the folder that has pulumi-resource-aws.
	Plugin string
	// Endpoint is the address of AWS's API.
	Endpoint string
}

// Environ is what the engine needs to find the provider, and the provider to find the API.
func (a AWS) Environ() map[string]string {
	return map[string]string{
		"PATH":             a.Plugin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"AWS_ENDPOINT_URL": a.Endpoint, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_EC2_METADATA_DISABLED":     "true",
		"PULUMI_IGNORE_AMBIENT_PLUGINS": "false",
	}
}

// New creates a stack of the program, with an account that has the seeds.
func New(t *testing.T, program pulumi.RunFunc, options Options) *Stack {
	t.Helper()
	s := &Stack{t: t, dir: t.TempDir()}
	if s.accounts = filepath.Join(s.dir, "offline"); options.Beside != nil {
		s.accounts = options.Beside.accounts
	}
	if s.backend = s.dir; options.Backend != nil {
		s.backend = options.Backend.backend
	}
	account, err := offline.Serve(offline.Options{Dir: s.accounts, Seeds: options.Seeds})
	require.NoError(t, err)
	s.server = account
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	if options.Project == "" {
		options.Project = "hypershift-aws"
	}
	secrets, err := transit.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, secrets.Close()) })
	s.project = options.Project
	providers := account.Providers()
	if options.Components {
		providers += "," + serveComponents(t)
	}
	environ := Environment(s.backend, providers)
	maps.Copy(environ, secrets.Environ())
	if options.AWS != nil {
		environ["PULUMI_DEBUG_PROVIDERS"] = withoutProvider(providers, "aws:")
		maps.Copy(environ, options.AWS.Environ())
	}
	if options.Kubernetes != nil {
		environ["PULUMI_DEBUG_PROVIDERS"] = withoutProvider(providers, "kubernetes:")
		maps.Copy(environ, options.Kubernetes.Environ())
	}
	s.environ = environ
	home := filepath.Join(s.dir, "home")
	require.NoError(t, engine.HomeWithoutLogs(home))
	s.workspace, err = auto.NewLocalWorkspace(t.Context(), auto.Program(program),
		auto.WorkDir(s.workDir()), auto.PulumiHome(home), auto.Pulumi(Engine(t)),
		auto.Project(workspace.Project{
			Name:    tokens.PackageName(options.Project),
			Runtime: workspace.NewProjectRuntimeInfo("go", nil),
		}),
		auto.SecretsProvider(transit.Provider), auto.EnvVars(environ))
	require.NoError(t, err)
	s.Stack, err = s.created(options.Project)
	require.NoError(t, err)
	return s
}

// WithoutDownloads is the entry of an environment in which the engine downloads no plugins. Without it, the engine asks
// get.pulumi.com and GitHub for plugins of attached providers too, and a test waits for the network.
const WithoutDownloads = "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true"

// Environment returns what the engine needs to keep its state in dir and to find the offline account. The engine writes
// the state once, at the end of an operation: writing it after each step takes a third of its processor time. Tests
// that kill the engine run it by the CLI, which does not set this.
func Environment(dir, providers string) map[string]string {
	return map[string]string{
		"PULUMI_BACKEND_URL":                            "file://" + dir,
		"PULUMI_CONFIG_PASSPHRASE":                      "test",
		"PULUMI_DEBUG_PROVIDERS":                        providers,
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION":   "true",
		"PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS": "true",
		"PULUMI_SKIP_CHECKPOINTS":                       "true",
		"PULUMI_SKIP_UPDATE_CHECK":                      "true",
	}
}

// withoutProvider returns a list of providers in the format of PULUMI_DEBUG_PROVIDERS without the one whose entry has
// the prefix.
func withoutProvider(list, prefix string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(list, ","), func(entry string) bool {
		return strings.HasPrefix(entry, prefix)
	}), ",")
}

// Run replaces the stack's program.
func (s *Stack) Run(program pulumi.RunFunc) { s.workspace.SetProgram(program) }

func (s *Stack) workDir() string {
	dir := filepath.Join(s.dir, "project")
	require.NoError(s.t, os.MkdirAll(dir, 0o700))
	return dir
}

// Kept returns the stack's state as its backend keeps it.
func (s *Stack) Kept() string {
	s.t.Helper()
	text, err := os.ReadFile(s.statePath())
	require.NoError(s.t, err)
	return string(text)
}

func (s *Stack) statePath() string {
	s.t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.backend, ".pulumi", "stacks", s.project, StackName+".json"))
	require.NoError(s.t, err)
	require.Len(s.t, paths, 1)
	return paths[0]
}

// Outputs returns the stack's outputs, secrets included.
func (s *Stack) Outputs(ctx context.Context) (auto.OutputMap, error) {
	return s.workspace.StackOutputs(ctx, StackName)
}

// Configure sets the stack's config to the text, in the format of Pulumi.<stack>.yaml.
func (s *Stack) Configure(text string) {
	s.t.Helper()
	path := filepath.Join(s.workDir(), "Pulumi."+StackName+".yaml")
	before, err := os.ReadFile(path)
	if err == nil {
		for line := range strings.Lines(string(before)) {
			if strings.HasPrefix(line, "secretsprovider:") || strings.HasPrefix(line, "encryptedkey:") {
				text = line + text
			}
		}
	}
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o600))
}

// RunIn runs a command in the folder of another project of the same name, which has the stack's config, with the
// environment in which the stack's engine runs. It fails the test where the command does.
func (s *Stack) RunIn(dir, name string, args ...string) {
	s.t.Helper()
	output, err := s.RunInErr(dir, name, args...)
	require.NoError(s.t, err, "%s %s:\n%s", name, strings.Join(args, " "), output)
}

// RunInErr is like RunIn, and returns the command's output and error. Programs of the folder's bin are found first.
func (s *Stack) RunInErr(dir, name string, args ...string) (string, error) {
	s.t.Helper()
	config, err := os.ReadFile(filepath.Join(s.workDir(), "Pulumi."+StackName+".yaml"))
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(filepath.Join(dir, "Pulumi."+StackName+".yaml"), config, 0o600))
	bin := filepath.Join(dir, "bin") + string(os.PathListSeparator) + filepath.Dir(EnginePath(s.t))
	path, err := exec.LookPath(name)
	if name == "pulumi" {
		path, err = EnginePath(s.t), nil
	}
	require.NoError(s.t, err)
	command := exec.CommandContext(s.t.Context(), path, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "PULUMI_HOME="+filepath.Join(s.dir, "home"),
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for key, value := range s.environ {
		command.Env = append(command.Env, key+"="+value)
	}
	output, err := command.CombinedOutput()
	return string(output), err
}

// Up brings the stack up and returns what the engine did.
func (s *Stack) Up(opts ...optup.Option) Changes {
	s.t.Helper()
	changes, err := s.UpErr(opts...)
	require.NoError(s.t, err)
	return changes
}

// UpErr is like Up, and returns the engine's error.
func (s *Stack) UpErr(opts ...optup.Option) (Changes, error) {
	return collect(func(ctx context.Context, stream chan<- events.EngineEvent) error {
		_, err := s.Stack.Up(ctx, append(opts, optup.EventStreams(stream))...)
		return err
	})
}

// Preview returns what Up would do.
func (s *Stack) Preview(opts ...optpreview.Option) Changes {
	s.t.Helper()
	changes, err := s.PreviewErr(opts...)
	require.NoError(s.t, err)
	return changes
}

// PreviewErr is like Preview, and returns the engine's error.
func (s *Stack) PreviewErr(opts ...optpreview.Option) (Changes, error) {
	return collect(func(ctx context.Context, stream chan<- events.EngineEvent) error {
		_, err := s.Stack.Preview(ctx, append(opts, optpreview.EventStreams(stream))...)
		return err
	})
}

// RequireStable fails the test unless the state equals AWS and the program: a refresh finds no difference, so it does
// not change the state, and a preview shows no change. A second Up would not test more.
func (s *Stack) RequireStable() {
	s.t.Helper()
	require.Empty(s.t, s.Refresh(), "a refresh")
	require.Empty(s.t, s.Preview(), "a preview after the refresh")
}

// Refresh updates the state from AWS and returns the differences.
func (s *Stack) Refresh(opts ...optrefresh.Option) Changes {
	s.t.Helper()
	changes, err := collect(func(ctx context.Context, stream chan<- events.EngineEvent) error {
		_, err := s.Stack.Refresh(ctx, append(opts, optrefresh.EventStreams(stream))...)
		return err
	})
	require.NoError(s.t, err)
	return changes
}

// Destroy deletes the stack's resources and returns what the engine did.
func (s *Stack) Destroy(opts ...optdestroy.Option) Changes {
	s.t.Helper()
	s.Unhook()
	changes, err := s.DestroyErr(opts...)
	require.NoError(s.t, err)
	return changes
}

// Unhook removes the hooks from the kept state, as the CLI does when a deletion is confirmed.
func (s *Stack) Unhook() {
	s.t.Helper()
	var kept map[string]any
	decoder := json.NewDecoder(strings.NewReader(s.Kept()))
	decoder.UseNumber()
	require.NoError(s.t, decoder.Decode(&kept))
	latest, _ := kept["checkpoint"].(map[string]any)["latest"].(map[string]any)
	resources, _ := latest["resources"].([]any)
	for _, one := range resources {
		delete(one.(map[string]any), "resourceHooks")
	}
	text, err := json.Marshal(kept)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(s.statePath(), text, 0o600))
}

// DestroyErr is like Destroy with the hooks, and returns the engine's error.
func (s *Stack) DestroyErr(opts ...optdestroy.Option) (Changes, error) {
	return collect(func(ctx context.Context, stream chan<- events.EngineEvent) error {
		_, err := s.Stack.Destroy(ctx, append(opts, optdestroy.EventStreams(stream))...)
		return err
	})
}

// Resources returns the resources in the stack's AWS accounts, without the seeds.
func (s *Stack) Resources() []offline.Resource {
	s.t.Helper()
	var made []offline.Resource
	for _, account := range s.Accounts() {
		for _, resource := range account.Resources() {
			if !resource.Seed {
				made = append(made, resource)
			}
		}
	}
	return made
}

// Accounts returns the AWS accounts that the stack's providers have used.
func (s *Stack) Accounts() []*offline.Account {
	s.t.Helper()
	accounts, err := offline.Accounts(s.accounts)
	require.NoError(s.t, err)
	return accounts
}

// Calls returns how many calls the stack's providers have made to AWS and to management clusters so far, without those
// of previews.
func (s *Stack) Calls() int { return s.server.Calls() }

// Server returns the offline accounts as the engine reaches them.
func (s *Stack) Server() *offline.Server { return s.server }

// Uses returns the calls that the stack has made to AWS so far.
func (s *Stack) Uses() []permissions.Need { return s.server.Uses() }

// Clusters returns the Kubernetes clusters that the stack's providers have used, for as long as the test lasts.
func (s *Stack) Clusters() []*offline.Cluster {
	s.t.Helper()
	clusters, err := offline.Clusters(s.accounts)
	require.NoError(s.t, err)
	for _, cluster := range clusters {
		s.t.Cleanup(func() { require.NoError(s.t, cluster.Close()) })
	}
	return clusters
}

// Objects returns the objects in the stack's Kubernetes clusters.
func (s *Stack) Objects() []offline.Object {
	s.t.Helper()
	var objects []offline.Object
	for _, cluster := range s.Clusters() {
		objects = append(objects, ObjectsOf(s.t, cluster)...)
	}
	return objects
}

// ObjectsOf returns the objects of a Kubernetes cluster.
func ObjectsOf(t testing.TB, cluster *offline.Cluster) []offline.Object {
	t.Helper()
	objects, err := cluster.Objects()
	if err != nil {
		t.Fatal(err)
	}
	return objects
}
