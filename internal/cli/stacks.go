package cli

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
)

// stackRow is a stack as the table and JSON show it.
type stackRow struct {
	automation.StackInfo
	// Kind and Region are what the file says, "" where it has faults or is missing.
	Kind    string `json:"kind"`
	Region  string `json:"region"`
	Offline bool   `json:"offline"`
}

func (c *invocation) stacksCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stacks",
		Short: "List the stacks that have a file or a state",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project, err := c.project()
			if err != nil {
				return err
			}
			session, err := c.session(cmd.Context(), project)
			if err != nil {
				return err
			}
			list, err := session.List(cmd.Context())
			if err != nil {
				return err
			}
			rows := make([]stackRow, len(list))
			for i, info := range list {
				rows[i] = stackRow{StackInfo: info, Offline: c.offline}
				if file, err := project.LoadStack(info.Name); err == nil {
					rows[i].Kind, rows[i].Region = string(file.Kind), file.Region
				}
			}
			return c.showStacks(rows)
		},
	}
}

func (c *invocation) showStacks(rows []stackRow) error {
	if c.json != nil {
		for _, row := range rows {
			c.json.write("stack", row)
		}
		return nil
	}
	table := tabwriter.NewWriter(c.streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tKIND\tREGION\tRESOURCES\tLAST UPDATE\tSTATE")
	for _, row := range rows {
		resources, updated := "-", "-"
		if row.HasState {
			resources = fmt.Sprint(row.Resources)
		}
		if !row.Updated.IsZero() {
			updated = row.Updated.Local().Format(time.DateTime)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", row.Name, orDash(row.Kind), orDash(row.Region), resources, updated, row.state())
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

func (r stackRow) state() string {
	where := ""
	if r.Offline {
		where = ", offline"
	}
	switch {
	case !r.HasState:
		return "not made" + where
	case !r.HasFile:
		return "no file" + where
	case r.Busy:
		return "busy" + where
	}
	return "made" + where
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
