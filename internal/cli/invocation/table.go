package invocation

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/charmbracelet/x/ansi"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Table writes rows to stdout as a table, whose header has a tab between its cells; "" for none. An empty cell is shown
// as "-". On a terminal that is too narrow for it, what doesn't fit in a row follows below it, with the names of the
// columns.
func Table[T any](c *Invocation, header string, rows []T, cells func(T) []any) error {
	var lines [][]string
	if header != "" {
		lines = append(lines, strings.Split(header, "\t"))
	}
	for _, row := range rows {
		var texts []string
		for _, cell := range cells(row) {
			texts = append(texts, cmp.Or(report.OneLine(fmt.Sprint(cell)), "-"))
		}
		lines = append(lines, texts)
	}
	text, err := aligned(lines)
	if err != nil {
		return err
	}
	if c.Streams.OutWidth != nil && header != "" && ansi.StringWidth(text) > 0 {
		if width := c.Streams.OutWidth(); slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
			return ansi.StringWidth(line) > width
		}) {
			text = narrow(lines, width)
		}
	}
	if _, err := io.WriteString(c.Streams.Out, text); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// aligned returns lines with their cells in columns.
func aligned(lines [][]string) (string, error) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, cells := range lines {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return "", fmt.Errorf("writing the table: %w", err)
	}
	return table.String(), nil
}

// widest is the widest column of a table that is too wide: what is longer, such as an ARN, is below its row.
const widest = 40

// narrow returns a table, whose first line is its header, for a terminal that is not wide enough: as many of the first
// columns as fit, and the other cells of each row, but empty ones, below it.
func narrow(lines [][]string, width int) string {
	var widths []int
	total := 0
	for column := range lines[0] {
		most := 0
		for _, cells := range lines {
			if w := ansi.StringWidth(cells[column]); w <= widest {
				most = max(most, w)
			}
		}
		if total += most + len("  "); column > 0 && total-len("  ") > width {
			break
		}
		widths = append(widths, most)
	}
	var b strings.Builder
	indent := widths[0] + len("  ")
	for i, cells := range lines {
		shown := 0
		var row strings.Builder
		for shown < len(widths) && ansi.StringWidth(cells[shown]) <= widths[shown] {
			fmt.Fprintf(&row, "%s%s  ", cells[shown], strings.Repeat(" ", widths[shown]-ansi.StringWidth(cells[shown])))
			shown++
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
		if i == 0 {
			continue
		}
		below := ""
		for column := shown; column < len(cells); column++ {
			if cells[column] == "-" {
				continue
			}
			item := lines[0][column] + " " + cells[column]
			if below != "" && indent+ansi.StringWidth(below+"  "+item) > width {
				b.WriteString(strings.Repeat(" ", indent) + below + "\n")
				below = ""
			}
			below += strings.Repeat("  ", min(len(below), 1)) + item
		}
		if below != "" {
			b.WriteString(strings.Repeat(" ", indent) + below + "\n")
		}
	}
	return b.String()
}
