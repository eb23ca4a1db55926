package invocation

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// Names lists the possible values of a flag or an argument; an error leaves the list empty, because a shell cannot show
// it.
type Names func(cmd *cobra.Command) ([]string, error)

// Complete lists the names for a command's only argument, as cobra calls it.
func (n Names) Complete(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, err := n(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// CompleteFlag adds shell completion of a flag's value.
func CompleteFlag(cmd *cobra.Command, flag string, n Names) {
	// An error means that the command has no such flag, which the tests of completion show.
	_ = cmd.RegisterFlagCompletionFunc(flag,
		func(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return n.Complete(cmd, nil, begun)
		})
}

// completeRest completes the flags and arguments of a command that have no completion: one whose value is a file or a
// folder with these, others with nothing, because a shell would offer files.
func completeRest(cmd *cobra.Command) {
	cmd.NonInheritedFlags().VisitAll(func(flag *pflag.Flag) {
		kind, _ := pflag.UnquoteUsage(flag)
		_, completed := cmd.GetFlagCompletionFunc(flag.Name)
		switch {
		case strings.EqualFold(kind, "file") || kind == "" || completed:
		case kind == "folder":
			_ = cmd.MarkFlagDirname(flag.Name)
		default:
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, cobra.NoFileCompletions)
		}
	})
	switch {
	case cmd.ValidArgsFunction != nil || cmd.HasSubCommands():
	case strings.HasSuffix(cmd.Use, "DIR") || strings.HasSuffix(cmd.Use, "DIR]") || strings.HasSuffix(cmd.Use, "FOLDER"):
		cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	default:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
}

// Fixed returns a fixed list.
func Fixed[T ~string](values ...T) Names {
	return func(*cobra.Command) ([]string, error) {
		var names []string
		for _, value := range values {
			names = append(names, string(value))
		}
		return names, nil
	}
}

// regionFlag is the annotation of flags whose value is a region.
const regionFlag = "region"

// RegionFlags makes flags take a region of AWS: shells complete it, and CheckFlags refuses an unknown one.
func RegionFlags(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		CompleteFlag(cmd, flag, Fixed(hypershift.Regions()...))
		// An error means that the command has no such flag, as in CompleteFlag.
		_ = cmd.Flags().SetAnnotation(flag, regionFlag, nil)
	}
}

// checkRegions refuses the value of a flag that is no region of AWS, in which a search would find nothing. A region
// that AWS opened since is that of the environment.
func checkRegions(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if _, found := flag.Annotations[regionFlag]; !found || err != nil {
			return
		}
		values := []string{flag.Value.String()}
		if list, several := flag.Value.(pflag.SliceValue); several {
			values = list.GetSlice()
		}
		for _, region := range values {
			if region != "" && !hypershift.IsRegion(region) {
				err = Refuse("--%s %s is not a known region of AWS: use %s; a region that AWS opened after this version of hypershift-aws is taken from AWS_REGION",
					flag.Name, region, hypershift.NearestRegion(region))
			}
		}
	})
	return err
}

// stackNames returns the stacks with a file in the project.
func (c *Invocation) stackNames(*cobra.Command) ([]string, error) {
	project, err := c.Project()
	if err != nil {
		return nil, err
	}
	return project.Stacks(), nil
}

// StackNames lists names that a stack has. The stack is opened without installing an engine.
func (c *Invocation) StackNames(names func(context.Context, *automation.Stack) ([]string, error)) Names {
	return func(cmd *cobra.Command) ([]string, error) {
		c.withoutEngineInstall = true
		stack, err := c.Automation(nil)
		if err != nil {
			return nil, err
		}
		return names(cmd.Context(), stack)
	}
}
