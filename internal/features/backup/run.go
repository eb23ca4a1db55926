package backup

import (
	"context"
	"time"

	api "github.com/hypershift-aws/hypershift-aws/api/backup"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/backup/velero"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// Options configure Run.
type Options struct {
	// Options describe the backup; with Cron a schedule is created or updated instead.
	api.Options
	// Render only returns the object.
	Render bool
	// Wait is the maximum wait until the backup is complete, 0 not to wait.
	Wait time.Duration
}

// Result is a backup or a schedule.
type Result struct {
	// Kind is "Backup" or "Schedule"; Namespace and Name find it.
	Kind, Namespace, Name string
	// Object is the object of Velero that was applied or, with Render, that would be.
	Object map[string]any
}

// Run backs a stack's HostedCluster up: see automation.Stack.Backup.
func Run(ctx context.Context, s *run.Stack, o Options) (*Result, error) {
	ctx, r, err := s.Begin(ctx, gates.Backup, run.OpenOptions{Mode: run.MustExist, AnyFile: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	described, err := Prepare(ctx, r.Cluster, o.Options)
	if err != nil {
		return nil, err
	}
	object := velero.Object(described)
	result := &Result{
		Kind: object["kind"].(string), Namespace: described.Namespace, Name: described.Name, Object: object,
	}
	if o.Render {
		return result, nil
	}
	if err := r.Connection.Bind(ctx, r.Verb); err != nil {
		return nil, err
	}
	return result, Create(ctx, r.Cluster, described, o.Wait)
}
