package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// TestTheDocumentOfSafetyHasEveryGate compares the table of docs/appendix/gates.md with the gates that the commands
// ask.
func TestTheDocumentOfSafetyHasEveryGate(t *testing.T) {
	t.Parallel()
	const document, begin, end = "../../docs/appendix/gates.md", "<!-- gates -->\n", "<!-- end of gates -->"
	var table strings.Builder
	table.WriteString("| gate | commands | refuses | way on | reads |\n|---|---|---|---|---|\n")
	for _, g := range automation.Gates() {
		var operations []string
		for _, operation := range g.Operations {
			operations = append(operations, "`"+string(operation)+"`")
		}
		require.NotEmpty(t, g.WayOn, g.Name)
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s |\n", g.Name, strings.Join(operations, ", "), g.Refuses, g.WayOn, g.Cost.Reads())
	}
	golden.RequireSection(t, document, begin, end, table.String())
}

func TestTheDocumentOfJSONHasEveryCode(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../api/failure/errors.go")
	require.NoError(t, err)
	document, err := os.ReadFile("../../docs/appendix/json.md")
	require.NoError(t, err)
	var codes, documented []string
	for _, code := range regexp.MustCompile(`(?m)^\tCode\w+ Code = "(\w+)"$`).FindAllSubmatch(source, -1) {
		codes = append(codes, string(code[1]))
	}
	_, table, _ := strings.Cut(string(document), "## Codes of errors")
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, row[1])
	}
	require.NotEmpty(t, codes)
	assert.ElementsMatch(t, codes, documented)
}
