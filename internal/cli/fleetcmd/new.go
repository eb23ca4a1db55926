package fleetcmd

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/fleet"
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

Nothing is written unless all rows are valid. An existing file must have the same content.`,
		Example: `  hypershift-aws fleet new -f clusters.csv --template cluster.yaml`,
		RunE:    func(*cobra.Command, []string) error { return writeFiles(c, table, template) },
	}
	cmd.Flags().StringVarP(&table, "file", "f", "", "the table: a CSV or YAML `file` with one row per stack")
	cmd.Flags().StringVar(&template, "template", "", "a stack's `file` with ${column} in place of values (default: an empty cluster stack)")
	return cmd
}

func writeFiles(c *invocation.Invocation, table, template string) error {
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
	var there []fleetrun.Member
	if len(p.Stacks()) > 0 {
		if there, _, err = fleet.Load([]string{p.Dir}); err != nil {
			return err
		}
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
	written, err := fleet.Write(made)
	if err != nil {
		return err
	}
	if c.JSON != nil {
		for _, g := range made {
			c.JSON.Write("file", map[string]any{"stack": g.Stack, "file": g.Path, "written": !g.Same})
		}
		return nil
	}
	c.Say("wrote %s to %s; %d existed already\nnext: `hypershift-aws fleet preview --offline`",
		report.Number(written, "file"), filepath.Dir(made[0].Path), len(made)-written)
	return nil
}
