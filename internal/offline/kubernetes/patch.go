package kubernetes

import (
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// NamespacePatchToken is the Pulumi type of patches of namespaces.
const NamespacePatchToken = "kubernetes:core/v1:NamespacePatch"

// namespacePatch manages some fields of a namespace that others manage too: it is applied whether there is one or not,
// and what is deleted is what it set, not the namespace.
// https://www.pulumi.com/registry/packages/kubernetes/how-to-guides/managing-resources-with-server-side-apply/
func namespacePatch() *ObjectKind {
	return &ObjectKind{token: NamespacePatchToken, patches: NamespaceToken, apiVersion: "v1", kind: "Namespace", plural: "namespaces",
		inputs: props.ShapeFor[namespacePatchInputs](), complete: completeNamespace}
}

// nameLabel is the label that the API server gives each namespace.
// https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-metadata-name
const nameLabel = "kubernetes.io/metadata.name"

func completeNamespace(o props.Map) {
	metadata := o.Object("metadata")
	labels := metadata.Object("labels").Clone()
	if labels == nil {
		labels = props.Map{}
	}
	labels[nameLabel] = metadata.String("name")
	metadata["labels"] = map[string]any(labels)
	o["spec"] = map[string]any{"finalizers": props.List("kubernetes")}
	if !o.Has("status") {
		o["status"] = map[string]any{"phase": "Active"}
	}
}

// patch applies inputs to the object that they are a patch of, and takes from it what was applied before and is no more.
func (c *Cluster) patch(k *ObjectKind, id string, inputs props.Map, how WriteOptions) (out props.Map, err error) {
	err = c.folder.Transact(func(t *store.Tx) error {
		rec := t.Get(k.key(id))
		if rec == nil {
			object, err := k.made(inputs)
			if err != nil {
				return err
			}
			rec = &store.Record{Type: k.patches, ID: id, Scope: k.key(id).Scope, Origin: store.ByStack, Born: time.Now(), State: object}
		} else {
			rec = rec.Clone()
			before := rec.State.Clone()
			subtract(rec.State, how.was, inputs)
			overlay(rec.State, inputs)
			k.complete(rec.State)
			Touch(rec.State, before)
		}
		if out = rec.State.Clone(); !how.dry {
			Keep(t, rec)
		}
		return nil
	})
	return out, err
}

// relinquish takes from an object what a patch of it applied.
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

// overlay sets in an object what another one says.
func overlay(object, said props.Map) {
	for key, v := range said {
		inner, isMap := v.(map[string]any)
		if into := object.Object(key); isMap && into != nil {
			overlay(into, inner)
			continue
		}
		object[key] = props.CloneValue(v)
	}
}

// subtract takes from an object what another one says and a third does not.
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
