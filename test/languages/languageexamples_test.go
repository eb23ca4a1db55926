package languages

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// exampleInGo is the program of examples/yaml, examples/typescript, and examples/python.
func exampleInGo(ctx *pulumi.Context) error {
	cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
	guest, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
		Cluster: cluster, BaseDomain: "example.com",
		Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}}},
	})
	if err != nil {
		return err
	}
	oidc, err := iam.NewOIDCProvider(ctx, "oidc", &iam.OIDCProviderArgs{
		Cluster:      cluster,
		BucketName:   pulumi.String("demo-oidc"),
		BucketRegion: pulumi.String("us-east-1"),
	})
	if err != nil {
		return err
	}
	workers, err := iam.NewWorkerProfile(ctx, "workers", &iam.WorkerProfileArgs{Cluster: cluster})
	if err != nil {
		return err
	}
	roles, err := iam.NewRoleSet(ctx, "roles", &iam.RoleSetArgs{
		Cluster: cluster, OIDCProviderARN: oidc.ARN, IssuerURL: oidc.IssuerURL, WorkerRoleARN: workers.RoleARN,
		PublicZoneARN: guest.PublicZone.ARN, PrivateZoneARN: guest.PrivateZone.ARN,
	})
	if err != nil {
		return err
	}
	ctx.Export("vpcId", guest.VPCID)
	ctx.Export("nodePoolManagementArn", roles.NodePoolManagementARN)
	return nil
}

// inLanguage runs "up", "destroy", or "preview", which fails where there are changes, on a stack of an example in
// another language.
type inLanguage func(operation string)

// The first half creates the stack in the other language and previews it in Go, the second does the reverse.
func TestAnExampleAndItsProgramInGoPreviewEachOthersStacksWithoutChanges(t *testing.T) {
	t.Parallel()
	for language, prepare := range map[string]func(*testing.T, *enginetest.Stack) inLanguage{
		"yaml":       inYAML,
		"typescript": inTypeScript,
		"python":     inPython,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			config, err := os.ReadFile(repo.Path("examples", language, "Pulumi.demo.yaml"))
			require.NoError(t, err)
			stack := enginetest.New(t, exampleInGo, enginetest.Options{
				Project:    language,
				Seeds:      stackfile.Seeds(),
				Components: true,
			})
			stack.Configure(string(config))
			run := prepare(t, stack)

			run("up")
			require.NotEmpty(t, stack.Resources())
			run("preview")
			require.Empty(t, changed(stack.Preview()), "the program in Go")
			run("destroy")
			require.Empty(t, stack.Resources(), "what destroy left in the account")

			stack.Up()
			run("preview")
			stack.Destroy()
		})
	}
}

// inYAML runs the YAML example with the language host of Pulumi YAML.
func inYAML(t *testing.T, stack *enginetest.Stack) inLanguage {
	t.Helper()
	if _, err := os.Stat(filepath.Join(filepath.Dir(enginetest.EnginePath(t)), "pulumi-language-yaml")); err != nil {
		t.Skip("NOT TESTED: the example in YAML, because there is no language host for it: make bin/pulumi-language-yaml")
	}
	dir := exampleIn(t, "yaml")
	return func(operation string) {
		args := map[string][]string{
			"up": {"up", "--yes", "--skip-preview"}, "preview": {"preview", "--expect-no-changes"},
			"destroy": {"destroy", "--yes", "--skip-preview"},
		}[operation]
		stack.RunIn(dir, "pulumi", append(args, "--stack", enginetest.StackName, "--non-interactive", "--color=never")...)
	}
}

