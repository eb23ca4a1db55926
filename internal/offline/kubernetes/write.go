package kubernetes

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// WriteOptions are the options of a write request.
type WriteOptions struct {
	// manager is the field manager; force lets it take fields from others.
	manager string
	force   bool
	// former is the manager that applied before, "" for none.
	former string
	// was are the inputs that were applied before.
	was props.Map
	// ignored are the paths of the fields that an update leaves as they are in the cluster.
	ignored []string
	// applies creates an object by server-side apply; pulumi-kubernetes posts it.
	applies bool
	// dry is a dry run.
	dry bool
}

// key returns the key of an object's record.
func (k *ObjectKind) key(id string) store.Key {
	scope := ClusterScope
	if namespace, _, namespaced := strings.Cut(id, "/"); namespaced {
		scope = namespace
	}
	return store.Key{Scope: scope, Token: cmp.Or(k.patches, k.token), ID: id}
}

// hasNamespace reports whether a namespace exists; every cluster has three from the start, and OADP's.
func hasNamespace(t *store.Tx, name string) bool {
	return slices.Contains([]string{"default", "kube-public", "kube-system", veleroNamespace}, name) ||
		t.Get(store.Key{Scope: ClusterScope, Token: NamespaceToken, ID: name}) != nil
}

func (c *Cluster) create(k *ObjectKind, inputs props.Map, how WriteOptions) (id string, out props.Map, err error) {
	id = k.ID(inputs)
	if k.patches != "" {
		out, err = c.patch(k, id, inputs, how)
		return id, out, err
	}
	name := inputs.Object("metadata").String("name")
	err = c.folder.Transact(func(t *store.Tx) error {
		if err := checkNamespace(t, k, inputs.Object("metadata").String("namespace"), name); err != nil {
			return err
		}
		if rec := t.Get(k.key(id)); rec != nil || k.token == NamespaceToken && hasNamespace(t, name) {
			exists := apierrors.NewAlreadyExists(k.resource(), name)
			if rec != nil && Deleting(rec) {
				exists.ErrStatus.Message = "object is being deleted: " + exists.ErrStatus.Message
			}
			return exists
		}
		if out, err = k.made(inputs, how); err != nil || how.dry {
			return err
		}
		t.Put(&store.Entry{
			Type:      k.token,
			ID:        id,
			Scope:     k.key(id).Scope,
			Origin:    store.ByStack,
			CreatedAt: time.Now(),
			State:     out,
		})
		return nil
	})
	if err != nil || how.dry {
		return id, out, err
	}
	return id, out, c.settle()
}

// checkNamespace refuses an object whose namespace is missing or is being deleted.
func checkNamespace(t *store.Tx, k *ObjectKind, namespace, name string) error {
	if !k.namespaced {
		return nil
	}
	if !hasNamespace(t, namespace) {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, namespace)
	}
	if rec := t.Get(store.Key{Scope: ClusterScope, Token: NamespaceToken, ID: namespace}); rec != nil && Deleting(rec) {
		return apierrors.NewForbidden(k.resource(), name,
			fmt.Errorf("unable to create new content in namespace %s because it is being terminated", namespace))
	}
	return nil
}

// made returns a new object as the API server stores it.
func (k *ObjectKind) made(inputs props.Map, how WriteOptions) (props.Map, error) {
	if k.custom {
		return k.newCustom(inputs, how)
	}
	out := inputs.Clone()
	metadata := out.Object("metadata")
	metadata["uid"] = ids.UUID()
	metadata["creationTimestamp"] = ids.Timestamp()
	metadata["resourceVersion"] = "1"
	if k.complete != nil {
		k.complete(out)
	}
	return out, nil
}

// read returns an object as it is now, or nil if there is none.
func (c *Cluster) read(k *ObjectKind, id string) (out props.Map, err error) {
	if err := c.settle(); err != nil {
		return nil, err
	}
	err = c.folder.Transact(func(t *store.Tx) error {
		if rec := t.Get(k.key(id)); rec != nil {
			out = rec.State.Clone()
		}
		return nil
	})
	return out, err
}

func (c *Cluster) update(k *ObjectKind, id string, inputs props.Map, how WriteOptions) (out props.Map, err error) {
	if k.patches != "" {
		return c.patch(k, id, inputs, how)
	}
	err = c.folder.Transact(func(t *store.Tx) error {
		rec := t.Get(k.key(id))
		if rec == nil {
			return apierrors.NewNotFound(k.resource(), inputs.Object("metadata").String("name"))
		}
		rec = rec.Clone()
		if k.custom {
			if rec.State, err = k.next(rec.State, inputs, how); err != nil {
				return err
			}
		} else {
			rec.State = k.applied(rec.State, inputs)
			metadata := rec.State.Object("metadata")
			metadata["resourceVersion"] = nextVersion(metadata)
		}
		out = rec.State.Clone()
		if !how.dry {
			Keep(t, rec)
		}
		return nil
	})
	if err != nil || how.dry {
		return out, err
	}
	return out, c.settle()
}

