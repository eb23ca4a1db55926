package backup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/hosted"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Backups are the Velero schedules and backups of a hosted cluster.
type Backups struct {
	of *hosted.Cluster
	// schedules are those that `hypershift-aws backup --schedule` applied, which are deleted with the cluster.
	schedules []*unstructured.Unstructured
	// others are schedules of other clients, and kept the backups.
	others, kept []string
}

// Find returns the Velero schedules and backups of the stack's hosted cluster. It returns none if the stack has no
// hosted cluster.
func Find(ctx context.Context, h *hosted.Cluster) (Backups, error) {
	b := Backups{of: h}
	cluster, err := h.Stack.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return b, err
	}
	err = h.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, kind := range []string{crd.Schedule, crd.Backup} {
			found, err := api.List(ctx, kind, "")
			if err != nil {
				return err
			}
			for _, object := range found {
				b.add(kind, &unstructured.Unstructured{Object: object}, cluster)
			}
		}
		return nil
	})
	return b, err
}

// add adds an object if it has the cluster's labels.
func (b *Backups) add(kind string, object *unstructured.Unstructured, cluster *clusterstatus.HostedCluster) {
	labels := object.GetLabels()
	if labels["hypershift.openshift.io/hosted-cluster"] != cluster.Name ||
		labels["hypershift.openshift.io/hosted-cluster-namespace"] != cluster.Namespace {
		return
	}
	name := object.GetNamespace() + "/" + object.GetName()
	own := slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == hypershift.FieldManager
	})
	switch {
	case kind == crd.Backup:
		b.kept = append(b.kept, name)
	case own:
		b.schedules = append(b.schedules, object)
	default:
		b.others = append(b.others, name)
	}
}

// Text says what happens to the objects when the cluster is deleted, a line each; "" for none.
func (b Backups) Text() string {
	var lines []string
	for _, s := range b.schedules {
		lines = append(lines, fmt.Sprintf("Schedule %s/%s, which backs the hosted cluster up, is deleted with it",
			s.GetNamespace(), s.GetName()))
	}
	if len(b.others) > 0 {
		lines = append(lines, fmt.Sprintf("schedules of other clients stay, and back up nothing any more: %s; tell their owners",
			strings.Join(b.others, ", ")))
	}
	if len(b.kept) > 0 {
		lines = append(lines, fmt.Sprintf("backups of the hosted cluster stay until they expire: %s; `velero backup delete` deletes them with their data",
			strings.Join(b.kept, ", ")))
	}
	return strings.Join(lines, "\n")
}

// DeleteSchedules deletes the schedules of a deleted cluster that are the stack's own.
func (b Backups) DeleteSchedules(ctx context.Context) error {
	if len(b.schedules) == 0 {
		return nil
	}
	return b.of.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, s := range b.schedules {
			if err := api.Delete(ctx, crd.Schedule, s.GetNamespace(), s.GetName(), string(s.GetUID())); err != nil {
				return err
			}
			b.of.Stack.Say("deleted Schedule %s/%s", s.GetNamespace(), s.GetName())
		}
		return nil
	})
}
