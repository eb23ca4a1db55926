package cli

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/commandline"
	"github.com/hypershift-aws/hypershift-aws/test/page"
)

// workflow is a file of .github/workflows.
type workflow struct {
	On          yaml.Node `yaml:"on"`
	Env         map[string]string
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions yaml.Node
		Env         map[string]string
		Steps       []workflowStep
	}
}

type workflowStep struct {
	Uses, Run, ID string
	Env, With     map[string]string
}

// steps returns the steps of all jobs.
func (w workflow) steps() (all []workflowStep) {
	for _, job := range w.Jobs {
		all = append(all, job.Steps...)
	}
	return all
}

func readWorkflow(t *testing.T, name string) (workflow, string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", ".github", "workflows", name))
	require.NoError(t, err)
	var parsed workflow
	require.NoError(t, yaml.Unmarshal(text, &parsed), name)
	return parsed, string(text)
}

// ownCommands returns the command lines of this program in a text, without the shell's double quotes.
func ownCommands(text string) (lines []string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	text = strings.ReplaceAll(text, `"${select[@]}"`, "--select=name=x --select=management=x")
	for _, line := range regexp.MustCompile(`(?m)^\s*(?:- run: )?(hypershift-aws .*)$`).FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.ReplaceAll(line[1], `"`, ""))
	}
	return lines
}

// commandFault returns an error unless the command of a line exists and accepts its flags and arguments.
func commandFault(line string) error {
	found, err := commandline.Parse(Command(features.All()), commandline.ShellWords(line)[1:])
	if err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return found.Command.ValidateArgs(found.Args)
}

// pinned matches an action that is pinned to a commit, with its version in a comment.
var pinned = regexp.MustCompile(`(?m)uses: ([\w.-]+/[\w./-]+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$`)

func TestTheWorkflowsRunCommandsThatExist(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*"))
	require.NoError(t, err)
	require.Len(t, names, 6)
	makefile := commandFiles(t)["Makefile"]
	commits := map[string]string{}
	own := 0
	for _, name := range names {
		parsed, text := readWorkflow(t, filepath.Base(name))
		require.False(t, parsed.On.IsZero(), name)
		require.NotEmpty(t, parsed.Jobs, name)
		require.Regexp(t, `(?m)^permissions: \{(contents: read)?\}$`, text, "%s: jobs ask for what they need", name)
		var uses []string
		for _, match := range pinned.FindAllStringSubmatch(text, -1) {
			uses = append(uses, match[1])
			action, commit, _ := strings.Cut(match[1], "@")
			if other, known := commits[action]; known {
				assert.Equal(t, other, commit, "%s has two versions of %s", name, action)
			}
			commits[action] = commit
		}
		for _, step := range parsed.steps() {
			require.NotEqual(t, step.Uses == "", step.Run == "", "%s: a step uses an action or runs commands", name)
			if step.Uses != "" {
				assert.Contains(t, uses, step.Uses, "%s: pin actions by commit, with the version in a comment", name)
			}
			assert.NotContains(t, step.Run, "${{", "%s: what an event has must reach a shell by the environment", name)
			for _, line := range ownCommands(step.Run) {
				own++
				assert.NoError(t, commandFault(line), name)
			}
			if target, isMake := strings.CutPrefix(step.Run, "make "); isMake {
				assert.Regexp(t, `(?m)^`+regexp.QuoteMeta(strings.Fields(target)[0])+`:`, makefile, name)
			}
		}
	}
	require.Equal(t, 6, own, "preview, up and drift of one stack and of many")

	for line, ok := range map[string]bool{
		"hypershift-aws -s $STACK up --yes --plan x": true, "hypershift-aws -s $STACK up --yes --plans x": false,
		"hypershift-aws -s $STACK ascend": false,
	} {
		assert.Equal(t, ok, commandFault(line) == nil, line)
	}
	assert.NotRegexp(t, pinned, "uses: actions/checkout@v4 # v4.0.0")
}

