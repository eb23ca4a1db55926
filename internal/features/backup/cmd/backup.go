// Package cmd has the command backup.
package cmd

import (
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/backup"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Feature returns the command backup.
func Feature() invocation.Feature {
	return invocation.Feature{Name: "backup", Commands: invocation.Adds(backupCommand)}
}

func backupCommand(c *invocation.Invocation) *cobra.Command {
	var options automation.BackupOptions
	var noWait bool
	cmd := &cobra.Command{
		Use:     "backup",
		GroupID: invocation.OperateAStack,
		Short:   "Back up the hosted cluster with OADP",
		Long: `Creates a Backup of the stack's HostedCluster and its control plane, with the contents of etcd, in the management cluster, where
OADP must be installed, and waits until Velero has completed it. With --schedule it creates or updates a Schedule instead. Neither AWS nor the
stack's state changes. It fails if the kubeconfig selects another management cluster than the stack's, or if the backup is incomplete.`,
		Example: `  hypershift-aws backup -s dev
  hypershift-aws backup -s dev --schedule @daily
  hypershift-aws backup -s dev --render > backup.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if noWait && cmd.Flags().Changed("wait-timeout") {
				return invocation.Refuse("--wait-timeout is for a run that waits: leave it or --no-wait out")
			}
			if noWait {
				options.Wait = 0
			}
			return runBackup(cmd, c, options)
		},
	}
	cmd.Flags().StringVar(&options.Name, "name", "", "the `name` of the object; by default the cluster's with the time or, of a schedule, its namespace")
	cmd.Flags().StringVar(&options.Cron, "schedule", "", "back up regularly, at these `times` of cron")
	cmd.Flags().DurationVar(&options.TTL, "ttl", backup.DefaultTTL, "Velero deletes a backup after this `time`")
	cmd.Flags().StringVar(&options.Namespace, "oadp-namespace", hypershift.BackupNamespace, "the `namespace` of OADP")
	cmd.Flags().StringVar(&options.StorageLocation, "storage-location", crd.BackupDefaultLocation,
		"the `name` of the BackupStorageLocation")
	cmd.Flags().StringSliceVar(&options.IncludeNamespaces, "include-namespaces", nil, "further `namespaces` to back up")
	cmd.Flags().BoolVar(&options.EtcdSnapshot, "use-etcd-snapshot", false,
		"have HyperShift write a snapshot of etcd instead of copying its volumes")
	cmd.Flags().BoolVar(&options.Render, "render", false, "print the object as YAML, and create nothing")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "end when the object is created")
	cmd.Flags().DurationVar(&options.Wait, "wait-timeout", time.Hour, "the maximum `time` to wait, such as 45m")
	return cmd
}

func runBackup(cmd *cobra.Command, c *invocation.Invocation, options automation.BackupOptions) error {
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	made, err := stack.Backup(cmd.Context(), options)
	switch {
	case err != nil:
		return err
	case c.JSON != nil:
		c.JSON.Write("backup", made)
	case options.Render:
		c.Document()
		encoder := yaml.NewEncoder(c.Streams.Out)
		encoder.SetIndent(2)
		return encoder.Encode(made.Object)
	}
	return nil
}