// inTypeScript type-checks the TypeScript example with the SDK, and runs it by the Automation API.
func inTypeScript(t *testing.T, stack *enginetest.Stack) inLanguage {
	t.Helper()
	modules, sdk := nodeModules(t), sdkIn(t, "nodejs")
	dir := exampleIn(t, "typescript")
	require.NoError(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "hypershift-aws"), os.DirFS(sdk)))
	copyInto(t, dir, repo.Path("examples", "typescript", "index.ts"), repo.Path("tools", "typescript", "run.ts"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tsconfig.json"), []byte(`{
		"compilerOptions": {
			"strict": true, "target": "es2020", "module": "commonjs", "moduleResolution": "node", "skipLibCheck": true,
			"outDir": "out", "baseUrl": ".", "paths": {"hypershift-aws": ["./hypershift-aws"]}
		},
		"files": ["index.ts", "run.ts"]
	}`), 0o600))
	output, err := inFolder(exec.Command("node", filepath.Join(modules, "typescript", "bin", "tsc"), "-p", "."),
		dir).CombinedOutput()
	require.NoError(t, err, "tsc:\n%s", output)
	copyInto(t, filepath.Join(dir, "out", "hypershift-aws"), filepath.Join(sdk, "package.json"))
	return func(operation string) {
		stack.RunIn(dir, "env", "NODE_PATH="+filepath.Join(dir, "out"), "node", filepath.Join("out", "run.js"), operation,
			"typescript", enginetest.StackName, dir)
	}
}

// inPython runs the Python example by the Automation API, with Pulumi's own SDK for Python.
func inPython(t *testing.T, stack *enginetest.Stack) inLanguage {
	t.Helper()
	python := onPath(t, "the example in Python", "python3")[0]
	if output, err := exec.CommandContext(t.Context(), python, "-c", "import pulumi.automation").CombinedOutput(); err != nil {
		t.Skip("NOT TESTED: the example in Python, because python3 has no Pulumi SDK: pip install pulumi\n" + string(output))
	}
	dir := exampleIn(t, "python")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "sdk"), os.DirFS(sdkIn(t, "python"))))
	installed := filepath.Join(dir, "sdk", "hypershift_aws-0.1.0.dist-info") // the SDK asks for its version
	require.NoError(t, os.Mkdir(installed, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(installed, "METADATA"),
		[]byte("Metadata-Version: 2.1\nName: hypershift_aws\nVersion: 0.1.0\n"), 0o600))
	copyInto(t, dir, repo.Path("examples", "python", "__main__.py"), repo.Path("tools", "python", "run.py"))
	path := filepath.Join(dir, "sdk") + string(os.PathListSeparator) + os.Getenv("PYTHONPATH")
	return func(operation string) {
		stack.RunIn(dir, "env", "PYTHONPATH="+path, python, "run.py", operation, "python", enginetest.StackName, dir)
	}
}

// The example is checked without Pulumi's own SDK for Python: testdata/python contains the types that the example uses.
func TestTheExampleInPythonCompilesAndHasTheTypesOfTheSDK(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT TESTED: the example in Python, because there is no python3 on PATH")
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(sdkIn(t, "python"))))
	copyInto(t, dir, repo.Path("examples", "python", "__main__.py"))
	output, err := inFolder(exec.Command(python, "-m", "compileall", "-q", "."), dir).CombinedOutput()
	require.NoError(t, err, "%s", output)

	pyright := filepath.Join(nodeModules(t), "pyright", "index.js")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "types"), os.DirFS(filepath.Join("testdata", "python"))))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pyrightconfig.json"), []byte(`{"stubPath": "types", "include": ["__main__.py"]}`), 0o600))
	output, err = inFolder(exec.Command("node", pyright), dir).CombinedOutput()
	require.NoError(t, err, "pyright:\n%s", output)

	// The types are those of the SDK: an argument that it does not have is refused.
	program, err := os.ReadFile(filepath.Join(dir, "__main__.py"))
	require.NoError(t, err)
	misspelt := bytes.Replace(program, []byte("base_domain="), []byte("base_domian="), 1)
	require.NotEqual(t, program, misspelt)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "__main__.py"), misspelt, 0o600))
	output, err = inFolder(exec.Command("node", pyright), dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), `No overloads for "__init__" match the provided arguments`)
}

// Also where no compiler is, the SDK has a class of each component, with its type and its required inputs.
func TestTheSDKForDotNetHasEveryComponent(t *testing.T) {
	t.Parallel()
	sdk := sdkIn(t, "dotnet")
	var schema struct {
		Resources map[string]struct {
			InputProperties map[string]any
			RequiredInputs  []string
		}
	}
	require.NoError(t, json.Unmarshal(componentplugin.Schema, &schema))
	for token, of := range schema.Resources {
		parts := strings.Split(token, ":")
		module := strings.ToUpper(parts[1][:1]) + parts[1][1:]
		text, err := os.ReadFile(filepath.Join(sdk, module, parts[2]+".cs"))
		require.NoError(t, err)
		class := string(text)
		require.Contains(t, class, `ResourceType("`+token+`")`)
		require.Contains(t, class, "public partial class "+parts[2]+" : global::Pulumi.ComponentResource")
		for property := range of.InputProperties {
			require.Contains(t, class, `[Input("`+property+`"`, token)
		}
		for _, property := range of.RequiredInputs {
			require.Contains(t, class, `[Input("`+property+`", required: true)]`, token)
		}
	}
}

func TestTheSDKForDotNetCompiles(t *testing.T) {
	t.Parallel()
	tools := onPath(t, "the SDK for .NET", "dotnet")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(sdkIn(t, "dotnet"))))
	output, err := inFolder(exec.CommandContext(t.Context(), tools[0], "build", "--nologo"), dir).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// The language host of Java generates its SDK, as `pulumi package add` does.
func TestTheSDKForJavaCompiles(t *testing.T) {
	t.Parallel()
	tools := onPath(t, "the SDK for Java", "gradle", "javac", "pulumi-language-java")
	dir := t.TempDir()
	output, err := exec.CommandContext(t.Context(), enginetest.EnginePath(t), "package", "gen-sdk", "--language", "java",
		"--out", dir, repo.Path("internal", "schema", "componentplugin", "schema.json")).CombinedOutput()
	require.NoError(t, err, "%s", output)
	output, err = inFolder(exec.CommandContext(t.Context(), tools[0], "--no-daemon", "compileJava"),
		filepath.Join(dir, "java")).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// onPath returns the paths of programs, or skips the test and names the one that is missing.
func onPath(t *testing.T, what string, programs ...string) (paths []string) {
	t.Helper()
	for _, program := range programs {
		path, err := exec.LookPath(program)
		if err != nil {
			t.Skip("NOT TESTED: " + what + ", because there is no " + program + " on PATH")
		}
		paths = append(paths, path)
	}
	return paths
}

// nodeModules returns the Node.js modules that `make languages` installs.
func nodeModules(t *testing.T) string {
	t.Helper()
	modules := repo.Path("bin", "typescript", "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "typescript", "bin", "tsc")); err != nil {
		t.Skip("NOT TESTED: " + t.Name() + ", because TypeScript is not installed: make languages")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("NOT TESTED: " + t.Name() + ", because there is no node on PATH")
	}
	return modules
}

// sdkIn returns the SDK that `make sdks` generated from the schema.
func sdkIn(t *testing.T, language string) string {
	t.Helper()
	sdks := repo.Path("bin", "sdks")
	schema, err := os.ReadFile(repo.Path("internal", "schema", "componentplugin", "schema.json"))
	require.NoError(t, err)
	if of, err := os.ReadFile(filepath.Join(sdks, "schema.json")); err != nil || !bytes.Equal(of, schema) {
		t.Skip("NOT TESTED: " + t.Name() + ", because there are no SDKs of this schema: make sdks")
	}
	return filepath.Join(sdks, language)
}

// exampleIn returns a folder with the project of an example. The plugin is served by the test, and not taken from its
// repository.
func exampleIn(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile(repo.Path("examples", language, "Pulumi.yaml"))
	require.NoError(t, err)
	dir := t.TempDir()
	text = regexp.MustCompile(`(?m)^packages:\n(?:  .*\n)+`).ReplaceAll(text, nil)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), text, 0o600))
	return dir
}

func copyInto(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600))
	}
}

func inFolder(command *exec.Cmd, dir string) *exec.Cmd {
	command.Dir = dir
	return command
}

// The examples in the package's schema are what a registry shows. The language host of Pulumi YAML previews those that
// name no provider, for which there would have to be clusters and accounts; a test of internal/schema/generate compares
// all with the schema.
func TestTheExamplesOfTheSchemaArePrograms(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(filepath.Dir(enginetest.EnginePath(t)), "pulumi-language-yaml")); err != nil {
		t.Skip("NOT TESTED: the examples of the schema, because there is no language host of YAML: make bin/pulumi-language-yaml")
	}
	programs := examplesIn(t, "yaml")
	for token, program := range programs {
		if strings.Contains(program, "pulumi:providers:") {
			delete(programs, token)
		}
	}
	for token, program := range sizes.Only(t, programs, "hypershift-aws:iam:RoleSet") {
		t.Run(token, func(t *testing.T) {
			t.Parallel()
			image := offline.Seed{Kind: offline.SeedImage, Name: "ami-0123456789abcdef0", InstanceType: "m5.large"}
			stack := enginetest.New(t, nil, enginetest.Options{
				Project:    "example",
				Seeds:      append(languageSeeds(), image),
				Components: true,
			})
			stack.Configure("config:\n  aws:region: us-east-1\n")
			if strings.Contains(program, "signingKey: {type: string, secret: true}") {
				require.NoError(t, stack.SetConfig(t.Context(), "example:signingKey",
					auto.ConfigValue{Value: otherKeyPEM(), Secret: true}))
			}
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: example\nruntime: yaml\n"+program),
				0o600))
			stack.RunIn(dir, "pulumi", "preview", "--stack", enginetest.StackName, "--non-interactive", "--color=never")
		})
	}
}

// A program in YAML has resources, lookups and providers of AWS beside the components, as with the released provider.
func TestAProgramInYAMLHasResourcesOfAWSBesideTheComponents(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, nil, enginetest.Options{Project: "yaml", Seeds: languageSeeds(), Components: true})
	if _, err := os.Stat(filepath.Join(filepath.Dir(enginetest.EnginePath(t)), "pulumi-language-yaml")); err != nil {
		t.Skip("NOT TESTED: a program in YAML, because there is no language host for it: make bin/pulumi-language-yaml")
	}
	stack.Configure("config:\n  aws:region: us-east-1\n  pulumi:disable-default-providers: [aws]\n")
	dir := exampleIn(t, "yaml")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte(`name: yaml
runtime: yaml
variables:
  region: {fn::invoke: {function: aws:getRegion, options: {provider: "${west}"}, return: name}}
resources:
  west: {type: "pulumi:providers:aws", properties: {region: us-west-2}}
  queue: {type: "aws:sqs:Queue", properties: {name: "demo-${region}"}, options: {provider: "${west}"}}
  workers:
    type: hypershift-aws:iam:WorkerProfile
    properties: {cluster: {name: demo, infraId: demo-x1, tags: {queue: "${queue.name}"}}}
    options: {providers: ["${west}"]}
outputs: {queue: "${queue.arn}", profile: "${workers.name}"}
`), 0o600))
	run := func(args ...string) {
		stack.RunIn(dir, "pulumi", append(args, "--stack", enginetest.StackName, "--non-interactive", "--color=never")...)
	}
	run("up", "--yes", "--skip-preview")
	made := map[string]bool{}
	for _, resource := range stack.Resources() {
		made[resource.Type] = true
	}
	require.True(t, made["aws:sqs/queue:Queue"] && made["aws:iam/instanceProfile:InstanceProfile"], made)
	run("preview", "--expect-no-changes")
	run("destroy", "--yes", "--skip-preview")
	require.Empty(t, stack.Resources(), "what destroy left in the account")
}

// The language host of Go builds the plugin of a checkout; a stand-in does so where pulumi-language-go is not on PATH.
// `make dist` adds the plugin of an archive.
func TestThePackageIsAddedFromACheckout(t *testing.T) {
	t.Parallel()
	dir := exampleIn(t, "yaml")
	p := harness.NewProject(t, dir, t.TempDir(), nil)
	if _, err := os.Stat(filepath.Join(filepath.Dir(p.Path), "pulumi-language-yaml")); err != nil {
		t.Skip("NOT TESTED: `pulumi package add`, because there is no language host of YAML: make bin/pulumi-language-yaml")
	}
	p.Pulumi("package", "add", repo.Path("plugin"))
	text, err := os.ReadFile(filepath.Join(dir, "Pulumi.yaml"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^packages:\n  hypershift-aws: .*/plugin$`, string(text))
	require.NotEmpty(t, harness.FilesIn(t, filepath.Join(dir, "sdks")))
}

// goModule returns a folder with a module that requires the SDK for Go of this repository.
func goModule(t *testing.T) string {
	t.Helper()
	sdk, dir := repo.Path("sdk", "go", "hypershiftaws"), t.TempDir()
	mod, err := os.ReadFile(repo.Path("go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(repo.Path("go.sum"))
	require.NoError(t, err)
	text := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module example") +
		"\nrequire " + sdkForGo + " v0.0.0\nreplace " + sdkForGo + " => " + sdk + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o600))
	return dir
}

const sdkForGo = "github.com/hypershift-aws/hypershift-aws/sdk/go/hypershiftaws"

// Each module of the SDK compiles, and so do the examples in Go that the schema shows.
func TestTheSDKForGoAndItsExamplesCompile(t *testing.T) {
	t.Parallel()
	dir := goModule(t)
	for token, program := range sizes.Only(t, examplesIn(t, "go"), "hypershift-aws:iam:RoleSet") {
		folder := filepath.Join(dir, strings.ToLower(strings.ReplaceAll(token, ":", "")))
		require.NoError(t, os.Mkdir(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(program), 0o600))
	}
	output, err := inFolder(exec.CommandContext(t.Context(), "go", "vet", "-mod=mod", "./...", sdkForGo+"/..."),
		dir).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// What `go get` serves is what the generator writes.
func TestTheSDKForGoInThisRepositoryIsThatOfTheSchema(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile(repo.Path("internal", "schema", "componentplugin", "schema.json"))
	require.NoError(t, err)
	module, err := os.ReadFile(repo.Path("sdk", "go", "hypershiftaws", "go.mod"))
	require.NoError(t, err)
	require.Contains(t, string(module), fmt.Sprintf("schema sha256:%x", sha256.Sum256(schema)), "run `make sdk-go`")
	require.Contains(t, string(module), "\nmodule "+sdkForGo+"\n")
}

// examplesIn returns the examples of the schema in a language, by the component's token.
func examplesIn(t *testing.T, language string) map[string]string {
	t.Helper()
	var schema struct {
		Resources map[string]struct{ Description string }
	}
	require.NoError(t, json.Unmarshal(componentplugin.Schema, &schema))
	programs := map[string]string{}
	for token, resource := range schema.Resources {
		block := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(resource.Description)
		require.NotNil(t, block, "%s has no example in %s", token, language)
		programs[token] = block[1]
	}
	return programs
}

func TestTheExamplesInPythonCompile(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT TESTED: the examples in Python, because there is no python3 on PATH")
	}
	dir := t.TempDir()
	for token, program := range examplesIn(t, "python") {
		file := filepath.Join(dir, strings.ReplaceAll(token, ":", "_")+".py")
		require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	}
	output, err := inFolder(exec.Command(python, "-m", "compileall", "-q", "."), dir).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// The providers of other packages, which the SDK does not need, are declared for the test.
func TestTheExamplesInTypeScriptHaveTheTypesOfTheSDK(t *testing.T) {
	t.Parallel()
	modules, sdk := nodeModules(t), sdkIn(t, "nodejs")
	dir := t.TempDir()
	require.NoError(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "hypershift-aws"), os.DirFS(sdk)))
	var files []string
	for token, program := range examplesIn(t, "typescript") {
		files = append(files, strings.ReplaceAll(token, ":", "_")+".ts")
		require.NoError(t, os.WriteFile(filepath.Join(dir, files[len(files)-1]), []byte(program), 0o600))
	}
	const provider = `import * as pulumi from "@pulumi/pulumi";
export class Provider extends pulumi.ProviderResource {
	constructor(name: string, args: Record<string, unknown>) { super("other", name, args); }
}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "provider.ts"), []byte(provider), 0o600))
	config, err := json.Marshal(map[string]any{
		"compilerOptions": map[string]any{
			"strict": true, "target": "es2020", "module": "commonjs", "moduleResolution": "node", "skipLibCheck": true,
			"noEmit": true, "baseUrl": ".", "paths": map[string][]string{
				"hypershift-aws": {"./hypershift-aws"}, "@pulumi/kubernetes": {"./provider"}, "@pulumi/aws": {"./provider"},
			},
		},
		"files": files,
	})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tsconfig.json"), config, 0o600))
	output, err := inFolder(exec.Command("node", filepath.Join(modules, "typescript", "bin", "tsc"), "-p", "."),
		dir).CombinedOutput()
	require.NoError(t, err, "tsc:\n%s", output)
}
