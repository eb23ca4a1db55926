// Package inspect contains the commands that show a stack and its cluster. They change nothing in AWS.
package inspect

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// Commands returns the commands of this package.
func Commands(c *invocation.Invocation) []*cobra.Command {
	return []*cobra.Command{
		statusCommand(c), diagnoseCommand(c), outputsCommand(c), kubeconfigCommand(c), consoleCommand(c), stacksCommand(c),
	}
}

// stackRow is a stack in the table and in JSON.
type stackRow struct{ automation.StackInfo }

func stacksCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "stacks",
		GroupID: invocation.InspectAStack,
		Short:   "List the stacks that have a file or a state",
		Example: `  hypershift-aws stacks
  hypershift-aws stacks -C clusters -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project, err := c.AutomationProject()
			if err != nil {
				return err
			}
			list, err := project.List(cmd.Context())
			if err != nil {
				return err
			}
			rows := make([]stackRow, len(list))
			for i, info := range list {
				rows[i] = stackRow{info}
			}
			if err := invocation.List(c, "stack", "NAME\tKIND\tREGION\tRESOURCES\tLAST UPDATE\tSTATE", rows,
				stackRow.cells); err != nil {
				return err
			}
			for _, info := range list {
				for line := range strings.Lines(info.Fault) {
					c.Say("warning: stack %s: %s", info.Name, strings.TrimSpace(line))
				}
			}
			return nil
		},
	}
}

func (r stackRow) cells() []any {
	resources, updated := "", ""
	if r.HasState && (r.Resources > 0 || r.Fault == "") {
		resources = fmt.Sprint(r.Managed)
		if r.Managed < 0 {
			resources = fmt.Sprint(r.Resources)
		}
	}
	if !r.Updated.IsZero() {
		updated = r.Updated.Local().Format(time.DateTime)
	}
	return []any{r.Name, r.Kind, r.Region, resources, updated, r.state()}
}

func (r stackRow) state() string {
	where := ""
	if r.Offline {
		where = ", offline"
	}
	if r.Fault != "" {
		where += ", faulty"
	}
	switch {
	case !r.HasState:
		return "not created" + where
	case !r.HasFile:
		return "no file" + where
	case r.Busy:
		return "busy" + where
	case r.Resources == 0 && r.Fault == "":
		return "empty" + where
	case r.Incomplete && r.Kind != "":
		return "incomplete" + where
	}
	return "deployed" + where
}
