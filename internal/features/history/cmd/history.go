// Package cmd has the command history.
package cmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Feature returns the command history.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "history", Commands: invocation.Adds(historyCommand)}
}

func historyCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.HistoryOptions
	var markdown string
	cmd := &cobra.Command{
		Use:     "history",
		GroupID: invocation.InspectAStack,
		Short:   "List who changed the stack, when, and from which commit",
		Long: `Lists the changes of the stack by the engine, the newest first: when, by whom, from which commit, and what was done to
how many resources. Between them are the consents: which flag allowed what is refused, and for which resources.

The changes are those in the backend's history, whose numbers count the engine's own resources too: the stack, its
components and providers. The commit is known if the project's folder was in a clone of a git repository. The consents
are those in the stack's outputs and in .hypershift-aws/consents.jsonl.`,
		Example: `  hypershift-aws history -s dev
  hypershift-aws history -s dev --limit 5 -o json
  hypershift-aws history -s dev --markdown=history.md`,
	}
	view.AddMarkdown(cmd, &markdown)
	cmd.Flags().Lookup("markdown").Usage = "write the list as Markdown to this `FILE`, or without FILE to stdout"
	cmd.Flags().IntVar(&options.Limit, "limit", 50, "the `number` of newest changes")
	cmd.RunE = c.OnStack(func(ctx context.Context, stack *automation.Stack) error {
		if options.Limit < 1 {
			return invocation.Refuse("--limit %d: use a number from 1", options.Limit)
		}
		entries, err := stack.History(ctx, options)
		if err != nil {
			return err
		}
		if markdown != "" {
			return view.WriteMarkdown(c, markdown, asMarkdown(entries), map[string]any{"entries": entries})
		}
		return invocation.List(c, "history", strings.Join(columns(), "\t"), entries, cells)
	})
	return cmd
}

func columns() []string { return []string{"TIME", "BY", "WHAT", "RESULT", "RESOURCES", "COMMIT"} }

// cells returns an entry as the cells of a row.
func cells(e automation.HistoryEntry) []any {
	what, resources := e.Kind, counts(e.Changes)
	if e.Consent != "" {
		what, resources = e.Kind+" "+e.Consent, strings.Join(e.Resources, ", ")
	}
	commit := e.Commit[:min(len(e.Commit), 9)]
	if e.Dirty {
		commit += " and uncommitted changes"
	}
	for _, more := range []string{e.Author, e.Message} {
		if more != "" {
			commit += ", " + more
		}
	}
	return []any{e.Time.UTC().Format(time.RFC3339), e.By, what, e.Result, resources, commit}
}

// counts returns counts by what was done, without what was not changed: "2 created, 1 updated".
func counts(changes map[string]int) string {
	var list []string
	for _, done := range slices.Sorted(maps.Keys(changes)) {
		if done != "same" {
			list = append(list, fmt.Sprintf("%d %s", changes[done], report.VerbFor(apitype.OpType(done)).Past))
		}
	}
	return strings.Join(list, ", ")
}

// asMarkdown returns the entries as a table.
func asMarkdown(entries []automation.HistoryEntry) string {
	var b strings.Builder
	row := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	row(columns())
	row(slices.Repeat([]string{"---"}, len(columns())))
	for _, e := range entries {
		var texts []string
		for _, cell := range cells(e) {
			texts = append(texts, strings.ReplaceAll(report.OneLine(fmt.Sprint(cell)), "|", `\|`))
		}
		row(texts)
	}
	return b.String()
}
