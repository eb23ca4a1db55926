// Package hypershift simulates HyperShift's operators in an offline cluster, and what they do in AWS for its hosted
// clusters.
package hypershift

import (
	"fmt"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// operators are HyperShift's operators in one cluster. They work in the offline accounts in the same folder as the
// cluster.
type operators struct {
	*aws.Accounts
	// cluster is the cluster's name.
	cluster string
}

var _ kubernetes.Controller = (*operators)(nil)

// New returns the operators of a cluster under dir, which work in the accounts under dir.
func New(dir, cluster string, types aws.Catalogue) *operators {
	return &operators{Accounts: aws.NewAccounts(dir, types), cluster: cluster}
}

// Reconcile implements Controller.
func (o *operators) Reconcile(t *store.Tx, how faults.Operators, now time.Time) error {
	return (&reconciler{operators: o, Tx: t, how: how, now: now}).reconcile()
}

// reconciler is one pass of the operators over their objects.
type reconciler struct {
	*operators
	*store.Tx
	how faults.Operators
	now time.Time
}

func (o *reconciler) reconcile() error {
	for _, token := range []string{kubernetes.NodePoolToken, kubernetes.HostedClusterToken} {
		for _, rec := range o.everywhere(token) {
			after := rec.Clone()
			var err error
			if token == kubernetes.NodePoolToken {
				err = o.nodePool(after)
			} else {
				err = hostedClusterController{o.clusterOf(after)}.reconcile()
			}
			if err != nil {
				return fmt.Errorf("operating %s in offline cluster %s: %w", rec.ID, o.cluster, err)
			}
			if props.JSONText(map[string]any(after.State)) != props.JSONText(map[string]any(rec.State)) {
				if err := written(after, rec.State); err != nil {
					return fmt.Errorf("writing %s in offline cluster %s: %w", rec.ID, o.cluster, err)
				}
				kubernetes.Touch(after.State, rec.State)
				kubernetes.Keep(o.Tx, after)
			}
		}
	}
	o.backups()
	for _, rec := range o.List(kubernetes.ClusterScope, kubernetes.NamespaceToken) {
		if kubernetes.Deleting(rec) && len(kubernetes.InNamespace(o.Tx, rec.ID)) == 0 {
			kubernetes.Keep(o.Tx, rec)
		}
	}
	return nil
}

// Manager is the field manager of what HyperShift's operator writes.
const Manager = "hypershift-operator-manager"

// written records the operators as managers of what they have changed in an object's spec and finalizers: they write
// both by a plain update. The status is a separate subresource that only they write.
func written(rec *store.Entry, was props.Map) error {
	metadata, before := rec.State.Object("metadata"), was.Object("metadata")
	if props.JSONText(rec.State["spec"]) == props.JSONText(was["spec"]) &&
		props.JSONText(metadata["finalizers"]) == props.JSONText(before["finalizers"]) {
		return nil
	}
	return kubernetes.Update(rec, was, Manager)
}

// everywhere returns the objects of a type in all namespaces.
func (o *reconciler) everywhere(token string) []*store.Entry {
	var found []*store.Entry
	for key := range o.Store.Records {
		if key.Token == token {
			found = append(found, o.List(key.Scope, token)...)
		}
	}
	return found
}

// after reports whether an object is at least that many of HyperShift's seconds old.
func (o *reconciler) after(rec *store.Entry, seconds float64) bool {
	return !o.now.Before(rec.CreatedAt.Add(o.how.Scaled(seconds)))
}

// goingSeconds is how many seconds after an object's deletion is requested its operators start to delete its AWS
// resources, so that what does not wait for it is deleted meanwhile.
const goingSeconds = 30

// going reports whether the operators have started with an object that is being deleted.
func (o *reconciler) going(rec *store.Entry) bool {
	return !o.now.Before(parsed(rec.State.Object("metadata").String("deletionTimestamp")).Add(o.how.Scaled(goingSeconds)))
}

// givesUp reports whether the operators have retried long enough to delete the AWS resources of an object that is being
// deleted.
func (o *reconciler) givesUp(rec *store.Entry) bool {
	since := parsed(rec.State.Object("metadata").String("deletionTimestamp"))
	return o.how.Patience > 0 && !o.now.Before(since.Add(o.how.Scaled(o.how.Patience)))
}

// Finalizer is HyperShift's finalizer on both of its kinds.
const Finalizer = "hypershift.openshift.io/finalizer"
