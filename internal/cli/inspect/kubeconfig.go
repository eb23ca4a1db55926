package inspect

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

func kubeconfigCommand(c *invocation.Invocation) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "kubeconfig",
		GroupID: invocation.InspectAStack,
		Short:   "Print the hosted cluster's kubeconfig",
		Long: `Prints the kubeconfig of the hosted cluster's administrator, which HyperShift keeps in the management cluster.
It is a secret: --write writes it to a file that only you can read.`,
		Example: `  hypershift-aws kubeconfig -s dev --write demo.kubeconfig
  kubectl --kubeconfig demo.kubeconfig get nodes`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			access, err := access(cmd.Context(), c)
			if err != nil {
				return err
			}
			if file == "" {
				c.Document()
				fmt.Fprint(c.Streams.Out, access.Kubeconfig)
				return nil
			}
			if err := atomicfile.WritePrivate(file, []byte(access.Kubeconfig)); err != nil {
				return fmt.Errorf("writing the kubeconfig: %w", err)
			}
			c.Say("wrote %s", file)
			return nil
		},
	}
	cmd.Flags().StringVarP(&file, "write", "w", "", "write it into this `file` instead")
	return cmd
}

// access reads the kubeconfig, console and password of the stack's hosted cluster.
func access(ctx context.Context, c *invocation.Invocation) (*automation.ClusterAccess, error) {
	stack, err := c.Automation(nil)
	if err != nil {
		return nil, err
	}
	return stack.ClusterAccess(ctx)
}

func consoleCommand(c *invocation.Invocation) *cobra.Command {
	var showSecrets bool
	cmd := &cobra.Command{
		Use:     "console",
		GroupID: invocation.InspectAStack,
		Short:   "Print the hosted cluster's console, its user and password",
		Example: `  hypershift-aws console -s dev --show-secrets`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			access, err := access(cmd.Context(), c)
			if err != nil {
				return err
			}
			if !showSecrets && access.Password != "" {
				access.Password = "[secret]"
			}
			if c.JSON != nil {
				return c.WriteDocument(map[string]any{"url": access.ConsoleURL, "user": "kubeadmin", "password": access.Password})
			}
			fmt.Fprintf(c.Streams.Out, "url %s\nuser kubeadmin\npassword %s\n", access.ConsoleURL, access.Password)
			return nil
		},
	}
	cmd.Flags().BoolVar(&showSecrets, "show-secrets", false, "print the password")
	return cmd
}
