package cli

import (
	"io"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/spf13/cobra"
)

// Run executes a command line, without the program's name, and returns its exit code.
func Run(streams Streams, args []string) int { return run(streams, nil, args) }

// Command is the command tree, for the manual pages.
func Command() *cobra.Command {
	return (&invocation{streams: Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}}).rootCommand()
}

// run is Run with a Pulumi program in place of stacks.Run.
func run(streams Streams, program pulumi.RunFunc, args []string) int {
	c := &invocation{streams: streams, program: program}
	defer c.end()
	root := c.rootCommand()
	root.SetArgs(args)
	err := root.Execute()
	if err != nil && !c.began {
		err = usageError{err}
	}
	if err != nil {
		c.reportError(err)
	}
	return exitCode(err)
}

func (c *invocation) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hypershift-aws",
		Short: "Create the AWS resources that HyperShift hosted clusters need",
		Long: `hypershift-aws creates the AWS resources that HyperShift hosted clusters need: networks, IAM roles, OIDC
providers and DNS zones. Each cluster is a stack, described by a file Pulumi.<stack>.yaml.

Data goes to stdout and progress to stderr.
Exit codes: 0 done; 1 failed; 2 usage or config refused; 3 changes found under --expect-no-changes;
4 the stack is locked or has another conflict; 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return refuse("unknown command %q: see hypershift-aws --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return c.begin()
		},
	}
	root.SetIn(c.streams.In)
	root.SetOut(c.streams.Out)
	root.SetErr(c.streams.Err)

	flags := root.PersistentFlags()
	flags.StringVarP(&c.dir, "dir", "C", ".", "the project's `folder`")
	flags.StringVarP(&c.stack, "stack", "s", "", "the `stack` (default: the only one in the folder)")
	flags.StringVar(&c.backend, "backend", "", "the `URL` of the state (default: PULUMI_BACKEND_URL, else Pulumi.yaml's, else .hypershift-aws/state)")
	flags.BoolVar(&c.offline, "offline", false, "run with an AWS account in memory: no credentials, no network, separate state")
	flags.BoolVar(&c.empty, "offline-empty", false, "with --offline: create the account without the resources that the config refers to")
	flags.BoolVar(&c.yes, "yes", false, "do not ask; required by up and destroy without a terminal")
	flags.StringVarP(&c.output, "output", "o", "text", "the `format`: text, or json for newline-delimited JSON on stdout")

	completeFlag(root, "stack", c.stackNames)
	completeFlag(root, "output", fixed("text", "json"))

	root.AddCommand(
		c.newCommand(), c.previewCommand(), c.upCommand(), c.destroyCommand(), c.refreshCommand(),
		c.outputsCommand(), c.kubeconfigCommand(), c.consoleCommand(), c.renderCommand(), c.checkCommand(), c.permissionsCommand(), c.schemaCommand(), c.pictureCommand(), c.pricesCommand(), c.policiesCommand(), c.stacksCommand(), c.sweepCommand(), c.cancelCommand(), c.versionCommand(),
	)
	return root
}
