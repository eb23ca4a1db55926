// Package cmd has the command relocate.
package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// Feature returns the command relocate.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "relocate", Commands: invocation.Adds(relocateCommand)}
}

func relocateCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.RelocateOptions
	var documents bool
	cmd := &cobra.Command{
		Use:     "relocate",
		GroupID: invocation.OperateAStack,
		Short:   "Continue with a cluster that was restored elsewhere",
		Long: `Continues the stack with its HostedCluster after a restore from a backup in another management cluster, which the
stack's file selects. The state takes over that management cluster and the UIDs of the restored objects. Nothing in AWS or
in a management cluster changes; the next up applies the file there. The command prompts for the cluster's name, or takes
it from --cluster with --yes.

The command refuses another cluster, by its infra ID, cluster ID, issuer, region, VPC, or roles. It also refuses a cluster whose
NodePools were not restored, whose release HyperShift's operator there does not support, whose etcd is encrypted with a KMS key in
another account, or that the former management cluster still runs. If that one cannot be asked, --management-cluster-gone asserts
that it no longer exists; each use is recorded in .hypershift-aws/consents.jsonl.

With --oidc-documents, HyperShift's operator writes the OIDC documents of the cluster's issuer again, from the public key in
the management cluster, if the issuer does not serve them. By itself, the operator writes them only once. Nothing else is restored.`,
		Example: `  hypershift-aws relocate -s dev
  hypershift-aws relocate -s dev --yes --cluster demo --management-cluster-gone
  hypershift-aws relocate -s dev --oidc-documents`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if documents {
				return runRestoreDocuments(cmd.Context(), c)
			}
			return runRelocate(cmd.Context(), c, options)
		},
	}
	cmd.Flags().StringVar(&options.Cluster, "cluster", "",
		"the `name` of the restored hosted cluster, instead of the prompt")
	cmd.Flags().BoolVar(&options.ManagementClusterGone, gate.GoneFlag[2:], false,
		"the former management cluster no longer exists")
	cmd.Flags().BoolVar(&documents, "oidc-documents", false, "restore only the OIDC documents of the cluster's issuer")
	cmd.MarkFlagsMutuallyExclusive("oidc-documents", "cluster")
	cmd.MarkFlagsMutuallyExclusive("oidc-documents", gate.GoneFlag[2:])
	return cmd
}

func runRestoreDocuments(ctx context.Context, c *invocation.Invocation) error {
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	restored, err := stack.RestoreDocuments(ctx, automation.RestoreDocumentsOptions{Decide: c.Decide})
	if err == nil {
		c.JSON.Write("oidcDocuments", restored)
	}
	return err
}

func runRelocate(ctx context.Context, c *invocation.Invocation, options automation.RelocateOptions) error {
	if err := c.CanConfirm("relocate"); err != nil {
		return err
	}
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	options.Decide = func(ctx context.Context, q automation.Question) (bool, error) {
		if c.Yes {
			return false, invocation.Refuse("relocate needs the name of the cluster, which --yes does not replace: use --cluster %s", q.Name)
		}
		return c.Decide(ctx, q)
	}
	restored, err := stack.Relocate(ctx, options)
	if err == nil {
		c.JSON.Write("restored", restored)
	}
	return err
}
