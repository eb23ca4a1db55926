package fleetcmd

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/fleet"
)

// stackCommand is the operation to run on each stack.
type stackCommand struct {
	// name is the command for one stack.
	name string
	// args are the command's flags for a stack.
	args func(job *fleet.Job) []string
	// skipQuotas does not compare what the stacks would create with the quotas of their accounts.
	skipQuotas bool
	// markdown is the file for the summary of all stacks, "" for none: see view.AddMarkdown.
	markdown string
}

func previewCommand(c *invocation.Invocation) *cobra.Command {
	var o options
	var plans, policy, markdown string
	var expectNoChanges, drift bool
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show what up would change, in many stacks",
		Long: `Shows what up would change in each stack. With --markdown one summary of all stacks is written for a pull request: a table with the
stacks that need a reviewer's eye first, and what preview --markdown writes of each as far as a comment has room. It looks in AWS for what was
changed outside the stacks, as fleet drift does, unless --drift=false is given.`,
		Example: `  hypershift-aws fleet preview
  hypershift-aws fleet preview --save-plans plans --markdown=comment.md`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := makeFolder(plans); err != nil {
				return err
			}
			return run(cmd.Context(), c, o, stackCommand{name: "preview", markdown: markdown, args: func(job *fleet.Job) []string {
				args := []string{"--policy", policy}
				if expectNoChanges {
					args = append(args, "--expect-no-changes")
				}
				if markdown != "" {
					args = append(args, "--markdown")
				}
				if cmd.Flags().Changed("drift") {
					args = append(args, fmt.Sprintf("--drift=%t", drift))
				}
				if plans != "" {
					args = append(args, "--save-plan", planFile(plans, job))
				}
				return args
			}})
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&expectNoChanges, "expect-no-changes", false, "exit with code 3 if there are changes")
	cmd.Flags().BoolVar(&drift, "drift", false, "also look for changes made outside the stacks (default with --save-plans and --markdown: true)")
	cmd.Flags().StringVar(&plans, "save-plans", "", "save the plan of each stack in this `folder`, for fleet up --plans")
	view.AddMarkdown(cmd, &markdown)
	addPolicy(c, cmd, &policy)
	return cmd
}

func upCommand(c *invocation.Invocation) *cobra.Command {
	var o options
	var plans, policy string
	var skipPreflight bool
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Create or update the resources of many stacks",
		Long: `Creates or updates the resources of each stack as up does, a management stack before the clusters that refer to it. A stack fails if its
plan replaces or deletes what a running cluster depends on: run up -s STACK --allow NAME for it.

What all stacks would create together is compared with the quotas of their accounts before anything starts: see docs/fleet.md.`,
		Example: `  hypershift-aws fleet up --yes
  hypershift-aws fleet up --select kind=cluster,tag:env=prod --waves 1,rest
  hypershift-aws fleet up --yes --resume`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), c, o, stackCommand{name: "up", skipQuotas: skipPreflight, args: func(job *fleet.Job) []string {
				args := []string{"--yes", "--policy", policy}
				if skipPreflight {
					args = append(args, "--skip-preflight")
				}
				if plans != "" {
					args = append(args, "--plan", planFile(plans, job))
				}
				return args
			}})
		},
	}
	o.addFlags(cmd)
	cmd.Flags().IntVar(&o.MaxOpen, "max-open", 0,
		"start no more stacks while this number has a change that continues in stages, such as another key; 0 for no limit")
	cmd.Flags().StringVar(&plans, "plans", "", "carry out the plans that fleet preview --save-plans saved in this `folder`")
	cmd.Flags().BoolVar(&skipPreflight, "skip-preflight", false, "do not compare what the stacks would create with the quotas of their accounts")
	addPolicy(c, cmd, &policy)
	return cmd
}

// verbs returns the commands that run a command for one stack on many as it is, for those that have the annotation FleetShort.
func verbs(c *invocation.Invocation, commands []*cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, one := range commands {
		short := one.Annotations[invocation.FleetShort]
		if short == "" {
			continue
		}
		var o options
		shared := strings.Fields(one.Annotations[invocation.FleetFlags])
		cmd := &cobra.Command{
			Use: one.Name(), Short: short, Long: one.Annotations[invocation.FleetLong], Example: "  hypershift-aws fleet " + one.Name(),
			RunE: func(cmd *cobra.Command, _ []string) error {
				var args []string
				for _, name := range shared {
					if flag := cmd.Flags().Lookup(name); flag.Changed {
						args = append(args, fmt.Sprintf("--%s=%s", name, flag.Value))
					}
				}
				return run(cmd.Context(), c, o, stackCommand{name: one.Name(), args: func(*fleet.Job) []string { return args }})
			},
		}
		o.addFlags(cmd)
		for _, name := range shared {
			flag := *one.Flags().Lookup(name)
			cmd.Flags().AddFlag(&flag)
		}
		all = append(all, cmd)
	}
	return all
}

func driftCommand(c *invocation.Invocation) *cobra.Command {
	var o options
	var markdown string
	cmd := &cobra.Command{
		Use:     "drift",
		Short:   "Show how AWS differs from the states of many stacks",
		Example: `  hypershift-aws fleet drift -C 'clusters/*' --markdown=drift.md`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), c, o, stackCommand{name: "drift", markdown: markdown, args: func(*fleet.Job) []string {
				if markdown != "" {
					return []string{"--markdown"}
				}
				return nil
			}})
		},
	}
	o.addFlags(cmd)
	view.AddMarkdown(cmd, &markdown)
	return cmd
}

func destroyCommand(c *invocation.Invocation) *cobra.Command {
	var o options
	var remove, hosted bool
	cmd := &cobra.Command{
		Use:   "destroy",
		Short: "Delete the resources of many stacks",
		Long: `Deletes the resources of each stack as destroy does, a management stack after the clusters that refer to it. A stack with a hosted
cluster fails unless --hosted-clusters is set, which deletes the hosted clusters and all their workloads.`,
		Example: `  hypershift-aws fleet destroy --select 'trial-*'
  hypershift-aws fleet destroy --select 'trial-*' --yes --hosted-clusters`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), c, o, stackCommand{name: "destroy", args: func(job *fleet.Job) []string {
				args := []string{"--yes"}
				if remove {
					args = append(args, "--remove")
				}
				if hosted && job.HostedCluster != "" {
					args = append(args, "--cluster", job.HostedCluster)
				}
				return args
			}})
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&remove, "remove", false, "also remove the stacks' states and histories")
	cmd.Flags().BoolVar(&hosted, "hosted-clusters", false, "delete the hosted clusters of the stacks")
	return cmd
}

func addPolicy(c *invocation.Invocation, cmd *cobra.Command, policy *string) {
	c.AddPrices(cmd)
	view.AddPolicy(cmd, policy)
}

// planFile returns the saved plan of a stack in a folder.
func planFile(dir string, job *fleet.Job) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs // the stack's process has the same working directory; the absolute path is for its messages
	}
	return filepath.Join(dir, url.PathEscape(job.ID)+".plan")
}

func makeFolder(dir string) error {
	if dir == "" {
		return nil
	}
	if err := atomicfile.MakeDir(dir); err != nil {
		return fmt.Errorf("creating the folder for the plans: %w", err)
	}
	return nil
}
