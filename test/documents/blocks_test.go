package documents

import (
	"fmt"
	"iter"
	"maps"
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

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/page"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// shells are the languages of the documents' blocks of commands: a session and commands, both of which scripts run;
// commands that need an AWS account; and commands that need the internet or another program. excerpts are those of
// programs, which languageexamples_test.go runs. What a program prints is text.
var (
	shells   = []string{"", "sh", "sh on AWS", "sh online"}
	excerpts = []string{"python", "typescript"}
	others   = []string{"yaml", "go", "csv", "mermaid", "text"}
)

func TestEachCodeBlockHasALanguageThatIsChecked(t *testing.T) {
	t.Parallel()
	for name, text := range page.All(t) {
		for _, block := range page.CodeBlock.FindAllStringSubmatch(text, -1) {
			assert.Contains(t, slices.Concat(shells, excerpts, others), block[1], "%s: a block in %q", name, block[1])
			if block[1] == "" && !strings.HasPrefix(name, "docs/commands/") { // which cobra writes
				assert.Regexp(t, `(?m)^ *\$ `, block[2], "%s: a session without a command: use sh, or text", name)
			}
		}
	}
}

func TestTheShellOfTheDocumentsCanBeParsed(t *testing.T) {
	t.Parallel()
	for name, text := range page.All(t) {
		for _, language := range shells[1:] {
			for _, block := range page.Blocks(text, language) {
				parse := exec.Command("sh", "-n")
				parse.Stdin = strings.NewReader(block)
				out, err := parse.CombinedOutput()
				assert.NoError(t, err, "%s: %s\n%s", name, out, block)
			}
		}
	}
}

// excerpt is a marker before a block whose lines are also in a file of the repository, perhaps with another
// indentation.
var excerpt = regexp.MustCompile("(?ms)^<!-- excerpt of (\\S+) -->\n```([^\n]*)\n(.*?)^```$")

func TestAnExcerptInTheDocumentsHasTheLinesOfItsFile(t *testing.T) {
	t.Parallel()
	for name, text := range page.All(t) {
		marked := map[string]int{}
		for _, match := range excerpt.FindAllStringSubmatch(text, -1) {
			marked[match[2]]++
			file, err := os.ReadFile(repo.Path(filepath.FromSlash(match[1])))
			require.NoError(t, err, name)
			block := outdented(strings.Split(strings.TrimSuffix(match[3], "\n"), "\n"))
			lines := strings.Split(string(file), "\n")
			assert.True(t, slices.ContainsFunc(slices.Collect(windows(lines, len(block))), func(window []string) bool {
				return slices.Equal(outdented(window), block)
			}), "%s: %s does not have the lines\n%s", name, match[1], match[3])
		}
		for _, language := range excerpts {
			assert.Len(t, page.Blocks(text, language), marked[language], "%s: a block in %s is no excerpt", name, language)
		}
	}
}

// windows yields each n consecutive lines.
func windows(lines []string, n int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for i := 0; i+n <= len(lines) && yield(lines[i:i+n]); i++ {
		}
	}
}

// outdented returns lines without the white space with which all of them begin.
func outdented(lines []string) []string {
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	var out []string
	for _, line := range lines {
		out = append(out, strings.TrimPrefix(line, indent))
	}
	return out
}

// sectionOf returns a stack's file for a block of YAML: the block itself, or a file with the section or the keys of a
// section that it shows; nil for another document, such as an object of Kubernetes.
func sectionOf(block map[string]any) map[string]any {
	if file, isFile := block["config"].(map[string]any); isFile {
		return file
	}
	for key := range block {
		if strings.HasPrefix(key, config.ProjectName+":") {
			file := maps.Clone(block)
			if _, has := file[config.KindKey]; !has && slices.Contains(stacks.Kinds().Names(),
				config.Kind(strings.TrimPrefix(key, config.ProjectName+":"))) {
				file[config.KindKey] = strings.TrimPrefix(key, config.ProjectName+":")
			}
			return file
		}
	}
	for _, kind := range stacks.Kinds().Names() {
		known := map[string]bool{}
		for _, field := range configfield.All(stacks.Kinds().Type(kind)) {
			known[field.Key] = true
		}
		if len(block) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(block)), func(key string) bool {
			return !known[key]
		}) {
			return map[string]any{config.KindKey: string(kind), kind.Key(): block}
		}
	}
	return nil
}

