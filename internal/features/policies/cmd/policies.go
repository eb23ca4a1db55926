// Package cmd has the command plan-policies, the flag --policy of up and preview, and the program that serves the
// policies to the engine.
package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/policies/pack"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
)

// Feature returns the command plan-policies, the flag --policy, and the program that serves the policies to the engine.
func Feature() invocation.Feature {
	return invocation.Feature{
		Name:     "policies",
		Commands: invocation.Adds(planPoliciesCommand),
		Up: func(_ *invocation.Invocation, up *invocation.UpCommand) {
			up.Checks = append(up.Checks, addPolicy(up.Command, &up.Options.MandatoryPolicies))
		},
		Preview: func(_ *invocation.Invocation, preview *invocation.PreviewCommand) {
			preview.Checks = append(preview.Checks, addPolicy(preview.Command, &preview.Options.MandatoryPolicies))
		},
		Programs: []invocation.Program{{
			Wanted: pack.Wanted,
			Run:    func(pulumi.RunFunc, []string) int { return pack.Run(os.Stderr) },
		}},
	}
}

// addPolicy adds the flag --policy, and returns what checks its value and sets mandatory.
func addPolicy(cmd *cobra.Command, mandatory *bool) func() error {
	mode := cmd.Flags().String("policy", "warn",
		"the `mode` for a plan that violates a policy: warn, or mandatory to refuse it")
	invocation.CompleteFlag(cmd, "policy", invocation.Fixed("warn", "mandatory"))
	return func() error {
		if *mode != "warn" && *mode != "mandatory" {
			return invocation.Refuse("--policy %s: unknown value; use warn or mandatory", *mode)
		}
		*mandatory = *mode == "mandatory"
		return nil
	}
}

func planPoliciesCommand(c *invocation.Invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plan-policies",
		GroupID: invocation.Reference,
		Short:   "List the policies that every plan is checked against",
		Long: `Lists the policies that every preview checks the plan against, each with the corresponding checks of checkov, trivy, prowler, cfn-nag and
CIS. A preview warns about violations; --policy mandatory refuses it. A finding is accepted by a waiver in the stack's
file, with a reason that shows in the report:

  hypershift-aws:policyWaivers:
    - rule: unprotected-state
      resource: prerequisites-oidc-bucket
      reason: a trial of one day`,
		Example: `  hypershift-aws plan-policies
  hypershift-aws plan-policies -o json | jq -r .id`,
		RunE: func(*cobra.Command, []string) error {
			listPolicies(c)
			return nil
		},
	}
	cmd.AddCommand(policyPackCommand(c))
	return cmd
}

// listedPolicy is a policy for programs.
type listedPolicy struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Remedy string   `json:"remedy"`
	Checks []string `json:"checks,omitempty"`
}

func listPolicies(c *invocation.Invocation) {
	for _, rule := range policy.Rules() {
		if c.JSON != nil {
			c.JSON.Write("policy", listedPolicy{rule.ID, rule.Title, rule.Remedy, rule.Checks})
			continue
		}
		fmt.Fprintf(c.Streams.Out, "%s\n  %s\n  remedy: %s\n", rule.ID, rule.Title, rule.Remedy)
		if len(rule.Checks) > 0 {
			fmt.Fprintf(c.Streams.Out, "  corresponds to: %s\n", strings.Join(rule.Checks, ", "))
		}
	}
}

func policyPackCommand(c *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "pack FOLDER",
		Short: "Write a Pulumi policy pack that this program serves",
		Long: `Writes a folder that ` + "`pulumi preview --policy-pack FOLDER`" + ` and ` + "`pulumi up --policy-pack FOLDER`" + ` take, for people who run pulumi
themselves: PulumiPolicy.yaml, and in bin/ a link to this program by the name under which pulumi looks for it on PATH. The pack's
policies warn. unprotected-state is not among them: pulumi does not pass to a pack written in Go whether a resource is protected.`,
		Example: `  hypershift-aws plan-policies pack policies`,
		RunE:    func(_ *cobra.Command, args []string) error { return writePolicyPack(c, args[0]) },
	}
}

func writePolicyPack(c *invocation.Invocation, folder string) error {
	if c.Streams.Executable == "" {
		return fmt.Errorf("writing the policy pack: the path of this program, to which the pack must link, is unknown")
	}
	if err := pack.Write(folder, c.Streams.Executable); err != nil {
		return err
	}
	bin, err := filepath.Abs(filepath.Join(folder, "bin"))
	if err != nil {
		bin = filepath.Join(folder, "bin")
	}
	c.Say("run: PATH=%s%c$PATH pulumi preview --policy-pack %s", bin, os.PathListSeparator, folder)
	return nil
}
