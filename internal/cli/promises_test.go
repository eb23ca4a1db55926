package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/page"
)

// promises is the content of testdata/promises.yaml.
type promises struct {
	Groups []struct {
		Group    string    `yaml:"group"`
		Promises []promise `yaml:"promises"`
	} `yaml:"groups"`
	// Open is what is not mended, and harms no living cluster: its tests show that, or why it stays.
	Open []struct {
		What  string   `yaml:"what"`
		Why   string   `yaml:"why"`
		Tests []string `yaml:"tests"`
	} `yaml:"open"`
}

// promise is what users may rely on.
type promise struct {
	Promise string `yaml:"promise"`
	// Tests are functions, and scripts of testdata.
	Tests []string `yaml:"tests"`
	// Page is the page of docs that describes it.
	Page string `yaml:"page"`
}

// faults returns what is wrong with a promise: a test or a page that does not exist, or no test that every machine runs. where has the folder of
// each test, texts the pages.
func (p promise) faults(where, texts map[string]string) (faults []string) {
	everywhere := false
	for _, test := range p.Tests {
		if where[test] == "" {
			faults = append(faults, "there is no test "+test)
		}
		everywhere = everywhere || !strings.Contains(test, "RealAPIServer") && !strings.HasSuffix(test, "ThroughAWSsAPI")
	}
	if !everywhere {
		faults = append(faults, "no test that needs no further tool")
	}
	if texts["docs/"+p.Page] == "" {
		faults = append(faults, "there is no page "+p.Page)
	}
	return faults
}

// testsByName returns the folder of each test function and of each script.
func testsByName(t *testing.T) map[string]string {
	t.Helper()
	where := map[string]string{}
	packages := testPackages(t)
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		for _, name := range packages[folder].tests {
			where[name] = folder
		}
	}
	for _, folder := range []string{"engine", "script"} {
		scripts, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
		require.NoError(t, err)
		for _, script := range scripts {
			where[filepath.Base(script)] = "internal/cli/testdata/" + folder
		}
	}
	return where
}

// quoted returns the names of tests for a cell of the table.
func quoted(tests []string) string { return "`" + strings.Join(tests, "`, `") + "`" }

// TestEveryPromiseHasATest compares docs/appendix/promises.md with testdata/promises.yaml, whose tests must be part of `make test`.
func TestEveryPromiseHasATest(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "promises.yaml"))
	require.NoError(t, err)
	var all promises
	require.NoError(t, yaml.Unmarshal(text, &all))
	where, texts := testsByName(t), page.All(t)
	var table strings.Builder
	count := 0
	for _, group := range all.Groups {
		fmt.Fprintf(&table, "\n## %s\n\n| promise | shown by | described in |\n|---|---|---|\n", group.Group)
		for _, p := range group.Promises {
			count++
			assert.Empty(t, p.faults(where, texts), p.Promise)
			fmt.Fprintf(&table, "| %s | %s | [%s](../%s) |\n", p.Promise, quoted(p.Tests), p.Page, p.Page)
		}
	}
	require.Greater(t, count, 60)
	table.WriteString("\n## Not mended\n\n| what may happen | why | shown by |\n|---|---|---|\n")
	for _, open := range all.Open {
		assert.Empty(t, promise{Tests: open.Tests, Page: "appendix/promises.md"}.faults(where, texts), open.What)
		fmt.Fprintf(&table, "| %s | %s | %s |\n", open.What, open.Why, quoted(open.Tests))
	}
	golden.RequireSection(t, "../../docs/appendix/promises.md", "<!-- promises -->\n", "<!-- end of promises -->", table.String()+"\n")

	known := promise{Tests: []string{"life.txtar"}, Page: "safety.md"}
	assert.Empty(t, known.faults(where, texts))
	for _, wrong := range []promise{
		{Page: known.Page},
		{Tests: []string{"life.txtar", "missing.txtar"}, Page: known.Page},
		{Tests: []string{"TestARealAPIServerTellsWhetherAClusterIsAlive"}, Page: known.Page},
		{Tests: known.Tests, Page: "missing.md"},
	} {
		assert.Len(t, wrong.faults(where, texts), 1, "%v", wrong)
	}
}
