package cmd

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func newCommand(c *invocation.Invocation) *cobra.Command {
	var table, template string
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Write the files of many stacks from a table",
		Long: `Writes a stack's file for each row of a CSV or YAML file. The column stack names the stack; other columns are keys of the config, such
as name, network.zones or aws:region, or placeholders ${name} in the template. In a CSV file an empty value omits the key, and a list is
separated by spaces or semicolons, or written as [a, b].

Nothing is written unless all rows are valid. An existing file is updated: its changes are shown, and made if you confirm them or set --yes.
It keeps its infra ID, and what it has beside the config, such as the salt of its secrets.`,
		Example: `  hypershift-aws fleet new -f clusters.csv --template cluster.yaml
  hypershift-aws fleet new -f clusters.csv --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return writeFiles(cmd.Context(), c, table, template) },
	}
	cmd.Flags().StringVarP(&table, "file", "f", "", "the table: a CSV or YAML `file` with one row per stack")
	cmd.Flags().StringVar(&template, "template", "", "a stack's `file` with ${column} in place of values (default: an empty cluster stack)")
	return cmd
}

func writeFiles(ctx context.Context, c *invocation.Invocation, table, template string) error {
	if table == "" {
		return invocation.Refuse("fleet new requires a table: set it with -f")
	}
	p, err := c.Project()
	if err != nil {
		return err
	}
	made, err := fleet.Generate(p, table, template)
	if err != nil {
		return err
	}
	there, _, err := fleet.Load([]fleet.Folder{{Dir: p.Dir}})
	if err != nil {
		return err
	}
	var selected []fleetrun.Member
	for _, g := range made {
		selected = append(selected, g.Member)
	}
	all := slices.Clone(selected)
	for _, m := range there {
		if !slices.ContainsFunc(selected, func(other fleetrun.Member) bool { return other.ID == m.ID }) {
			all = append(all, m)
		}
	}
	if err := fleet.Conflicts(selected, all); err != nil {
		return err
	}
	for _, sentence := range fleet.Overlaps(selected, all) {
		c.Say("warning: %s", sentence)
	}
	if err := confirmUpdates(ctx, c, made); err != nil {
		return err
	}
	written, err := fleet.Write(made)
	if err != nil {
		return err
	}
	if c.JSON != nil {
		for _, g := range made {
			c.JSON.Write("file", map[string]any{"stack": g.Stack, "file": g.Path, "written": !g.Same(), "changes": g.Changes})
		}
		return nil
	}
	c.Say("wrote %s to %s; %d already had these values\nnext: `hypershift-aws --offline fleet preview`",
		report.Number(written, "file"), filepath.Dir(made[0].Path), len(made)-written)
	return nil
}

// confirmUpdates shows what changes in existing files, and asks whether to change them.
func confirmUpdates(ctx context.Context, c *invocation.Invocation, made []fleet.Generated) error {
	updated := slices.DeleteFunc(slices.Clone(made), func(g fleet.Generated) bool { return g.Before == nil || g.Same() })
	if len(updated) == 0 {
		return nil
	}
	if c.JSON == nil {
		for _, g := range updated {
			c.Print(filepath.Base(g.Path) + ":\n" + plan.ValuesText(g.Changes, "  ", plan.Layout{
				Style: c.Style(c.Streams.OutWidth),
			}))
		}
	}
	if err := c.CanConfirm("fleet new"); err != nil {
		return err
	}
	yes, err := c.Decide(ctx, automation.Question{Text: "Update " + report.Number(len(updated), "file") + "?"})
	if err == nil && !yes {
		err = &failure.Error{Reason: failure.Failed, Problem: "not confirmed; nothing was written"}
	}
	return err
}