// remove requests the deletion of an object, and of all objects in it if it is a namespace, with foreground propagation
// as pulumi-kubernetes does. An object with finalizers stays until they are removed.
func (c *Cluster) remove(k *ObjectKind, id string) error {
	err := c.folder.Transact(func(t *store.Tx) error {
		if rec := t.Get(k.key(id)); rec != nil {
			rec = inForeground(rec)
			Delete(t, rec)
			collect(t, rec)
		}
		return nil
	})
	return errors.Join(err, c.settle())
}

// foreground is the finalizer that makes the API server keep an object until its dependents are deleted.
const foreground = "foregroundDeletion"

// inForeground marks an object for deletion after its dependents.
func inForeground(rec *store.Entry) *store.Entry {
	if !Deleting(rec) {
		rec = rec.Clone()
		AddFinalizer(rec, foreground)
	}
	return rec
}

// collect does the garbage collector's part of a foreground deletion: it deletes the object's dependents, then removes
// the finalizer.
func collect(t *store.Tx, rec *store.Entry) {
	key := store.Key{Scope: rec.Scope, Token: rec.Type, ID: rec.ID}
	if rec = t.Get(key); rec == nil || !Deleting(rec) || !slices.Contains(Finalizers(rec), foreground) {
		return
	}
	for _, owned := range ownedBy(t, rec) {
		Delete(t, owned)
	}
	if rec = t.Get(key); rec == nil || len(ownedBy(t, rec)) > 0 {
		return
	}
	rec = rec.Clone()
	RemoveFinalizers(rec, foreground)
	Keep(t, rec)
}

// ownedBy returns the objects with an owner reference to a record.
func ownedBy(t *store.Tx, owner *store.Entry) []*store.Entry {
	return slices.DeleteFunc(InNamespace(t, owner.Scope), func(other *store.Entry) bool {
		return !slices.ContainsFunc(other.State.Object("metadata").Objects("ownerReferences"),
			func(reference props.Map) bool {
				return reference.String("uid") == owner.State.Object("metadata").String("uid")
			})
	})
}

// there returns the object if it still has that UID, or nil.
func (c *Cluster) there(k *ObjectKind, id, uid string) (object props.Map, err error) {
	object, err = c.read(k, id)
	if object.Object("metadata").String("uid") != uid {
		object = nil
	}
	return object, err
}

// Deleting reports whether an object is being deleted.
func Deleting(r *store.Entry) bool { return r.State.Object("metadata").Has("deletionTimestamp") }

// Finalizers returns the finalizers of an object.
func Finalizers(r *store.Entry) []string { return r.State.Object("metadata").Strings("finalizers") }

// AddFinalizer adds a finalizer to an object that does not have it.
func AddFinalizer(r *store.Entry, finalizer string) {
	if finalizers := Finalizers(r); !slices.Contains(finalizers, finalizer) {
		r.State.Object("metadata")["finalizers"] = props.List(append(finalizers, finalizer)...)
	}
}

// RemoveFinalizers removes some finalizers of an object.
func RemoveFinalizers(r *store.Entry, finalizers ...string) {
	rest := slices.DeleteFunc(Finalizers(r), func(name string) bool { return slices.Contains(finalizers, name) })
	if r.State.Object("metadata")["finalizers"] = props.List(rest...); len(rest) == 0 {
		delete(r.State.Object("metadata"), "finalizers")
	}
}

// Delete marks an object as being deleted, and removes it if it has no finalizers.
func Delete(t *store.Tx, rec *store.Entry) {
	if !Deleting(rec) {
		rec = rec.Clone()
		metadata := rec.State.Object("metadata")
		metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"] = ids.Timestamp(), 0.0
		if generation := metadata.Number("generation"); generation > 0 {
			metadata["generation"] = generation + 1
		}
		if rec.Type == NamespaceToken {
			rec.State["status"] = map[string]any{"phase": "Terminating"}
		}
	}
	Keep(t, rec)
	if rec.Type != NamespaceToken {
		return
	}
	for _, inside := range InNamespace(t, rec.ID) {
		Delete(t, inside)
	}
	Keep(t, rec)
}

// Keep stores an object. If the object is being deleted and has no more finalizers, it is removed together with the
// objects that it owns.
func Keep(t *store.Tx, rec *store.Entry) {
	held := len(Finalizers(rec)) > 0 || rec.Type == NamespaceToken && len(InNamespace(t, rec.ID)) > 0
	if !Deleting(rec) || held {
		t.Put(rec)
		return
	}
	t.Delete(rec)
	for _, owned := range ownedBy(t, rec) {
		Delete(t, owned)
	}
	for _, reference := range rec.State.Object("metadata").Objects("ownerReferences") {
		for _, owner := range InNamespace(t, rec.Scope) {
			if owner.State.Object("metadata").String("uid") == reference.String("uid") {
				collect(t, owner)
			}
		}
	}
}

// InNamespace returns the objects of a namespace. Those created in this transaction are not included yet.
func InNamespace(t *store.Tx, namespace string) []*store.Entry {
	var inside []*store.Entry
	for _, key := range slices.SortedFunc(maps.Keys(t.Store.Records), func(a, b store.Group) int {
		return strings.Compare(a.Token, b.Token)
	}) {
		if key.Scope == namespace {
			inside = append(inside, t.List(key.Scope, key.Token)...)
		}
	}
	return inside
}