func TestTheWorkflowOfThisRepositoryHasTheStepsOfItsScript(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join("..", "..", ".ci", "run"))
	require.NoError(t, err)
	var want []string
	for _, match := range regexp.MustCompile(`(?m)^make .*$`).FindAllString(string(script), -1) {
		want = append(want, strings.TrimSpace(match))
	}
	require.NotEmpty(t, want)
	var got []string
	ci, _ := readWorkflow(t, "ci.yml")
	for _, step := range ci.Jobs["ci"].Steps {
		if step.Run != "" {
			got = append(got, step.Run)
		}
	}
	require.Equal(t, want, got)
}

// TestAMergeCarriesOutTheReviewedPlan compares the three jobs of the workflow for users: what one keeps is what the
// other takes, and only the merge has the role that may change AWS.
func TestAMergeCarriesOutTheReviewedPlan(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][2]string{
		"stack.yml": {"save-plan", "plan"},
		"fleet.yml": {"save-plans", "plans"},
	} {
		requireReviewed(t, name, flags[0], flags[1])
	}
}

func requireReviewed(t *testing.T, workflow, save, plan string) {
	t.Helper()
	stack, _ := readWorkflow(t, workflow)
	find := func(job, action string) workflowStep {
		steps := stack.Jobs[job].Steps
		i := slices.IndexFunc(steps, func(s workflowStep) bool { return strings.HasPrefix(s.Uses, action+"@") })
		require.GreaterOrEqual(t, i, 0, "%s: %s", job, action)
		return steps[i]
	}
	kept, taken := find("preview", "actions/upload-artifact"), find("up", "actions/download-artifact")
	require.Equal(t, kept.With["name"], taken.With["name"])
	require.Equal(t, "${{ steps.reviewed.outputs.run }}", taken.With["run-id"])
	commands := map[string][]string{}
	for name, job := range stack.Jobs {
		for _, step := range job.Steps {
			commands[name] = append(commands[name], ownCommands(step.Run)...)
		}
	}
	flag := func(job, name string) string {
		require.Len(t, commands[job], 1, job)
		found, err := commandline.Parse(Command(features.All()), commandline.ShellWords(commands[job][0])[1:])
		require.NoError(t, err)
		require.Equal(t, plan == "plan", found.Command.Flag("stack").Value.String() != "", job)
		return found.Command.Flag(name).Value.String()
	}
	require.Equal(t, flag("preview", save), flag("up", plan))
	require.Equal(t, "true", flag("preview", "expect-no-refusal"), "a plan that up refuses is red")
	require.Equal(t, filepath.Base(flag("up", plan)), filepath.Base(kept.With["path"]))
	for job, role := range map[string]string{"preview": "read-role", "up": "write-role", "drift": "read-role"} {
		require.Equal(t, "${{ inputs."+role+" }}", find(job, "aws-actions/configure-aws-credentials").With["role-to-assume"],
			job)
		require.Equal(t, "${BACKEND}", strings.Replace(flag(job, "backend"), "$BACKEND", "${BACKEND}", 1), job)
	}
}

func TestThePipelineOfGitLabRunsCommandsThatExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "ci", "gitlab-ci.yml"))
	require.NoError(t, err)
	var jobs map[string]struct{ Script []string }
	require.NoError(t, yaml.Unmarshal(text, &jobs))
	for _, job := range []string{"plan", "up", "drift"} {
		require.NotEmpty(t, jobs[job].Script, job)
		for _, line := range jobs[job].Script {
			assert.NoError(t, commandFault(strings.ReplaceAll(line, `"`, "")), job)
		}
	}
}

