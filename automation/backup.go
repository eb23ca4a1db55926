package automation

import (
	"context"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/backup"
	velerobackup "github.com/hypershift-aws/hypershift-aws/internal/features/backup"
)

// BackupOptions configure Backup.
type BackupOptions struct {
	// Options describe the backup; with Cron a schedule is created or updated instead. Cluster and ClusterNamespace are
	// the stack's own. Default Name: the cluster's name and the time, or for a schedule its namespace.
	backup.Options
	// Render only returns the object.
	Render bool
	// Wait is the maximum wait until the backup is complete, 0 not to wait.
	Wait time.Duration
}

// BackupResult is a backup or a schedule.
type BackupResult struct {
	// Kind is "Backup" or "Schedule"; Namespace and Name find it.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Object is the object of Velero that was applied or, with Render, that would be.
	Object map[string]any `json:"object"`
}

// Backup backs up the stack's HostedCluster with OADP, which must be installed in its management cluster. It changes
// neither AWS nor the stack's state. It fails if Velero could not back up everything.
func (s *Stack) Backup(ctx context.Context, o BackupOptions) (*BackupResult, error) {
	core := s.core()
	defer s.named(core)
	result, err := velerobackup.Run(ctx, core, velerobackup.Options(o))
	return (*BackupResult)(result), err
}
