package offline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// operators are HyperShift's in one cluster. They work in the offline accounts that are kept beside the cluster.
type operators struct {
	// cluster is the cluster's name; dir is the folder of all clusters and accounts.
	cluster, dir string
	types        catalogue

	mu       sync.Mutex
	accounts map[string]*Account
}

var _ Controller = (*operators)(nil)

func newOperators(dir, cluster string, types catalogue) *operators {
	return &operators{cluster: cluster, dir: dir, types: types, accounts: map[string]*Account{}}
}

// Reconcile implements Controller.
func (o *operators) Reconcile(t *tx, how Operators, now time.Time) error {
	return (&reconciler{operators: o, tx: t, how: how, now: now}).reconcile()
}

// Close implements Controller.
func (o *operators) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var errs []error
	for _, account := range o.accounts {
		errs = append(errs, account.close())
	}
	return errors.Join(errs...)
}

// account opens an account of AWS that there is; nil where nobody has used one of that ID.
func (o *operators) account(id string) (*Account, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if account := o.accounts[id]; account != nil {
		return account, nil
	}
	if _, err := os.Stat(filepath.Join(o.dir, "accounts", id)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	account, err := openAccount(o.dir, id, o.types)
	if err == nil {
		o.accounts[id] = account
	}
	return account, err
}

// reconciler is one look of the operators at their objects.
type reconciler struct {
	*operators
	*tx
	how Operators
	now time.Time
}

func (o *reconciler) reconcile() error {
	for _, token := range []string{nodePoolToken, hostedClusterToken} {
		for _, rec := range o.everywhere(token) {
			after := rec.clone()
			var err error
			if token == nodePoolToken {
				err = o.nodePool(after)
			} else {
				err = o.hostedCluster(after)
			}
			if err != nil {
				return fmt.Errorf("operating %s in offline cluster %s: %w", rec.ID, o.cluster, err)
			}
			if jsonText(map[string]any(after.State)) != jsonText(map[string]any(rec.State)) {
				after.State.renewed(rec.State)
				o.keep(after)
			}
		}
	}
	for _, rec := range o.records(clusterScope, namespaceToken) {
		if rec.doomed() && len(o.inside(rec.ID)) == 0 {
			o.keep(rec)
		}
	}
	return nil
}

// everywhere are the objects of a type in all namespaces.
func (o *reconciler) everywhere(token string) []*record {
	var found []*record
	for of := range o.store.records {
		if of.token == token {
			found = append(found, o.records(of.scope, token)...)
		}
	}
	return found
}

// after says whether an object is that many of HyperShift's seconds old.
func (o *reconciler) after(rec *record, seconds float64) bool {
	return !o.now.Before(rec.Born.Add(o.how.scaled(seconds)))
}

// goingSeconds is how many seconds after it was asked to go an object's operators get to what it has in AWS, so that what
// does not wait for it goes meanwhile.
const goingSeconds = 30

// going says whether the operators have got to an object that is being deleted.
func (o *reconciler) going(rec *record) bool {
	return !o.now.Before(parsed(rec.State.object("metadata").text("deletionTimestamp")).Add(o.how.scaled(goingSeconds)))
}

// givesUp says whether the operators have tried long enough to take away what an object that is being deleted has in AWS.
func (o *reconciler) givesUp(rec *record) bool {
	since := parsed(rec.State.object("metadata").text("deletionTimestamp"))
	return o.how.Patience > 0 && !o.now.Before(since.Add(o.how.scaled(o.how.Patience)))
}

// finalizer is HyperShift's on both of its kinds.
const finalizer = "hypershift.openshift.io/finalizer"

// hold puts the finalizer on an object, release takes it off.
func hold(object props) {
	metadata := object.object("metadata")
	for _, there := range metadata.texts("finalizers") {
		if there == finalizer {
			return
		}
	}
	metadata["finalizers"] = list(append(metadata.texts("finalizers"), finalizer)...)
}

func release(object props) {
	metadata := object.object("metadata")
	var others []string
	for _, there := range metadata.texts("finalizers") {
		if there != finalizer {
			others = append(others, there)
		}
	}
	if len(others) == 0 {
		delete(metadata, "finalizers")
		return
	}
	metadata["finalizers"] = list(others...)
}
