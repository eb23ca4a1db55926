// Package cmd has the command permissions.
package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	needs "github.com/hypershift-aws/hypershift-aws/internal/features/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
)

// Feature returns the command permissions.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "permissions", Commands: invocation.Adds(permissionsCommand)}
}

func permissionsCommand(c *invocation.Invocation) *cobra.Command {
	var sweeps, preflights, adopts, roles, kubernetes bool
	var part, command string
	cmd := &cobra.Command{
		Use:     "permissions",
		GroupID: invocation.CheckBeforeAnUpdate,
		Short:   "Print the IAM permissions that a user needs to run the stack",
		Long: `Prints the minimal IAM policies that a user needs to run the stack, from the first up to destroy. They are
derived from the stack's file by a preview in an AWS account in memory: AWS is not called.

Each policy is one JSON document that fits a managed policy of 6,144 characters; a stack in several accounts
needs the policies of each account there. The policies do not include what the backend and the secrets provider need.

With --part it prints the policies for a team that runs only the network or only the roles of a hosted cluster; they
are those of a stack of that kind.

With --sweep it prints the policies for the command sweep, for any cluster; the first statement is enough to list.
With --preflight it prints the policies for the command preflight, and with --adopt those with which the command adopt
searches, beside the policies of the stack that it writes.

With --roles it prints the roles that the stack creates or, if its file names existing ones, that it needs from whoever creates
them: one document for each role, with its trust policy, inline policies, managed policies, path, permissions boundary and tags.
"key" is the key of iam.existing.roles that takes the role's ARN. What isn't known before the first up is a placeholder such as
"{ID of hosted zone demo.example.com}".

With --kubernetes it prints the ClusterRole and the Roles that the user of the stack's kubeconfig needs in the
management cluster, with --command those for one command. An administrator creates the namespaces that it names.`,
		Example: `  hypershift-aws permissions -s dev
  hypershift-aws permissions -s dev --part network
  hypershift-aws permissions -s dev --roles -o yaml
  hypershift-aws permissions --sweep > sweep-policies.json
  hypershift-aws permissions -s dev --kubernetes --command up > roles.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case sweeps:
				return printPolicies(c, permissions.Sweep())
			case preflights:
				return printPolicies(c, []policy.Document{preflight.Policy()})
			case adopts:
				return printPolicies(c, permissions.Adopt())
			case kubernetes:
				return printRoles(c, command)
			case command != "":
				return invocation.Refuse("--command needs --kubernetes: IAM policies are for all commands")
			}
			if roles {
				return runRoles(cmd.Context(), c)
			}
			if part != "" && !slices.Contains(permissions.Parts(), policy.Part(part)) {
				return invocation.Refuse("--part %s is no part of a cluster: use network or iam", part)
			}
			return runPermissions(cmd.Context(), c, policy.Part(part))
		},
	}
	cmd.Flags().StringVar(&part, "part", "", "print the policies for a `part` of a cluster stack: network or iam")
	cmd.Flags().BoolVar(&sweeps, "sweep", false, "print the policies for the command sweep")
	cmd.Flags().BoolVar(&preflights, "preflight", false, "print the policies for the command preflight")
	cmd.Flags().BoolVar(&adopts, "adopt", false, "print the policies with which the command adopt searches")
	cmd.Flags().BoolVar(&roles, "roles", false, "print the documents of the roles that the stack creates")
	cmd.Flags().BoolVar(&kubernetes, "kubernetes", false, "print the roles for the user of the kubeconfig")
	cmd.Flags().StringVar(&command, "command", "", "print the roles for one `command`, such as up")
	cmd.MarkFlagsMutuallyExclusive("part", "sweep", "preflight", "adopt", "roles", "kubernetes")
	invocation.CompleteFlag(cmd, "command", invocation.Fixed(needs.KubernetesCommands()...))
	invocation.CompleteFlag(cmd, "part", invocation.Fixed(permissions.Parts()...))
	return cmd
}

// printPolicies prints policies that apply to any account.
func printPolicies(c *invocation.Invocation, documents []policy.Document) error {
	for i, document := range documents {
		if err := printPolicy(c, policy.Needed{Document: document},
			fmt.Sprintf("policy %d of %d", i+1, len(documents))); err != nil {
			return err
		}
	}
	return nil
}

// printedRole is a role for programs. Namespace is "" for a ClusterRole.
type printedRole struct {
	Kind      string         `json:"kind"`
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	Object    map[string]any `json:"object"`
}

// printRoles prints the roles that the user of a kubeconfig needs.
func printRoles(c *invocation.Invocation, command string) error {
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	needed, err := stack.KubernetesPermissions(automation.KubernetesPermissionsOptions{Command: command})
	if err != nil {
		return err
	}
	if len(needed.Namespaces) > 0 {
		c.Say("an administrator creates the namespace %s first: no role limits a creation to a name",
			strings.Join(needed.Namespaces, ", "))
	}
	for _, role := range needed.Roles {
		if c.JSON != nil {
			of := unstructured.Unstructured{Object: role}
			c.JSON.Write("kubernetesRole", printedRole{of.GetKind(), of.GetNamespace(), of.GetName(), role})
			continue
		}
		text, err := yaml.Marshal(role)
		if err != nil {
			return fmt.Errorf("writing a role: %w", err)
		}
		c.Document()
		fmt.Fprintf(c.Streams.Out, "---\n%s", text)
	}
	return nil
}

func runPermissions(ctx context.Context, c *invocation.Invocation, part policy.Part) error {
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	policies, err := stack.Permissions(ctx, automation.PermissionsOptions{Part: part})
	if err != nil {
		return err
	}
	for i, policy := range policies {
		if err := printPolicy(c, policy, fmt.Sprintf("policy %d of %d", i+1, len(policies))); err != nil {
			return err
		}
	}
	return nil
}

// printedPolicy is a policy for programs. Account is "" for the stack's own account if its config does not name it.
type printedPolicy struct {
	Account  string          `json:"account"`
	Document policy.Document `json:"document"`
}

func printPolicy(c *invocation.Invocation, policy policy.Needed, title string) error {
	if c.JSON != nil {
		c.JSON.Write("policy", printedPolicy{policy.Account, policy.Document})
		return nil
	}
	text, err := json.MarshalIndent(policy.Document, "", "  ")
	if err != nil {
		return fmt.Errorf("writing a policy: %w", err)
	}
	account := "the stack's account"
	if policy.Account != "" {
		account = "account " + policy.Account
	}
	c.Say("%s, for %s", title, account)
	c.Document()
	fmt.Fprintf(c.Streams.Out, "%s\n", text)
	return nil
}

func runRoles(ctx context.Context, c *invocation.Invocation) error {
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	roles, err := stack.Roles(ctx)
	if err != nil {
		return err
	}
	for _, role := range roles {
		if c.JSON != nil {
			c.JSON.Write("role", role)
			continue
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(role); err != nil {
			return fmt.Errorf("writing a role: %w", err)
		}
		c.Document()
		fmt.Fprint(c.Streams.Out, text.String())
	}
	return nil
}
