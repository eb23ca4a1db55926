package apiserver

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// Each row of the table of confirmed promises names tests that exist.
func TestThePromisesOfTheOfflineAccountNameTheirTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "test", "ledgers", "conformance.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "## Who confirmed what the offline account promises")
	require.True(t, found)
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range declared.FindAllStringSubmatch(string(text), -1) {
			tests[match[1]] = true
		}
		return err
	}))
	named := regexp.MustCompile("`(Test\\w+)`")
	rows := 0
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise |") {
			continue
		}
		rows++
		names := named.FindAllStringSubmatch(line, -1)
		require.NotEmpty(t, names, line)
		for _, name := range names {
			require.True(t, tests[name[1]], "%s does not exist", name[1])
		}
	}
	require.Greater(t, rows, 10)
}

// Each call of go test of make conformance has a row in the table of judges, and each row has the commit and the day of
// the last whole run.
func TestEachJudgeHasItsLastWholeRun(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(repo.Path("test", "ledgers", "conformance.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| judge | command |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")[2:]
	run := regexp.MustCompile("\\| `[0-9a-f]{8}` on [A-Z][a-z]+ [1-9][0-9]?, 20[0-9]{2}[^|]* \\|$")
	for _, row := range rows {
		require.Regexp(t, run, row)
	}
	makefile, err := os.ReadFile(repo.Path("Makefile"))
	require.NoError(t, err)
	_, target, found := strings.Cut(string(makefile), "\nJUDGES =")
	require.True(t, found)
	names, _, _ := strings.Cut(target, "\n")
	target, _, found = strings.Cut(target, "\nfuzz:")
	require.True(t, found)
	for _, rule := range regexp.MustCompile(`(?m)^judge-([a-z]+)(-%)?:`).FindAllStringSubmatch(target, -1) {
		require.Regexp(t, `\b`+rule[1]+`\b`, names, "make conformance runs it")
	}
	judges := 0
	for _, command := range regexp.MustCompile(`go test (.*) -run '?([^' ]+)`).FindAllStringSubmatch(target, -1) {
		judges++
		packages := regexp.MustCompile(`\./\S+`).FindAllString(command[1], -1)
		for _, pattern := range strings.Split(command[2], "|") {
			require.True(t, slices.ContainsFunc(rows, func(row string) bool {
				ran := regexp.MustCompile(`-run ([\w|]+)`).FindStringSubmatch(row)
				return ran != nil && strings.Contains(pattern, ran[1]) && !slices.ContainsFunc(packages, func(one string) bool {
					return !strings.Contains(row, one+" ")
				})
			}), "no row runs %s of %v", pattern, packages)
		}
	}
	require.GreaterOrEqual(t, judges, 8)
}

// A judge that fails hides no other, and what is not tested is named at the end.
func TestAFailedJudgeHidesNoOther(t *testing.T) {
	t.Parallel()
	run, err := exec.LookPath("make")
	if err != nil {
		t.Skip("NOT TESTED: the end of make conformance, which needs make on PATH")
	}
	// These have no rule, so that they fail at once.
	target := exec.CommandContext(t.Context(), run, "--no-print-directory", "conformance", "JUDGES=first second", "PKO=x")
	target.Dir = repo.Path()
	said, err := target.CombinedOutput()
	require.Error(t, err)
	for _, words := range []string{"make judge-first", "make judge-second", "passed: none", "FAILED: first second",
		"NOT TESTED: HyperShift's own controllers"} {
		require.Contains(t, string(said), words)
	}
	require.NotContains(t, string(said), "NOT TESTED: the Pulumi Kubernetes Operator")
}

// A path that the Makefile names has moved if it is not there; make would notice when the target next runs.
func TestEachPathOfTheMakefileExists(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile(repo.Path("Makefile"))
	require.NoError(t, err)
	named := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?:^|[\s"'])(?:\./)?((?:tools|test|internal|examples|components|stacks|cmd)/[\w./-]+)`).
		FindAllStringSubmatch(string(makefile), -1) {
		named[strings.TrimSuffix(strings.TrimSuffix(match[1], "/..."), "/")] = true
	}
	others := regexp.MustCompile(`KUBE_OTHERS *:= (.*)`).FindStringSubmatch(string(makefile))
	require.NotNil(t, others)
	for version := range strings.FieldsSeq(others[1]) {
		named["tools/conformance/kubernetes-"+version+".mod"], named["tools/conformance/kubernetes-"+version+".sum"] = true,
			true
	}
	for path := range named {
		if !strings.HasSuffix(path, "kubernetes-") { // a pattern of versions
			_, err := os.Stat(repo.Path(strings.Split(path, "/")...))
			require.NoError(t, err)
		}
	}
	require.Greater(t, len(named), 30)
}
