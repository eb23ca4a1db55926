package offline

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// asking is how the API server is asked to write.
type asking struct {
	// manager applies, by force where it may take fields from others.
	manager string
	force   bool
	// former is the manager that applied before, "" for none.
	former string
	// was is what was applied before.
	was props
	// dry asks what would come of it.
	dry bool
}

// key is where an object is kept.
func (k *objectKind) key(id string) key {
	scope := clusterScope
	if namespace, _, namespaced := strings.Cut(id, "/"); namespaced {
		scope = namespace
	}
	return key{scope, cmp.Or(k.patches, k.token), id}
}

// hasNamespace says whether a namespace is there; three come with every cluster.
func (t *tx) hasNamespace(name string) bool {
	return slices.Contains([]string{"default", "kube-public", "kube-system"}, name) ||
		t.record(key{clusterScope, namespaceToken, name}) != nil
}

func (c *Cluster) create(k *objectKind, inputs props, how asking) (id string, out props, err error) {
	id = k.id(inputs)
	if k.patches != "" {
		out, err = c.patch(k, id, inputs, how)
		return id, out, err
	}
	name := inputs.object("metadata").text("name")
	err = c.folder.transact(func(t *tx) error {
		if err := t.placed(k, inputs.object("metadata").text("namespace"), name); err != nil {
			return err
		}
		if t.record(k.key(id)) != nil || k.token == namespaceToken && t.hasNamespace(name) {
			return apierrors.NewAlreadyExists(k.resource(), name)
		}
		if out, err = k.made(inputs); err != nil || how.dry {
			return err
		}
		t.put(&record{Type: k.token, ID: id, Scope: k.key(id).scope, Origin: byStack, Born: time.Now(), State: out})
		return nil
	})
	if err != nil || how.dry {
		return id, out, err
	}
	return id, out, c.settle()
}

// placed refuses an object whose namespace cannot take it.
func (t *tx) placed(k *objectKind, namespace, name string) error {
	if !k.namespaced {
		return nil
	}
	if !t.hasNamespace(namespace) {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, namespace)
	}
	if rec := t.record(key{clusterScope, namespaceToken, namespace}); rec != nil && rec.doomed() {
		return apierrors.NewForbidden(k.resource(), name,
			fmt.Errorf("unable to create new content in namespace %s because it is being terminated", namespace))
	}
	return nil
}

// made is a new object as the API server keeps it.
func (k *objectKind) made(inputs props) (props, error) {
	if k.custom {
		return k.born(inputs)
	}
	out := inputs.clone()
	metadata := out.object("metadata")
	metadata["uid"] = newUID()
	metadata["creationTimestamp"] = now()
	metadata["resourceVersion"] = "1"
	if k.complete != nil {
		k.complete(out)
	}
	return out, nil
}

// read is an object as it is now, nil where there is none.
func (c *Cluster) read(k *objectKind, id string) (out props, err error) {
	if err := c.settle(); err != nil {
		return nil, err
	}
	err = c.folder.transact(func(t *tx) error {
		if rec := t.record(k.key(id)); rec != nil {
			out = rec.State.clone()
		}
		return nil
	})
	return out, err
}

func (c *Cluster) update(k *objectKind, id string, inputs props, how asking) (out props, err error) {
	if k.patches != "" {
		return c.patch(k, id, inputs, how)
	}
	err = c.folder.transact(func(t *tx) error {
		rec := t.record(k.key(id))
		if rec == nil {
			return apierrors.NewNotFound(k.resource(), inputs.object("metadata").text("name"))
		}
		rec = rec.clone()
		if k.custom {
			if rec.State, err = k.next(rec.State, inputs, how); err != nil {
				return err
			}
		} else {
			rec.State = k.applied(rec.State, inputs)
			version, _ := strconv.Atoi(rec.State.object("metadata").text("resourceVersion"))
			rec.State.object("metadata")["resourceVersion"] = strconv.Itoa(version + 1)
		}
		out = rec.State.clone()
		if !how.dry {
			t.keep(rec)
		}
		return nil
	})
	if err != nil || how.dry {
		return out, err
	}
	return out, c.settle()
}

// remove asks for an object to go, and for all that is in it where it is a namespace. What finalizers hold stays until
// they are taken away.
func (c *Cluster) remove(k *objectKind, id string) error {
	err := c.folder.transact(func(t *tx) error {
		if rec := t.record(k.key(id)); rec != nil {
			t.doom(rec)
		}
		return nil
	})
	return errors.Join(err, c.settle())
}

// there says whether the object of that UID is still there.
func (c *Cluster) there(k *objectKind, id, uid string) (object props, err error) {
	object, err = c.read(k, id)
	if object.object("metadata").text("uid") != uid {
		object = nil
	}
	return object, err
}

// doomed says whether an object is being deleted.
func (r *record) doomed() bool { return r.State.object("metadata").has("deletionTimestamp") }

func (r *record) finalizers() []string { return r.State.object("metadata").texts("finalizers") }

// doom marks an object as being deleted, and drops it if nothing holds it.
func (t *tx) doom(rec *record) {
	if !rec.doomed() {
		rec = rec.clone()
		rec.State.object("metadata")["deletionTimestamp"] = now()
		rec.State.object("metadata")["deletionGracePeriodSeconds"] = 0.0
		if rec.Type == namespaceToken {
			rec.State["status"] = map[string]any{"phase": "Terminating"}
		}
	}
	t.keep(rec)
	if rec.Type != namespaceToken {
		return
	}
	for _, inside := range t.inside(rec.ID) {
		t.doom(inside)
	}
	t.keep(rec)
}

// keep keeps an object as it is now. One that is being deleted goes when nothing holds it any more, and what it owns
// goes with it.
func (t *tx) keep(rec *record) {
	held := len(rec.finalizers()) > 0 || rec.Type == namespaceToken && len(t.inside(rec.ID)) > 0
	if !rec.doomed() || held {
		t.put(rec)
		return
	}
	t.drop(rec)
	for _, other := range t.inside(rec.Scope) {
		for _, owner := range other.State.object("metadata").objects("ownerReferences") {
			if owner.text("uid") == rec.State.object("metadata").text("uid") {
				t.doom(other)
			}
		}
	}
}

// inside are the objects of a namespace. Those that this tx has made are not in yet.
func (t *tx) inside(namespace string) []*record {
	var inside []*record
	for _, of := range slices.SortedFunc(maps.Keys(t.store.records), func(a, b kindOf) int { return strings.Compare(a.token, b.token) }) {
		if of.scope == namespace {
			inside = append(inside, t.records(of.scope, of.token)...)
		}
	}
	return inside
}
