package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Operators are how HyperShift's operators behave in an offline cluster. They do their work whenever somebody looks at the
// cluster: a provider that reads, writes or waits, and whoever asks for objects. The zero value is prompt and never gives up.
type Operators struct {
	// Scale is what their own times, and the kubernetes provider's timeouts, are multiplied with: 1 is as slow as
	// HyperShift, 0.1 ten times as fast. Default 0: they do at once whatever can be done, and a provider waits a second.
	Scale float64 `json:"scale" yaml:"scale"`
	// Killed operators do nothing: objects are taken and none comes up; what is being deleted stays, held by its finalizers,
	// and whoever takes those away leaves in AWS what the operators made there.
	Killed bool `json:"killed" yaml:"killed"`
	// Patience is how many seconds they try to take away what AWS does not let them before they leave it behind and let the
	// object go. Default 0: for ever, so that a wrong order shows. HyperShift itself leaves it behind at once where the
	// cluster's identity provider is broken, and an endpoint after 600 seconds. It is scaled.
	Patience float64 `json:"patience" yaml:"patience"`
}

func (o Operators) scaled(seconds float64) time.Duration {
	return time.Duration(seconds * o.Scale * float64(time.Second))
}

// Operators are the cluster's, as they were set last by whatever process.
func (c *Cluster) Operators() (Operators, error) {
	var o Operators
	text, err := os.ReadFile(c.operatorsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return o, fmt.Errorf("reading how the operators of offline cluster %s behave: %w", c.Name(), err)
	}
	return o, nil
}

// SetOperators has the cluster's operators behave like that from now on, in all processes.
func (c *Cluster) SetOperators(o Operators) error {
	if err := o.validate(); err != nil {
		return err
	}
	return writeJSON(c.operatorsFile(), o)
}

func (o Operators) validate() error {
	if o.Scale < 0 || o.Patience < 0 {
		return errors.New("operators: scale and patience cannot be negative")
	}
	return nil
}

func (c *Cluster) operatorsFile() string { return filepath.Join(c.folder.dir, "operators.json") }

// rounds is how often one settling goes through all objects at most: what one of them waits for, the next may have done.
const rounds = 6

// settle has the operators do what they can do by now.
func (c *Cluster) settle() error {
	operators, err := c.Operators()
	if err != nil || operators.Killed {
		return err
	}
	return c.folder.transact(func(t *tx) error {
		for range rounds {
			o := &reconciler{Cluster: c, tx: t, how: operators, now: time.Now()}
			if err := o.reconcile(); err != nil {
				return err
			}
			if len(t.changes) == 0 {
				return nil
			}
			if err := t.commit(); err != nil {
				return err
			}
		}
		return nil
	})
}

// reconciler is one look of the operators at their objects.
type reconciler struct {
	*Cluster
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
				return fmt.Errorf("operating %s in offline cluster %s: %w", rec.ID, o.Name(), err)
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
