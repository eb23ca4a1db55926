package invocation

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table writes a table to stdout. Rows are lines whose cells end with tabs.
func (c *Invocation) Table(header string, rows func(w io.Writer)) error {
	w := tabwriter.NewWriter(c.Streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, header)
	rows(w)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// OrDash returns a cell of a table, or "-" if it is empty.
func OrDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
