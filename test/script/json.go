package script

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/program"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// documentedLines returns the fields of each type of line in docs/appendix/json.md.
func documentedLines(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(repo.Path("docs", "appendix", "json.md"))
	require.NoError(t, err)
	fields := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|[^|]*\\|(.*)\\|$").FindAllStringSubmatch(string(text),
		-1) {
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[2], -1) {
			fields[row[1]] = append(fields[row[1]], name[1])
		}
	}
	return fields
}

// checkJSON checks the output of a command line: each line is of a type in docs/appendix/json.md and has no other
// fields, and the last line is the result. A command that prints one document prints no line, unless it fails.
func checkJSON(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var out program.JSONOutput
	require.NoError(t, json.Unmarshal(content, &out))
	ran := strings.Join(out.Ran, " ")
	if out.Code == 0 && regexp.MustCompile(`(^| )(outputs|console|kubeconfig|schema|render)( |$)`).MatchString(ran) {
		return
	}
	known, last := documentedLines(t), ""
	for line := range strings.Lines(out.Stdout) {
		var fields map[string]any
		if !assert.NoError(t, json.Unmarshal([]byte(line), &fields), "%s: %s", ran, line) {
			continue
		}
		last, _ = fields["type"].(string)
		if !assert.Contains(t, known, last, "docs/appendix/json.md has no line of this type: %s: %s", ran, line) {
			continue
		}
		for name := range fields {
			assert.Contains(t, append([]string{"type", "time", "stack"}, known[last]...), name,
				"docs/appendix/json.md: type %s: %s", last, ran)
		}
	}
	want := "summary"
	if out.Code != 0 {
		want = "error"
	}
	assert.Equal(t, want, last, "the last line of %s", ran)
}
