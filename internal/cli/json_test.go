package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// jsonRecord is the extension of the files in which each process of a script records its JSON.
const jsonRecord = ".json"

// jsonOutput is what a command line with -o json wrote to stdout.
type jsonOutput struct {
	Ran    []string `json:"ran"`
	Code   int      `json:"code"`
	Stdout string   `json:"stdout"`
}

// recordJSON records the output of a command line that contains -o json.
func recordJSON(folder string, args []string, code int, stdout []byte) error {
	if i := slices.Index(args, "-o"); i < 0 || i+1 == len(args) || args[i+1] != "json" || strings.HasPrefix(args[0], "__") {
		return nil
	}
	content, err := json.Marshal(jsonOutput{args, code, string(stdout)})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, fmt.Sprint(os.Getpid())+jsonRecord), content, 0o600)
}

// documentedLines returns the fields of each type of line in docs/appendix/json.md.
func documentedLines(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "appendix", "json.md"))
	require.NoError(t, err)
	fields := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|[^|]*\\|(.*)\\|$").FindAllStringSubmatch(string(text), -1) {
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[2], -1) {
			fields[row[1]] = append(fields[row[1]], name[1])
		}
	}
	return fields
}

// checkJSON checks the output of a command line: each line is of a type in docs/appendix/json.md and has no other fields, and the last line is the
// result. A command that prints one document prints no line, unless it fails.
func checkJSON(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var out jsonOutput
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
			assert.Contains(t, append([]string{"type", "time", "stack"}, known[last]...), name, "docs/appendix/json.md: type %s: %s", last, ran)
		}
	}
	want := "summary"
	if out.Code != 0 {
		want = "error"
	}
	assert.Equal(t, want, last, "the last line of %s", ran)
}
