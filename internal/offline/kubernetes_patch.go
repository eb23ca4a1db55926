package offline

import (
	"time"

	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
)

const namespacePatchToken = "kubernetes:core/v1:NamespacePatch"

// namespacePatch manages some fields of a namespace that others manage too: it is applied whether there is one or not,
// and what is deleted is what it set, not the namespace.
// https://www.pulumi.com/registry/packages/kubernetes/how-to-guides/managing-resources-with-server-side-apply/
func namespacePatch() *objectKind {
	return &objectKind{token: namespacePatchToken, patches: namespaceToken, apiVersion: "v1", kind: "Namespace", plural: "namespaces",
		args: corev1.NamespacePatchArgs{}, complete: completeNamespace}
}

func completeNamespace(o props) {
	o["spec"] = map[string]any{"finalizers": list("kubernetes")}
	if !o.has("status") {
		o["status"] = map[string]any{"phase": "Active"}
	}
}

// patch applies inputs to the object that they are a patch of, and takes from it what was applied before and is no more.
func (c *Cluster) patch(k *objectKind, id string, inputs props, how asking) (out props, err error) {
	err = c.folder.transact(func(t *tx) error {
		rec := t.record(k.key(id))
		if rec == nil {
			object, err := k.made(inputs)
			if err != nil {
				return err
			}
			rec = &record{Type: k.patches, ID: id, Scope: k.key(id).scope, Origin: byStack, Born: time.Now(), State: object}
		} else {
			rec = rec.clone()
			before := rec.State.clone()
			subtract(rec.State, how.was, inputs)
			overlay(rec.State, inputs)
			k.complete(rec.State)
			rec.State.renewed(before)
		}
		if out = rec.State.clone(); !how.dry {
			t.keep(rec)
		}
		return nil
	})
	return out, err
}

// relinquish takes from an object what a patch of it applied.
func (c *Cluster) relinquish(k *objectKind, id string, was props) error {
	return c.folder.transact(func(t *tx) error {
		rec := t.record(k.key(id))
		if rec == nil {
			return nil
		}
		rec = rec.clone()
		subtract(rec.State, was, props{"apiVersion": true, "kind": true, "metadata": map[string]any{"name": true}})
		t.keep(rec)
		return nil
	})
}

// overlay sets in an object what another one says.
func overlay(object, said props) {
	for key, v := range said {
		inner, isMap := v.(map[string]any)
		if into := object.object(key); isMap && into != nil {
			overlay(into, inner)
			continue
		}
		object[key] = cloneValue(v)
	}
}

// subtract takes from an object what another one says and a third does not.
func subtract(object, said, kept props) {
	for key, v := range said {
		inner, isMap := v.(map[string]any)
		switch into := object.object(key); {
		case isMap && into != nil:
			if subtract(into, inner, kept.object(key)); len(into) == 0 {
				delete(object, key)
			}
		case !kept.has(key):
			delete(object, key)
		}
	}
}
