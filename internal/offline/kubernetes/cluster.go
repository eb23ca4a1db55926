package kubernetes

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// ClustersDir is the folder of the clusters, one subfolder per cluster.
const ClustersDir = "clusters"

// ClusterScope is the scope of objects without a namespace.
const ClusterScope = "cluster"

// NamespaceToken is the Pulumi type of namespaces.
const NamespaceToken = "kubernetes:core/v1:Namespace"

// Cluster is the API of an offline Kubernetes cluster, stored in a folder. HyperShift's operators run whenever the
// cluster is read or written (see Operators).
type Cluster struct {
	folder *store.Folder
	kinds  map[string]*ObjectKind
	// controller runs in the cluster.
	controller Controller
}

// Controller changes a cluster's objects as the operators that run in the cluster do.
type Controller interface {
	// Reconcile performs the possible changes. It is called again, up to a limit, after each change.
	Reconcile(t *store.Tx, how faults.Operators, now time.Time) error
	// Close releases what the controller has opened.
	Close() error
}

// Controllers are several controllers in one cluster, run in order.
type Controllers []Controller

var _ Controller = Controllers(nil)

// Reconcile implements Controller. The changes of one controller are stored before the next one runs.
func (cs Controllers) Reconcile(t *store.Tx, how faults.Operators, now time.Time) error {
	for _, c := range cs {
		if err := c.Reconcile(t, how, now); err != nil {
			return err
		}
		if len(t.Changes) > 0 {
			return nil // the others run in the next round
		}
	}
	return nil
}

