package invocation

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table writes a table to stdout, whose rows are lines of cells that end with tabs.
func (c *Invocation) Table(header string, rows func(w io.Writer)) error {
	w := tabwriter.NewWriter(c.Streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, header)
	rows(w)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// OrDash is a cell of a table, "-" where it is empty.
func OrDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
