package hypershift

import (
	"time"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// backups completes new backups, and enables new schedules, as Velero does. An offline cluster stores no contents.
func (o *reconciler) backups() {
	for kind, phase := range map[string]string{crd.Backup: "Completed", crd.Schedule: "Enabled"} {
		for _, rec := range o.everywhere("kubernetes:" + crd.VeleroAPIVersion + ":" + kind) {
			if rec.State.Object("status").String("phase") != "" {
				continue
			}
			after := rec.Clone()
			status := props.Map{"phase": phase}
			if kind == crd.Backup {
				status["completionTimestamp"] = o.now.UTC().Format(time.RFC3339)
			}
			after.State["status"] = map[string]any(status)
			kubernetes.Touch(after.State, rec.State)
			kubernetes.Keep(o.Tx, after)
		}
	}
}