// TestTheDocumentedCallFitsTheWorkflow compares the inputs and secrets of the call in docs/pipelines.md with those that
// the workflow declares.
func TestTheDocumentedCallFitsTheWorkflow(t *testing.T) {
	t.Parallel()
	_, block, found := strings.Cut(page.All(t)["docs/pipelines.md"], "```yaml\n")
	require.True(t, found)
	block, _, _ = strings.Cut(block, "```")
	var caller struct {
		Permissions map[string]string
		Jobs        map[string]struct {
			Uses          string
			With, Secrets map[string]string
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(block), &caller))
	stack, _ := readWorkflow(t, "stack.yml")
	var on struct {
		Call struct {
			Inputs, Secrets map[string]struct{ Required bool }
		} `yaml:"workflow_call"`
	}
	require.NoError(t, stack.On.Decode(&on))
	require.Len(t, caller.Jobs, 1)
	for _, job := range caller.Jobs {
		path, version, _ := strings.Cut(strings.TrimPrefix(job.Uses, "hypershift-aws/hypershift-aws/"), "@")
		require.Equal(t, ".github/workflows/stack.yml", path)
		require.Equal(t, job.With["version"], version)
		for name := range job.With {
			require.Contains(t, on.Call.Inputs, name)
		}
		for name := range job.Secrets {
			require.Contains(t, on.Call.Secrets, name)
		}
		for name, input := range on.Call.Inputs {
			require.False(t, input.Required && job.With[name] == "", name)
		}
	}
	// A job cannot have more than its caller grants.
	for name, job := range stack.Jobs {
		var wanted map[string]string
		require.NoError(t, job.Permissions.Decode(&wanted))
		for scope, level := range wanted {
			require.Contains(t, []string{level, "write"}, caller.Permissions[scope], "%s: %s", name, scope)
		}
	}
}

// A file of dependencies that dependabot.yml does not name would never be updated.
func TestDependencyUpdatesKnowEveryModule(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, ".github", "dependabot.yml"))
	require.NoError(t, err)
	var dependabot struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directory   string
			Directories []string
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &dependabot))
	known, want := map[string][]string{}, map[string][]string{"github-actions": {"/"}}
	for _, update := range dependabot.Updates {
		known[update.Ecosystem] = update.Directories
		if update.Directory != "" {
			known[update.Ecosystem] = append(known[update.Ecosystem], update.Directory)
		}
	}
	ecosystems := map[string]string{"go.mod": "gomod", "package-lock.json": "npm", "Containerfile": "docker"}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && slices.Contains([]string{"bin", ".git"}, entry.Name()) {
			return filepath.SkipDir
		}
		ecosystem, counts := ecosystems[entry.Name()]
		if err != nil || !counts {
			return err
		}
		content, err := os.ReadFile(path)
		if entry.Name() != "go.mod" || strings.Contains(string(content), "\nrequire ") {
			dir, _ := filepath.Rel(root, filepath.Dir(path))
			want[ecosystem] = append(want[ecosystem], strings.TrimSuffix("/"+filepath.ToSlash(dir), "."))
		}
		return err
	}))
	for _, ecosystem := range []string{"gomod", "npm", "docker", "github-actions"} {
		require.ElementsMatch(t, want[ecosystem], known[ecosystem], ecosystem)
	}
}

func TestAReleaseHasTheVersionOfItsTag(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]bool{stacks.Version: true, "v9.9.9": false, "": true} {
		dir := t.TempDir()
		for _, name := range []string{"tools/checkversion", "internal/schema/componentplugin/schema.json"} {
			text, err := os.ReadFile(filepath.Join("..", "..", name))
			require.NoError(t, err)
			require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o755))
		}
		git := func(args ...string) {
			command := exec.CommandContext(t.Context(), "git",
				append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
			command.Dir = dir
			text, err := command.CombinedOutput()
			require.NoError(t, err, string(text))
		}
		git("init", "--quiet")
		git("commit", "--quiet", "--allow-empty", "--message", "x")
		if tag != "" {
			git("tag", tag)
		}
		err := exec.CommandContext(t.Context(), filepath.Join(dir, "tools", "checkversion")).Run()
		assert.Equal(t, want, err == nil, "tag %q: %v", tag, err)
	}
}

