package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (c *invocation) consoleCommand() *cobra.Command {
	var showSecrets bool
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Print the URL of the hosted cluster's console, and its first user and password",
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
