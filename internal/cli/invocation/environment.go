package invocation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Variable is a variable of the environment that this program reads.
type Variable struct{ Name, Meaning string }

// Variables returns the variables of the environment that this program reads, by subject. A test compares them with the
// code.
func Variables() []Variable {
	return []Variable{
		{"PULUMI_STACK", "the stack without -s, except of `new`, `fleet` and `sweep`"},
		{"PULUMI_BACKEND_URL", "the URL of the state, without --backend"},
		{"PULUMI_ACCESS_TOKEN", "the login to Pulumi Cloud, if the state is there; the engine reads it"},
		{"PULUMI_CONFIG_PASSPHRASE", "the passphrase of the stack's secrets"},
		{"PULUMI_CONFIG_PASSPHRASE_FILE", "a file with the passphrase, in place of the passphrase itself"},
		{"PULUMI_HOME", "the folder of the engine's plugins and logins; default ~/.pulumi"},
		{"PULUMI_PARALLEL", "how many resources the engine works on at once; default one for each resource, 8 to 32"},
		{"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true: download no plugins"},
		{"PULUMI_DEBUG_PROVIDERS", "providers that run already, as NAME:PORT, separated by commas"},
		{"AWS_PROFILE", "a profile of the AWS config. All variables of the AWS SDK are read, " +
			"such as AWS_ACCESS_KEY_ID and AWS_CA_BUNDLE"},
		{"AWS_RETRY_MODE", "how requests to AWS are repeated: standard or adaptive, the default"},
		{"AWS_REGION", "the region, if the stack's file has no aws:region"},
		{"AWS_DEFAULT_REGION", "the region without AWS_REGION"},
		{"KUBECONFIG", "the files that select the management cluster, if the stack's file has no kubeconfig"},
		{"KUBERNETES_SERVICE_HOST", "set in a pod, with KUBERNETES_SERVICE_PORT: the cluster of the pod"},
		{"KUBERNETES_SERVICE_PORT", "see KUBERNETES_SERVICE_HOST"},
		{"HTTPS_PROXY", "the proxy for AWS, the engine's downloads and registries; HTTP_PROXY and NO_PROXY are read too"},
		{"NO_COLOR", "anything: no colors, as --no-color"},
		{"CLICOLOR", "0: no colors"},
		{"CLICOLOR_FORCE", "1: colors without a terminal, too"},
		{"TERM", "dumb: no colors, and no lines that are drawn again"},
		{"USER", "who decides, for the record of what was allowed; in a pipeline, the variables of GitHub, GitLab, " +
			"Jenkins, Azure, Buildkite and CircleCI"},
		{"HYPERSHIFT_AWS_OFFLINE_FAULTS", "what goes wrong offline: latencies, quotas and failures"},
		{"HYPERSHIFT_AWS_SKIP_PREFLIGHT", "true: a pod's `pulumi up` does not compare its plan with quotas, " +
			"as --skip-preflight"},
		{"HYPERSHIFT_AWS_TAKE", "the resources that a pod's `pulumi up` takes over, as `repair --take`"},
		{"HYPERSHIFT_AWS_UNREAD_STACKS", "stacks that cannot be read, for a pod's `pulumi up`, as --unread-stack"},
	}
}

// environmentTopic returns the help about the environment.
func environmentTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("The variables of the environment that this program reads. A flag wins over a variable, and a key of the stack's\n" +
		"file over both, unless the variable says otherwise.\n")
	for _, v := range Variables() {
		fmt.Fprintf(&b, "\n    %s\n", v.Name)
		for line := range strings.Lines(Wrap(v.Meaning, helpWidth-6)) {
			b.WriteString("      " + line)
		}
	}
	return &cobra.Command{Use: "environment", Short: "The variables of the environment", Long: b.String()}
}

// noColor reports whether a command line has the flag --no-color, before it is parsed: an error in it has no colours
// either.
func noColor(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end] // what follows belongs to another program
	}
	return slices.Contains(args, "--no-color") || slices.Contains(args, "--no-color=true")
}

// For returns the streams for a command line.
func (s Streams) For(args []string) Streams {
	if noColor(args) {
		s.Environ = s.Environ.With("NO_COLOR", "1")
	}
	return s
}