// What is compiled with each change is what a release has archives for.
func TestEachPlatformOfAReleaseIsCompiledWithEachChange(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", ".goreleaser.yaml"))
	require.NoError(t, err)
	var release struct {
		Builds []struct{ Goos, Goarch []string }
	}
	require.NoError(t, yaml.Unmarshal(text, &release))
	var want []string
	for _, system := range release.Builds[0].Goos {
		for _, processor := range release.Builds[0].Goarch {
			want = append(want, system+"/"+processor)
		}
	}
	require.Len(t, want, 6)
	made := regexp.MustCompile(`(?m)^PLATFORMS\s*:= (.*)$`).FindStringSubmatch(commandFiles(t)["Makefile"])
	require.NotNil(t, made)
	require.Equal(t, want, strings.Fields(made[1]))
	ci, err := os.ReadFile(filepath.Join("..", "..", ".github", "workflows", "ci.yml"))
	require.NoError(t, err)
	require.Contains(t, string(ci), "platform: ["+strings.Join(want, ", ")+"]")
}

// Nothing is released that the tests have not passed, and what each registry has is tried afterwards.
func TestAReleaseWaitsForTheTestsAndIsTriedAfterwards(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", ".github", "workflows", "release.yml"))
	require.NoError(t, err)
	var release struct {
		Jobs map[string]struct {
			Needs       any
			Environment string
			Steps       []workflowStep
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &release))
	publish, err := os.ReadFile(filepath.Join("..", "..", "tools", "publish"))
	require.NoError(t, err)
	require.Equal(t, "test", release.Jobs["release"].Needs)
	var registries []any
	for _, match := range regexp.MustCompile(`(?m)^(\w+)\)(?: #.*)?$`).FindAllStringSubmatch(string(publish), -1) {
		registry := match[1]
		registries = append(registries, registry)
		job := release.Jobs[registry]
		require.Equal(t, "release", job.Needs, registry)
		require.Equal(t, registry, job.Environment, "a maintainer approves what is published")
		require.True(t, slices.ContainsFunc(job.Steps, func(s workflowStep) bool {
			return strings.Contains(s.Run, "tools/publish "+registry)
		}), registry)
	}
	require.Len(t, registries, 6)
	require.ElementsMatch(t, registries, release.Jobs["verify"].Needs)
}

// What judges this program at night is the code that it has been compared with, and no later one.
func TestTheNightlyRunsPinTheCodeOfOthers(t *testing.T) {
	t.Parallel()
	nightly, _ := readWorkflow(t, "nightly.yml")
	pinned := 0
	for _, step := range nightly.steps() {
		if step.With["repository"] != "" {
			pinned++
			require.Regexp(t, `^[0-9a-f]{40}$`, step.With["ref"], step.With["repository"])
		}
	}
	require.Equal(t, 2, pinned)
}

// TestAWorkflowCanDoNoMoreThanItsJobsNeed has the rules of OpenSSF Scorecard for workflows: a job that says nothing can
// at most read the repository, actions are those of a commit, and a checkout leaves no token behind unless it pushes.
func TestAWorkflowCanDoNoMoreThanItsJobsNeed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	uses := regexp.MustCompile(`(?m)^.*\buses: (.*)$`)
	for _, file := range files {
		name := filepath.Base(file)
		parsed, text := readWorkflow(t, name)
		for scope, access := range parsed.Permissions {
			require.Equal(t, "contents: read", scope+": "+access, "%s: all jobs have this", name)
		}
		require.Regexp(t, `(?m)^permissions: `, text, name)
		for _, line := range uses.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(line[1], "./") {
				require.Regexp(t, `^[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$`, line[1], name)
			}
		}
		for id, job := range parsed.Jobs {
			pushes := false
			for _, step := range job.Steps {
				require.NotRegexp(t, `\$\{\{`, step.Run, "%s: %s: what others write may run as a command", name, id)
				require.NotRegexp(t, `\b(pip|npm|npx|gem) (install|i)\b|curl .*\| *(ba)?sh`,
					unpinned.ReplaceAllString(step.Run, ""), "%s: %s", name, id)
				pushes = pushes || strings.Contains(step.Run, "tools/publish go")
			}
			for _, step := range job.Steps {
				if strings.HasPrefix(step.Uses, "actions/checkout@") && !pushes {
					require.Equal(t, "false", step.With["persist-credentials"], "%s: %s", name, id)
				}
			}
		}
	}
}

