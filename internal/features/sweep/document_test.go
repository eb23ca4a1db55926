package sweep

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

var update = flag.Bool("update", false, "write the table of docs/appendix/sweep.md")

// table returns the rows of docs/appendix/sweep.md for each type.
func table() string {
	var b strings.Builder
	b.WriteString("| resource | order | waits up to | note |\n|---|---|---|---|\n")
	for _, t := range awstype.Sweeps() {
		var notes []string
		if t.Sweep.Data {
			notes = append(notes, "`--data`")
		}
		if t.Sweep.Note != "" {
			notes = append(notes, t.Sweep.Note)
		}
		wait := ""
		if t.Deletion.Wait > 0 {
			wait = fmt.Sprintf("%.0f min", t.Deletion.Wait.Minutes())
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", t.Label, t.Deletion.Rank, wait, strings.Join(notes, "; "))
	}
	return b.String()
}

func TestTheDocumentListsEachTypeThatASweepDeletes(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "docs", "appendix", "sweep.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), "| resource | order |")
	require.True(t, found)
	_, after, found := strings.Cut(rest, "\n\n")
	require.True(t, found)
	want := before + table() + "\n" + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o600))
		return
	}
	require.Equal(t, want, string(text), "go test ./internal/features/sweep -run TestTheDocument -update")
}

func TestTheDocumentListsEachGate(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "appendix", "sweep.md"))
	require.NoError(t, err)
	_, gates, found := strings.Cut(string(page), "| gate | refuses |")
	require.True(t, found)
	var declared, documented []string
	for _, g := range Gates() {
		declared = append(declared, string(g))
	}
	for _, match := range regexp.MustCompile("(?m)^\\| `(.+?)` \\|").FindAllStringSubmatch(gates, -1) {
		documented = append(documented, match[1])
	}
	require.NotEmpty(t, declared)
	require.ElementsMatch(t, declared, documented)
}
