package cmd

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// fleetOperation is a command for one stack that runs on many.
type fleetOperation struct {
	automation.FleetOptions
	// passed are flags that the command for one stack has too, separated by spaces. Those that are set are passed on.
	passed string
	// args are its further flags for a stack, nil for none.
	args func(job *fleetrun.Job) []string
	// ready fails if something of a run is missing, before any stack is started; nil for nothing.
	ready func(jobs []*fleetrun.Job) error
	// expectNoRefusal fails if `fleet up` would refuse a plan.
	expectNoRefusal bool
	// markdown is the file for the summary of all stacks, "" for none: see view.AddMarkdown.
	markdown string
}

// command completes the operation's command, and returns its flags, to which the operation adds its own.
func (o *fleetOperation) command(c *invocation.Invocation, cmd *cobra.Command) *pflag.FlagSet {
	o.Operation = gates.Operation(cmd.Use)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return o.run(cmd, c) }
	flags := cmd.Flags()
	flags.StringArrayVar(&o.Select, "select", o.Select,
		"select stacks by an `expression`, such as 'prod-*' or kind=cluster,tag:env!=dev; repeatable, a stack must match one (default: "+
			cmp.Or(strings.Join(o.Select, " or "), "all stacks")+")")
	flags.Lookup("select").DefValue = "[]" // it is in the text
	flags.IntVar(&o.Parallel, "parallel", 0, "the maximum number of stacks in progress (default: one per processor and gigabyte of memory)")
	flags.IntVar(&o.PerAccount, "per-account", 4, "the maximum number of stacks in progress in one AWS account")
	if o.Operation.Dry() || o.Operation == "status" {
		return flags
	}
	flags.StringVar(&o.Waves, "waves", "", "the `sizes` of waves; each wave starts when the previous one has succeeded: 1,5,rest or 10%,rest (default: one wave)")
	flags.IntVar(&o.MaxFailures, "max-failures", 0, "start no more stacks after this number of failures; 0 for no limit")
	flags.DurationVar(&o.LockWait, "lock-wait", time.Minute,
		"how long to retry locked stacks after the others of their wave have ended")
	flags.BoolVar(&o.Resume, "resume", false, "continue the last run: stacks that have not succeeded, and stacks whose files have changed since")
	cmd.MarkFlagsMutuallyExclusive("resume", "select")
	cmd.MarkFlagsMutuallyExclusive("resume", "waves")
	return flags
}

func (o *fleetOperation) validate(flags *pflag.FlagSet) error {
	parallel := 0 // its default, which depends on the machine
	if flags.Changed("parallel") {
		parallel = 1
	}
	for _, limit := range []struct {
		flag     string
		value    int
		smallest int
	}{{"parallel", o.Parallel, parallel}, {"per-account", o.PerAccount, 1}, {"max-failures", o.MaxFailures, 0},
		{"max-open", o.MaxOpen, 0}} {
		if limit.value < limit.smallest {
			return invocation.Refuse("--%s %d is too small: use %d or more", limit.flag, limit.value, max(limit.smallest, 1))
		}
	}
	return nil
}

// borrow adds flags of the command for one stack as they are there. Their names are separated by spaces. A flag of a
// feature that the program does not have is left out.
func borrow(cmd *cobra.Command, commands []*cobra.Command, names string) {
	for _, one := range commands {
		for name := range strings.FieldsSeq(names) {
			if flag := one.Flags().Lookup(name); flag != nil && one.Name() == cmd.Name() {
				cmd.Flags().AddFlag(flag)
			}
		}
	}
}

func previewCommand(c *invocation.Invocation, commands []*cobra.Command) *cobra.Command {
	o := &fleetOperation{passed: "policy expect-no-changes drift unread-stack"}
	var plans string
	o.args = func(job *fleetrun.Job) []string { return planFlag("--save-plan", plans, job) }
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show what up would change, in many stacks",
		Long: `Shows what up would change in each stack. With --markdown one summary of all stacks is written for a pull request: a table with the
stacks that need a reviewer's eye first, and what preview --markdown writes of each as far as a comment has room. It looks in AWS for what was
changed outside the stacks, as fleet drift does, unless --drift=false is given.`,
		Example: `  hypershift-aws fleet preview
  hypershift-aws fleet preview --save-plans plans --markdown=comment.md`,
		PreRunE: func(*cobra.Command, []string) error { return makeFolder(plans) },
	}
	flags := o.command(c, cmd)
	flags.Bool("drift", false, "also look for changes made outside the stacks (default with --save-plans and --markdown: true)")
	flags.StringVar(&plans, "save-plans", "", "save the plan of each stack in this `folder`, for fleet up --plans")
	view.AddMarkdown(cmd, &o.markdown)
	borrow(cmd, commands, "expect-no-changes unread-stack prices policy")
	flags.BoolVar(&o.expectNoRefusal, "expect-no-refusal", false, "exit with code 5 if fleet up would refuse a plan")
	return cmd
}