// unpinned is what Scorecard still finds: the digests of these packages and of what they need are not in this
// repository.
var unpinned = regexp.MustCompile(`pip install '(moto\[server\]|pulumi)==[\d.]+'`)

// TestASecretReachesOnlyTheStepThatNeedsIt names the steps that have a token or a passphrase: actions of others and
// what they install never see one.
func TestASecretReachesOnlyTheStepThatNeedsIt(t *testing.T) {
	t.Parallel()
	needs := map[string]*regexp.Regexp{
		"GH_TOKEN":        regexp.MustCompile(`(?m)\bgh (api|pr|release|run) `),
		"PASSPHRASE":      regexp.MustCompile(`(?m)^\s*hypershift-aws .* (preview|up|drift)\b`),
		"NODE_AUTH_TOKEN": regexp.MustCompile(`tools/publish npm$`),
		"NUGET_TOKEN":     regexp.MustCompile(`tools/publish nuget$`),
		"MAVEN_TOKEN":     regexp.MustCompile(`tools/publish maven$`),
		"SIGNING_KEY":     regexp.MustCompile(`tools/publish maven$`), "SIGNING_PASSWORD": regexp.MustCompile(`tools/publish maven$`),
		"REGISTRY_TOKEN": regexp.MustCompile(`tools/publish image$`),
	}
	secret := regexp.MustCompile(`\bsecrets\.|\bgithub\.token\b`)
	files, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*"))
	require.NoError(t, err)
	given := map[string]int{}
	for _, file := range files {
		name := filepath.Base(file)
		parsed, _ := readWorkflow(t, name)
		require.NotRegexp(t, secret, fmt.Sprint(parsed.Env), "%s: all steps of all jobs have this", name)
		for _, job := range parsed.Jobs {
			require.NotRegexp(t, secret, fmt.Sprint(job.Env), "%s: all steps of the job have this", name)
			for _, step := range job.Steps {
				for variable, value := range step.Env {
					if !secret.MatchString(value) {
						continue
					}
					given[variable]++
					require.Contains(t, needs, variable, name)
					require.Regexp(t, needs[variable], strings.TrimSpace(step.Run), "%s: %s", name, variable)
				}
			}
		}
	}
	for variable := range needs {
		require.Positive(t, given[variable], variable)
	}
}

// TestThePipelinesInstallTheEngineBeforeTheyHaveCredentials compares the engine of the workflows for users with the
// version that the CLI needs: with another the CLI would download one itself, in a job with credentials of AWS.
func TestThePipelinesInstallTheEngineBeforeTheyHaveCredentials(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"stack.yml", "fleet.yml"} {
		parsed, _ := readWorkflow(t, name)
		for id, job := range parsed.Jobs {
			at := func(action string) int {
				return slices.IndexFunc(job.Steps, func(s workflowStep) bool { return strings.HasPrefix(s.Uses, action+"@") })
			}
			installed := at("pulumi/actions")
			require.GreaterOrEqual(t, installed, 0, "%s: %s", name, id)
			require.Equal(t, engine.Minimum().String(), job.Steps[installed].With["pulumi-version"], "%s: %s", name, id)
			require.Less(t, installed, at("aws-actions/configure-aws-credentials"), "%s: %s", name, id)
		}
	}
}
