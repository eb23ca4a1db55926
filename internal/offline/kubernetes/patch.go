package kubernetes

import (
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// NamespacePatchToken is the Pulumi type of patches of namespaces.
const NamespacePatchToken = "kubernetes:core/v1:NamespacePatch"

// namespacePatch manages some fields of a namespace that others manage too: it can be applied whether or not the
// namespace exists, and its deletion removes only the fields that it set.
// https://www.pulumi.com/registry/packages/kubernetes/how-to-guides/managing-resources-with-server-side-apply/
func namespacePatch() *ObjectKind {
	return &ObjectKind{token: NamespacePatchToken, patches: NamespaceToken, apiVersion: "v1", kind: "Namespace",
		plural: "namespaces",
		inputs: props.ShapeFor[namespacePatchInputs](), complete: completeNamespace}
}

// nameLabel is the label that the API server sets on each namespace.
// https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-metadata-name
const nameLabel = "kubernetes.io/metadata.name"

func completeNamespace(o props.Map) {
	metadata := o.Object("metadata")
	labels := metadata.Object("labels").Clone()
	labels[nameLabel] = metadata.String("name")
	metadata["labels"] = map[string]any(labels)
	o["spec"] = map[string]any{"finalizers": props.List("kubernetes")}
	if !o.Has("status") {
		o["status"] = map[string]any{"phase": "Active"}
	}
}

// patch applies inputs to the patched object, and removes fields that were applied before and are no longer in the
// inputs.
func (c *Cluster) patch(k *ObjectKind, id string, inputs props.Map, how WriteOptions) (out props.Map, err error) {
	err = c.folder.Transact(func(t *store.Tx) error {
		rec := t.Get(k.key(id))
		if rec == nil {
			object, err := k.made(inputs, how)
			if err != nil {
				return err
			}
			rec = &store.Entry{
				Type:      k.patches,
				ID:        id,
				Scope:     k.key(id).Scope,
				Origin:    store.ByStack,
				CreatedAt: time.Now(),
				State:     object,
			}
		} else {
			rec = rec.Clone()
			before := rec.State.Clone()
			subtract(rec.State, how.was, inputs)
			overlay(rec.State, inputs)
			k.complete(rec.State)
			if k.refuses != nil {
				if err := k.refuses(before, rec.State); err != nil {
					return err
				}
			}
			Touch(rec.State, before)
		}
		if out = rec.State.Clone(); !how.dry {
			Keep(t, rec)
		}
		return nil
	})
	return out, err
}

// relinquish removes the fields from an object that a patch applied.
func (c *Cluster) relinquish(k *ObjectKind, id string, was props.Map) error {
	return c.folder.Transact(func(t *store.Tx) error {
		rec := t.Get(k.key(id))
		if rec == nil {
			return nil
		}
		rec = rec.Clone()
		subtract(rec.State, was, props.Map{"apiVersion": true, "kind": true, "metadata": map[string]any{"name": true}})
		Keep(t, rec)
		return nil
	})
}

// overlay sets the fields of said in object.
func overlay(object, said props.Map) {
	for key, v := range said {
		inner, isMap := v.(map[string]any)
		if into := object.Object(key); isMap && into != nil {
			overlay(into, inner)
			continue
		}
		object[key] = untyped.Clone(v)
	}
}

// subtract removes from object the fields that are in said and not in kept.
func subtract(object, said, kept props.Map) {
	for key, v := range said {
		inner, isMap := v.(map[string]any)
		switch into := object.Object(key); {
		case isMap && into != nil:
			if subtract(into, inner, kept.Object(key)); len(into) == 0 {
				delete(object, key)
			}
		case !kept.Has(key):
			delete(object, key)
		}
	}
}