func upCommand(c *invocation.Invocation, commands []*cobra.Command) *cobra.Command {
	o := &fleetOperation{passed: "policy skip-preflight unread-stack"}
	var plans string
	o.args = func(job *fleetrun.Job) []string { return planFlag("--plan", plans, job) }
	o.ready = func(jobs []*fleetrun.Job) error { return havePlans(plans, jobs) }
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Create or update the resources of many stacks",
		Long: `Creates or updates the resources of each stack as up does, a management stack before the clusters that refer to it. A stack fails if its
plan replaces or deletes what a running cluster depends on: run up -s STACK --allow NAME for it.

What all stacks would create together is compared with the quotas of their accounts before anything starts: see docs/pipelines.md.`,
		Example: `  hypershift-aws fleet up --yes
  hypershift-aws fleet up --select kind=cluster,tag:env=prod --waves 1,rest
  hypershift-aws fleet up --yes --resume`,
	}
	flags := o.command(c, cmd)
	flags.IntVar(&o.MaxOpen, "max-open", 0,
		"start no more stacks while this number has a change that continues in stages, such as another key; 0 for no limit")
	flags.StringVar(&plans, "plans", "", "carry out the plans that fleet preview --save-plans saved in this `folder`")
	flags.BoolVar(&o.SkipQuotas, "skip-preflight", false,
		"do not compare what the stacks would create with the quotas of their accounts")
	borrow(cmd, commands, "unread-stack prices policy")
	return cmd
}

func driftCommand(c *invocation.Invocation) *cobra.Command {
	o := &fleetOperation{}
	cmd := &cobra.Command{
		Use:     "drift",
		Short:   "Show how AWS differs from the states of many stacks",
		Example: `  hypershift-aws fleet drift -C 'clusters/*' --markdown=drift.md`,
	}
	o.command(c, cmd)
	view.AddMarkdown(cmd, &o.markdown)
	return cmd
}

func destroyCommand(c *invocation.Invocation, commands []*cobra.Command) *cobra.Command {
	o := &fleetOperation{passed: "remove unread-stack"}
	var hosted bool
	o.args = func(job *fleetrun.Job) []string {
		if hosted && job.HostedCluster != "" {
			return []string{"--cluster", job.HostedCluster}
		}
		return nil
	}
	cmd := &cobra.Command{
		Use:   "destroy",
		Short: "Delete the resources of many stacks",
		Long: `Deletes the resources of each stack as destroy does, a management stack after the clusters that refer to it. A stack with a hosted
cluster, or with node pools of one that is alive, fails unless --hosted-clusters is set, which deletes the hosted clusters and all their workloads.`,
		Example: `  hypershift-aws fleet destroy --select 'trial-*'
  hypershift-aws fleet destroy --select 'trial-*' --yes --hosted-clusters`,
	}
	flags := o.command(c, cmd)
	borrow(cmd, commands, "unread-stack")
	flags.Bool("remove", false, "also remove the stacks' states and histories")
	flags.BoolVar(&hosted, "hosted-clusters", false,
		"delete the hosted clusters of the stacks, and their node pools in other stacks")
	return cmd
}

// verbs returns the commands that run a command for one stack on many as it is, for those that have the annotation
// FleetShort.
func verbs(c *invocation.Invocation, commands []*cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, one := range commands {
		short := one.Annotations[invocation.FleetShort]
		if short == "" {
			continue
		}
		o := &fleetOperation{passed: one.Annotations[invocation.FleetFlags]}
		o.Question = one.Annotations[invocation.FleetQuestion]
		o.Select = strings.Fields(one.Annotations[invocation.FleetSelect])
		cmd := &cobra.Command{
			Use: one.Name(), Short: short, Long: one.Annotations[invocation.FleetLong],
			Example: "  hypershift-aws fleet " + one.Name(),
		}
		o.command(c, cmd)
		borrow(cmd, commands, o.passed)
		all = append(all, cmd)
	}
	return all
}

// planFlag returns a flag with the saved plan of a stack in a folder, none without a folder.
func planFlag(flag, dir string, job *fleetrun.Job) []string {
	if dir == "" {
		return nil
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs // the stack's process has the same working directory; the absolute path is for its messages
	}
	return []string{flag, planFile(dir, job)}
}

func planFile(dir string, job *fleetrun.Job) string {
	return filepath.Join(dir, url.PathEscape(job.ID)+".plan")
}

// havePlans fails if a folder of saved plans lacks those of stacks.
func havePlans(dir string, jobs []*fleetrun.Job) error {
	if dir == "" {
		return nil
	}
	var lacking, planned []string
	for _, job := range jobs {
		if _, err := os.Stat(planFile(dir, job)); err != nil {
			lacking = append(lacking, job.ID)
		} else {
			planned = append(planned, "--select "+job.ID)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	remedy := fmt.Sprintf("save them with `hypershift-aws fleet preview --save-plans %s`", dir)
	if len(planned) > 0 && len(planned) < 10 {
		remedy += ", or carry out those that are there, with " + strings.Join(planned, " ")
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("%s has no plan of %s %s: its preview failed or left it out; nothing was started", dir,
			map[bool]string{true: "stack", false: "stacks"}[len(lacking) == 1], strings.Join(lacking, ", ")),
		Remedy: remedy,
	}
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
