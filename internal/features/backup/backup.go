// Package backup backs a stack's hosted cluster up with Velero, and deletes the stack's schedules with the cluster.
package backup

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	api "github.com/hypershift-aws/hypershift-aws/api/backup"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/features/backup/velero"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/hosted"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// Prepare completes the options of a backup with the stack's HostedCluster, and checks them.
func Prepare(ctx context.Context, h *hosted.Cluster, o api.Options) (api.Options, error) {
	cluster, err := h.Required(ctx, binding.Refused("the state of stack "+h.Stack.Name+
		" has no HostedCluster that could be backed up",
		fmt.Sprintf("run `hypershift-aws up -s %s` first, or use HyperShift's own command for a cluster that other tools apply", h.Stack.Name)))
	if err != nil {
		return o, err
	}
	o.Cluster, o.ClusterNamespace = cluster.Name, cluster.Namespace
	switch {
	case o.Name != "":
	case o.Cron != "":
		o.Name = cluster.Name + "-" + cluster.Namespace
	default:
		o.Name = cluster.Name + "-" + time.Now().UTC().Format("20060102-150405")
	}
	if err := velero.Validate(o); err != nil {
		return o, &failure.Error{Reason: failure.Refused, Problem: err.Error(), Cause: err}
	}
	return velero.WithDefaults(o), nil
}

// Create creates the Backup, or creates or updates the Schedule, and waits for at most that long until Velero has
// completed or enabled it; with 0 it does not wait.
func Create(ctx context.Context, h *hosted.Cluster, o api.Options, most time.Duration) error {
	cluster, err := h.Connection.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = cluster.Close() }()
	if err := checkStorage(ctx, cluster, o); err != nil {
		return err
	}
	object := velero.Object(o)
	key := fmt.Sprintf("%s %s/%s", object["kind"], o.Namespace, o.Name)
	if o.Cron == "" {
		existing, err := cluster.Get(ctx, crd.Backup, o.Namespace, o.Name)
		if err != nil {
			return err
		}
		if existing != nil {
			return binding.Refused(key+" exists already", "use another name")
		}
	}
	if err := cluster.Apply(ctx, hypershift.FieldManager, object); err != nil {
		return &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("%s was not applied: %s", key, err), Cause: err,
			Remedy: "allow the user of " + binding.KubeconfigKey(h.Stack) +
				" to get, create and patch backups and schedules of velero.io in namespace " + o.Namespace}
	}
	if most == 0 {
		h.Stack.Say("%s was created", key)
		return nil
	}
	return await(ctx, h.Stack, cluster, o, key, most)
}

// checkStorage fails unless OADP is installed with a usable storage location.
func checkStorage(ctx context.Context, cluster clusterstatus.ManagementCluster, o api.Options) error {
	location, err := cluster.Get(ctx, crd.BackupStorageLocation, o.Namespace, o.StorageLocation)
	phase := props.Map(location).Object("status").String("phase")
	switch {
	case meta.IsNoMatchError(err) || apierrors.IsNotFound(err) || err == nil && location == nil:
		return binding.Refused(fmt.Sprintf("the management cluster has no BackupStorageLocation %s/%s", o.Namespace,
			o.StorageLocation),
			"install OADP with a DataProtectionApplication first, as docs/disaster-recovery.md describes, or correct --oadp-namespace or --storage-location")
	case err != nil:
		return err
	case phase != "Available":
		return binding.Refused(fmt.Sprintf("BackupStorageLocation %s/%s is not Available, but %q: %s", o.Namespace,
			o.StorageLocation, phase,
			props.Map(location).Object("status").String("message")), "correct its bucket, region, or credentials")
	}
	return nil
}

// await waits until Velero has completed a Backup, or enabled a Schedule.
func await(
	ctx context.Context, s *workspace.Stack, cluster clusterstatus.ManagementCluster, o api.Options, key string,
	most time.Duration,
) error {
	kind := crd.Backup
	if o.Cron != "" {
		kind = crd.Schedule
	}
	phase, uid := "", ""
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	waiting := clusterstatus.Waiting{
		Interval: s.Session.Environment.Timing().Ready, Within: binding.Within,
		Interrupted: s.Session.Interrupts.First(), Say: func(sentence string) { s.Say("%s", sentence) },
		Stopped: func() error {
			return &failure.Error{Reason: failure.Interrupted, Problem: "stopped waiting for " + key + ", which goes on"}
		},
		Late: func() error {
			return &failure.Error{Reason: failure.Failed,
				Problem: fmt.Sprintf("%s was not complete in time: it is %q", key, phase),
				Remedy:  "it goes on; read its status.phase, or wait longer with --wait-timeout"}
		},
	}
	return waiting.Until(ctx, func(ctx context.Context) (bool, error) {
		object, err := cluster.Get(ctx, kind, o.Namespace, o.Name)
		switch {
		case err != nil:
			return false, err
		case object == nil, uid != "" && props.Map(object).String("metadata", "uid") != uid:
			return false, &failure.Error{Reason: failure.Failed, Problem: key + " was deleted while it was waited for",
				Remedy: "run the command again"}
		}
		uid = props.Map(object).String("metadata", "uid")
		status := props.Map(object).Object("status")
		if now := status.String("phase"); now != phase {
			phase = now
			s.Say("%s is %s", key, phase)
		}
		switch phase {
		case "FailedValidation", "PartiallyFailed", "Failed":
			return false, &failure.Error{
				Reason: failure.Failed, Problem: fmt.Sprintf("%s is %s: %s%v", key, phase, status.String("failureReason"),
					status.Strings("validationErrors")),
				Remedy: fmt.Sprintf("`oc -n %s describe %s %s` has the reason; a cluster cannot be restored from it", o.Namespace, kind, o.Name),
			}
		}
		return phase == "Completed" || phase == "Enabled", nil
	})
}
