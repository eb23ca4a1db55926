package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
)

func (c *invocation) kubeconfigCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the hosted cluster's kubeconfig",
		Long: `Prints the kubeconfig of the hosted cluster's administrator, as HyperShift wrote it into the management cluster.
It is a secret: --write puts it into a file that you alone can read.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			access, err := c.access(cmd.Context())
			if err != nil {
				return err
			}
			if file == "" {
				fmt.Fprint(c.streams.Out, access.Kubeconfig)
				return nil
			}
			if err := os.WriteFile(file, []byte(access.Kubeconfig), 0o600); err != nil {
				return fmt.Errorf("writing the kubeconfig: %w", err)
			}
			c.say("wrote %s", file)
			return nil
		},
	}
	cmd.Flags().StringVarP(&file, "write", "w", "", "write it into this `file` instead")
	return cmd
}

func (c *invocation) consoleCommand() *cobra.Command {
	var showSecrets bool
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Print the URL of the hosted cluster's console, and its first user",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			access, err := c.access(cmd.Context())
			if err != nil {
				return err
			}
			if !showSecrets && access.Password != "" {
				access.Password = "[secret]"
			}
			if c.json != nil {
				return c.printJSON(map[string]any{"url": access.ConsoleURL, "user": "kubeadmin", "password": access.Password})
			}
			fmt.Fprintf(c.streams.Out, "url %s\nuser kubeadmin\npassword %s\n", access.ConsoleURL, access.Password)
			return nil
		},
	}
	cmd.Flags().BoolVar(&showSecrets, "show-secrets", false, "print the password")
	return cmd
}

// access reads how the stack's hosted cluster is reached.
func (c *invocation) access(ctx context.Context) (*clusterstatus.Access, error) {
	stack, err := c.open(ctx, automation.MustExist, false)
	if err != nil {
		return nil, err
	}
	defer stack.Close()
	return stack.Access(ctx)
}