// Close implements Controller.
func (cs Controllers) Close() error {
	var errs []error
	for _, c := range cs {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Object is a Kubernetes object.
type Object struct {
	// Kind is the object's kind, "ConfigMap"; ID is "<namespace>/<name>", or the name of an object without a namespace.
	Kind, ID string
	// Properties are the object's fields.
	Properties map[string]any
}

// Open opens the cluster of that name under dir.
func Open(dir, name string, controller Controller) (*Cluster, error) {
	folder, err := store.Open(filepath.Join(dir, ClustersDir, name), name)
	if err != nil {
		return nil, err
	}
	return &Cluster{folder: folder, kinds: ObjectKinds(), controller: controller}, nil
}

// Close closes the cluster's files.
func (c *Cluster) Close() error { return errors.Join(c.folder.Close(), c.controller.Close()) }

// Name returns the cluster's name: the context, and a hash of the kubeconfig if there is one.
func (c *Cluster) Name() string { return c.folder.ID() }

// Objects returns the objects created by stacks and operators, ordered by kind and ID.
func (c *Cluster) Objects() ([]Object, error) {
	settled := c.settle()
	var objects []Object
	err := c.folder.Transact(func(t *store.Tx) error {
		for key := range t.Store.Records {
			for _, rec := range t.Store.List(key.Scope, key.Token) {
				objects = append(objects, Object{Kind: rec.State.String("kind"), ID: rec.ID, Properties: rec.State.Clone()})
			}
		}
		return nil
	})
	slices.SortFunc(objects, func(a, b Object) int { return strings.Compare(a.Kind+" "+a.ID, b.Kind+" "+b.ID) })
	return objects, errors.Join(settled, err)
}

// Get returns the current object of a kind such as "HostedCluster"; nil if there is none. The namespace is "" for kinds
// without a namespace.
func (c *Cluster) Get(kind, namespace, name string) (map[string]any, error) {
	objects, err := c.List(kind, namespace)
	for _, object := range objects {
		if props.Map(object).Object("metadata").String("name") == name {
			return object, err
		}
	}
	return nil, err
}

// List returns the objects of a kind in a namespace, ordered by name. It fails for an unknown kind.
func (c *Cluster) List(kind, namespace string) ([]map[string]any, error) {
	k := c.kind(kind)
	if k == nil {
		return nil, fmt.Errorf("the offline cluster has no kind %q", kind)
	}
	if err := c.settle(); err != nil {
		return nil, err
	}
	var objects []map[string]any
	err := c.folder.Transact(func(t *store.Tx) error {
		for _, rec := range t.Store.List(cmp.Or(namespace, ClusterScope), k.token) {
			objects = append(objects, rec.State.Clone())
		}
		return nil
	})
	return objects, err
}

func (c *Cluster) kind(kind string) *ObjectKind {
	for _, k := range c.kinds {
		if k.kind == kind && k.patches == "" {
			return k
		}
	}
	if kind == crd.HostedControlPlane || kind == crd.EndpointService { // only operators create them
		return &ObjectKind{
			token:      "kubernetes:" + crd.APIVersion + ":" + kind,
			apiVersion: crd.APIVersion,
			kind:       kind,
			namespaced: true,
		}
	}
	return nil
}

// Edit updates an object as another client of the cluster would, as field manager manager. It fails where the API
// server would refuse the change. If the change removes the last finalizer of an object that is being deleted, the
// object is deleted.
func (c *Cluster) Edit(kind, namespace, name, manager string, change func(object map[string]any)) error {
	return c.edit(kind, namespace, name, manager, "", change)
}

// Scale sets the replicas of an object by its subresource scale, as `kubectl scale` does.
func (c *Cluster) Scale(kind, namespace, name string, replicas int) error {
	return c.edit(kind, namespace, name, "kubectl", "scale", func(object map[string]any) {
		props.Map(object).Object("spec")["replicas"] = float64(replicas)
	})
}

// DryApply returns the API server's error of a server-side apply of an object without force, which changes nothing: a
// conflict, or that the object does not exist. The result is not validated.
func (c *Cluster) DryApply(manager string, object map[string]any) error {
	if !slices.ContainsFunc(customKinds(), func(k *ObjectKind) bool { return k.kind == object["kind"] }) {
		return nil // nothing here refuses others
	}
	k, inputs, live, err := c.live(object)
	if err != nil {
		return err
	}
	if live == nil {
		return apierrors.NewNotFound(k.resource(), inputs.Object("metadata").String("name"))
	}
	_, err = k.apply(live, inputs, WriteOptions{manager: manager}, false)
	return err
}

// Apply creates or updates an object by server-side apply without force. The namespaces of operators that every offline
// cluster has need not exist.
func (c *Cluster) Apply(manager string, object map[string]any) error {
	k, inputs, live, err := c.live(object)
	if err != nil {
		return err
	}
	if live == nil {
		_, _, err = c.create(k, inputs, WriteOptions{manager: manager, applies: true})
		return err
	}
	_, err = c.update(k, k.ID(inputs), inputs, WriteOptions{manager: manager, was: live})
	return err
}

// live returns the kind of an object that is to be applied, its inputs, and the object as it is, nil if it does not
// exist.
func (c *Cluster) live(object map[string]any) (k *ObjectKind, inputs, live props.Map, err error) {
	inputs = object
	if k = c.kind(inputs.String("kind")); k == nil || !k.custom {
		return nil, nil, nil, fmt.Errorf("the offline cluster cannot apply objects of kind %q", inputs.String("kind"))
	}
	live, err = c.read(k, k.ID(inputs))
	return k, inputs, live, err
}

// Delete deletes the object with a UID. It isn't an error if the object no longer exists.
func (c *Cluster) Delete(kind, namespace, name, uid string) error {
	k := c.kind(kind)
	if k == nil {
		return fmt.Errorf("the offline cluster has no kind %q", kind)
	}
	if err := c.Answers(); err != nil {
		return err
	}
	err := c.folder.Transact(func(t *store.Tx) error {
		if rec := t.Get(k.key(namespace + "/" + name)); rec != nil && rec.State.Object("metadata").String("uid") == uid {
			Delete(t, rec)
		}
		return nil
	})
	return errors.Join(err, c.settle())
}

func (c *Cluster) edit(kind, namespace, name, manager, subresource string, change func(object map[string]any)) error {
	k := c.kind(kind)
	if k == nil {
		return fmt.Errorf("the offline cluster has no kind %q", kind)
	}
	err := c.folder.Transact(func(t *store.Tx) error {
		rec := t.Get(k.key(strings.TrimPrefix(namespace+"/"+name, "/")))
		if rec == nil {
			return apierrors.NewNotFound(k.resource(), name)
		}
		was := rec.State
		rec = rec.Clone()
		change(rec.State)
		switch {
		case k.custom:
			if err := k.edited(rec, was, manager, subresource); err != nil {
				return err
			}
		case k.complete != nil:
			k.complete(rec.State)
		}
		Keep(t, rec)
		return nil
	})
	return errors.Join(err, c.settle())
}

// edited records manager as the manager of the changed fields.
func (k *ObjectKind) edited(rec *store.Entry, was props.Map, manager, subresource string) error {
	before, object, err := bothUnstructured(was, rec.State)
	if err != nil {
		return err
	}
	if err := k.schemas.Prune(object.Object); err != nil {
		return err
	}
	if err := k.schemas.Default(object.Object); err != nil {
		return err
	}
	tracked, err := k.fields(subresource).Update(before, object, manager)
	if err != nil {
		return err
	}
	rec.State, err = k.changed(was, tracked)
	return err
}

// UID returns the UID of namespace kube-system, which a cluster gets when it is created. It fails, as the API server
// does, where the caller may not read namespaces, or where it does not answer.
func (c *Cluster) UID() (string, error) {
	if err := c.Answers(); err != nil {
		return "", err
	}
	how, err := c.Operators()
	if err != nil {
		return "", err
	}
	if how.Restricted {
		return "", apierrors.NewForbidden(schema.GroupResource{Resource: "namespaces"}, "kube-system",
			errors.New("the caller may not get it"))
	}
	return c.uid()
}

// Mark returns what tells the cluster from those of other folders, as the CA of an API server does, whether it answers
// or not.
func (c *Cluster) Mark() string {
	uid, err := c.uid()
	if err != nil {
		return c.folder.Dir
	}
	return uid
}

// uid returns the UID of namespace kube-system, and makes it with the first call.
func (c *Cluster) uid() (string, error) {
	var uid string
	err := c.folder.Transact(func(*store.Tx) error {
		path := filepath.Join(c.folder.Dir, "uid")
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			text = []byte(ids.UUID())
			err = os.WriteFile(path, text, 0o600)
		}
		uid = string(text)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("reading the UID of offline cluster %s: %w", c.Name(), err)
	}
	return uid, nil
}
