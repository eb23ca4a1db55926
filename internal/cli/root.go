package cli

import (
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/author"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/inspect"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/operate"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/quietstart"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// Main runs what this program is under the name by which it was started, the first argument, and returns its exit code.
// stack is the program of stacks.
func Main(stack pulumi.RunFunc, features []invocation.Feature, args []string) int {
	quietstart.End()
	for _, feature := range features {
		for _, program := range feature.Programs {
			if program.Wanted(args[0]) {
				return program.Run(stack, args[1:])
			}
		}
	}
	return Run(invocation.System(), features, args[1:])
}

// Run executes a command line, without the program's name, and returns its exit code.
func Run(streams invocation.Streams, features []invocation.Feature, args []string) int {
	return RunProgram(streams, features, nil, args)
}

// onThisSystem returns what does not work on the system of this program, "" where all does.
func onThisSystem() string {
	if runtime.GOOS != "windows" {
		return ""
	}
	return "On Windows no test has run: use Linux or macOS for clusters that you depend on. The pods of the Pulumi\n" +
		"Kubernetes Operator do not run on it, a killed engine leaves its providers running, and the lock of a killed run\n" +
		"stays until `cancel` removes it.\n\n"
}

// Command returns the command tree, for the manual pages.
func Command(features []invocation.Feature) *cobra.Command {
	streams := invocation.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
	return rootCommand(invocation.New(streams, nil), features)
}

// RunProgram is like Run, with other Pulumi programs than those of package stacks.
func RunProgram(
	streams invocation.Streams, features []invocation.Feature, program func(stacks.Options) pulumi.RunFunc, args []string,
) int {
	c := invocation.New(streams.For(args), program)
	root := rootCommand(c, features)
	c.ReportsJSON(args)
	root.SetArgs(args)
	return c.End(root.Execute())
}

func rootCommand(c *invocation.Invocation, features []invocation.Feature) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "hypershift-aws",
		Short: "Create the AWS resources that HyperShift hosted clusters need",
		Long: onThisSystem() + `Creates the AWS resources that HyperShift hosted clusters need: networks, IAM roles, OIDC
providers, and DNS zones. It also creates, upgrades, and deletes the hosted clusters themselves. Each cluster is a stack,
described by a file Pulumi.<stack>.yaml.

    hypershift-aws new                # write a stack's file
    hypershift-aws preview --offline  # see its resources, without an account
    hypershift-aws up                 # create them

Secrets in a stack's state are encrypted. Before the first up, choose a passphrase, set it in PULUMI_CONFIG_PASSPHRASE for
every command, and keep it. Or use a KMS key, at the top of the stack's file:

    secretsprovider: awskms://alias/NAME?region=REGION

--offline needs neither.

Data goes to stdout and progress to stderr.
Exit codes: 0 done; 1 failed; 2 usage or config refused; 3 changes found where none were expected;
4 the stack is locked or has another conflict; 5 a plan that up would refuse, with --expect-no-refusal; 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				author.ShowVersion(c)
				return nil
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := invocation.CheckFlags(cmd); err != nil {
				return err
			}
			if err := c.Begin(strings.TrimPrefix(cmd.CommandPath(), "hypershift-aws ")); err != nil {
				return err
			}
			cmd.SetContext(c.Context(cmd.Context()))
			return nil
		},
	}
	root.SetIn(c.Streams.In)
	root.SetOut(c.Streams.Out)
	root.SetErr(c.Streams.Err)
	c.AddFlags(root)
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "show the version and the commit")
	root.AddCommand(slices.Concat(author.Commands(c), operate.Commands(c, features), inspect.Commands(c))...)
	for _, feature := range features {
		if feature.Commands != nil {
			feature.Commands(c, root)
		}
	}
	for _, title := range invocation.Groups() {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
	}
	invocation.Prepare(root)
	return root
}
