package inspect

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
)

// stackRow is a stack in the table and in JSON.
type stackRow struct {
	operation.StackInfo
	// Kind and Region are the values in the file, "" if it has faults or is missing.
	Kind    string `json:"kind"`
	Region  string `json:"region"`
	Offline bool   `json:"offline"`
	label   string
}

func stacksCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "stacks",
		GroupID: invocation.InspectAStack,
		Short:   "List the stacks that have a file or a state",
		Example: `  hypershift-aws stacks
  hypershift-aws stacks -C clusters -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			session, err := c.Session(cmd.Context())
			if err != nil {
				return err
			}
			list, err := session.List(cmd.Context())
			if err != nil {
				return err
			}
			rows, label := make([]stackRow, len(list)), session.Environment.Label()
			for i, info := range list {
				rows[i] = stackRow{StackInfo: info, Offline: label != "", label: label}
				if file, err := session.Project.LoadStack(info.Name); err == nil {
					rows[i].Kind, rows[i].Region = string(file.Kind), file.Region
				}
			}
			return invocation.List(c, "stack", "NAME\tKIND\tREGION\tIN STATE\tLAST UPDATE\tSTATE", rows, stackRow.cells)
		},
	}
}

func (r stackRow) cells() []any {
	resources, updated := "", ""
	if r.HasState {
		resources = fmt.Sprint(r.Resources)
	}
	if !r.Updated.IsZero() {
		updated = r.Updated.Local().Format(time.DateTime)
	}
	return []any{r.Name, r.Kind, r.Region, resources, updated, r.state()}
}

func (r stackRow) state() string {
	where := ""
	if r.label != "" {
		where = ", " + r.label
	}
	switch {
	case !r.HasState:
		return "not created" + where
	case !r.HasFile:
		return "no file" + where
	case r.Busy:
		return "busy" + where
	}
	return "made" + where
}
