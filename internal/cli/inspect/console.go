package inspect

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

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
				return printJSON(c, map[string]any{"url": access.ConsoleURL, "user": "kubeadmin", "password": access.Password})
			}
			fmt.Fprintf(c.Streams.Out, "url %s\nuser kubeadmin\npassword %s\n", access.ConsoleURL, access.Password)
			return nil
		},
	}
	cmd.Flags().BoolVar(&showSecrets, "show-secrets", false, "print the password")
	return cmd
}