// wrong returns the faults of a stack's file in a page: unknown keys, and values that are refused. A block may leave
// out keys, and name files that only its reader has.
func wrong(t *testing.T, section map[string]any) (found []string) {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{"config": section})
	require.NoError(t, err)
	_, err = stacks.Kinds().ParseFile("Pulumi.page.yaml", "page", text)
	for _, f := range fault.In(err) {
		unknownKey, wrongType := strings.Contains(f.Problem, "is not a key"), strings.Contains(f.Problem+f.Remedy, "expected")
		if unknownKey || wrongType || f.Value != nil && !strings.HasPrefix(f.Problem, "cannot be read") {
			found = append(found, fmt.Sprintf("%s: %v: %s: %s", f.Path, f.Value, f.Problem, f.Remedy))
		}
	}
	return found
}

func TestTheYAMLOfTheDocumentsIsAStacksFileOrAnotherDocument(t *testing.T) {
	t.Parallel()
	checked := 0
	for name, text := range page.All(t) {
		for _, block := range sizes.First(1, page.Blocks(text, "yaml")) {
			var read map[string]any
			if !assert.NoError(t, yaml.Unmarshal([]byte(block), &read), "%s:\n%s", name, block) {
				continue
			}
			if section := sectionOf(read); section != nil {
				checked++
				assert.Empty(t, wrong(t, section), "%s:\n%s", name, block)
			}
		}
	}
	require.Greater(t, checked, 3)
	assert.NotEmpty(t, wrong(t, map[string]any{
		config.KindKey:    "cluster",
		config.ClusterKey: map[string]any{"nam": "demo"},
	}))
}

const module = "github.com/hypershift-aws/hypershift-aws/"

// importsOfBlocks are the packages that the Go of the documents uses, by their names.
var importsOfBlocks = map[string]string{
	"context": "context", "auto": "github.com/pulumi/pulumi/sdk/v3/go/auto", "automation": module + "automation",
	"config":     module + "stacks/config",
	"hypershift": module + "components/hypershift", "iam": module + "components/iam",
	"network": module + "components/network",
	"program": module + "program", "pulumi": "github.com/pulumi/pulumi/sdk/v3/go/pulumi",
	"require": "github.com/stretchr/testify/require",
	"testing": "testing",
}

// goFile returns a Go file for a block: the block itself, or a function around its statements, with the variables that
// they use.
func goFile(block string) string {
	if strings.HasPrefix(block, "package ") {
		return strings.Replace(block, "package main", "package page", 1)
	}
	used := ""
	for _, variables := range regexp.MustCompile(`(?m)^(\w+)(?:, (?:err|_))? :=`).FindAllStringSubmatch(block, -1) {
		used += "_ = " + variables[1] + "\n"
	}
	context := "context.Context"
	if strings.Contains(block, "(ctx, \"") || strings.Contains(block, "program.") {
		context = "*pulumi.Context"
	}
	function := "func _(t *testing.T, ctx " + context +
		", project *automation.Project, cluster hypershift.Cluster, nat string, " +
		"args *network.GuestNetworkArgs, Program pulumi.RunFunc) error {\n{\n" + block + used + "return err\n}\n}\n"
	file := "package page\n"
	for name, path := range importsOfBlocks {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(function) {
			file += fmt.Sprintf("import %q\n", path)
		}
	}
	return file + function
}

func TestTheGoOfTheDocumentsCompiles(t *testing.T) {
	t.Parallel()
	for name, text := range page.All(t) {
		for _, block := range sizes.First(1, page.Blocks(text, "go")) {
			file := filepath.Join(t.TempDir(), "block.go")
			require.NoError(t, os.WriteFile(file, []byte(goFile(block)), 0o644))
			build := exec.Command("go", "build", file)
			build.Dir = repo.Path()
			out, err := build.CombinedOutput()
			assert.NoError(t, err, "%s: %s\n%s", name, out, block)
		}
	}
}
