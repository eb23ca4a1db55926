package invocation

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// List writes rows to stdout: with -o json as objects of a kind, otherwise as a table.
func List[T any](c *Invocation, kind, header string, rows []T, cells func(T) []any) error {
	if c.JSON == nil {
		return Table(c, header, rows, cells)
	}
	for _, row := range rows {
		c.JSON.Write(kind, row)
	}
	return nil
}

// Table writes rows to stdout as a table, whose header has a tab between its cells; "" for none. An empty cell is shown as "-".
func Table[T any](c *Invocation, header string, rows []T, cells func(T) []any) error {
	w := tabwriter.NewWriter(c.Streams.Out, 0, 0, 2, ' ', 0)
	if header != "" {
		fmt.Fprintln(w, header)
	}
	for _, row := range rows {
		var texts []string
		for _, cell := range cells(row) {
			texts = append(texts, cmp.Or(report.OneLine(fmt.Sprint(cell)), "-"))
		}
		fmt.Fprintln(w, strings.Join(texts, "\t"))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}
