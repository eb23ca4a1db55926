package offline

import (
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
)

const (
	hostedClusterToken = "kubernetes:" + crd.APIVersion + ":" + crd.HostedCluster
	nodePoolToken      = "kubernetes:" + crd.APIVersion + ":" + crd.NodePool
)

// customKinds are HyperShift's, whose definitions every offline cluster has.
func customKinds() []*objectKind {
	custom := func(token, kind, plural string) *objectKind {
		return &objectKind{token: token, apiVersion: crd.APIVersion, kind: kind, plural: plural + ".hypershift.openshift.io",
			namespaced: true, custom: true}
	}
	return []*objectKind{
		custom(hostedClusterToken, crd.HostedCluster, "hostedclusters"),
		custom(nodePoolToken, crd.NodePool, "nodepools"),
	}
}

// born is a new custom resource as the API server keeps it. It fails as the server does where the definition's schema
// or its rules refuse it.
func (k *objectKind) born(inputs props) (props, error) {
	object := inputs.clone()
	delete(object, "status") // a subresource: what a creation says of it is dropped
	metadata := object.object("metadata")
	metadata["uid"] = newUID()
	metadata["creationTimestamp"] = now()
	metadata["generation"] = 1.0
	metadata["resourceVersion"] = "1"
	asJSON, err := toUnstructured(object)
	if err != nil {
		return nil, err
	}
	if err := k.refused(asJSON, nil); err != nil {
		return nil, err
	}
	if err := crd.Default(asJSON.Object); err != nil {
		return nil, err
	}
	tracked, err := k.fields().Update(k.none(), asJSON, createdBy)
	if err != nil {
		return nil, err
	}
	return fromUnstructured(tracked)
}

// next is a custom resource after somebody has applied inputs to it. It fails with a conflict where another manager has
// a field that changes, and where the definition refuses what comes of it.
func (k *objectKind) next(was, inputs props, how asking) (props, error) {
	live, err := toUnstructured(inherited(was, how.manager))
	if err != nil {
		return nil, err
	}
	applied := inputs.clone()
	delete(applied, "status")
	patch, err := toUnstructured(applied)
	if err != nil {
		return nil, err
	}
	object, err := k.fields().Apply(live, patch, how.manager, how.force)
	if err != nil {
		return nil, err
	}
	if how.former != "" && how.former != how.manager {
		if object, err = k.left(object, how.former); err != nil {
			return nil, err
		}
	}
	return k.changed(was, object)
}

// changed is what the API server keeps of a custom resource that was one thing and is to be another.
func (k *objectKind) changed(was props, object any) (props, error) {
	is, err := fromUnstructured(object)
	if err != nil {
		return nil, err
	}
	asJSON, err := toUnstructured(is)
	if err != nil {
		return nil, err
	}
	old, err := toUnstructured(was)
	if err != nil {
		return nil, err
	}
	if err := k.refused(asJSON, old); err != nil {
		return nil, err
	}
	if is, err = fromUnstructured(asJSON); err != nil {
		return nil, err
	}
	is.renewed(was)
	return is, nil
}

// refused is the API server's answer where the definition does not allow an object, nil where it does.
func (k *objectKind) refused(object, old *unstructured.Unstructured) error {
	var before map[string]any
	if old != nil {
		before = old.Object
	}
	if errs := crd.Check(object.Object, before); len(errs) > 0 {
		return apierrors.NewInvalid(k.group(), object.GetName(), errs)
	}
	return nil
}

func (k *objectKind) gvk() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(k.apiVersion, k.kind)
}

func (k *objectKind) group() schema.GroupKind { return k.gvk().GroupKind() }

// resource names the type in the API server's answers.
func (k *objectKind) resource() schema.GroupResource { return schema.ParseGroupResource(k.plural) }

// renewed counts a change: each one makes a new version, one of the spec a new generation.
func (p props) renewed(was props) {
	metadata, before := p.object("metadata"), was.object("metadata")
	if jsonText(p["spec"]) != jsonText(was["spec"]) {
		metadata["generation"] = before.number("generation") + 1
	}
	version := 0
	_, _ = fmt.Sscan(before.text("resourceVersion"), &version) // the cluster writes numbers only
	metadata["resourceVersion"] = fmt.Sprint(version + 1)
}

// toUnstructured is an object in Kubernetes' own form, in which whole numbers are integers.
func toUnstructured(object props) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var o map[string]any
	if err := kjson.Unmarshal(text, &o); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: o}, nil
}

func fromUnstructured(object any) (props, error) {
	o, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("an object of type %T is no custom resource", object)
	}
	text, err := json.Marshal(o.Object)
	if err != nil {
		return nil, err
	}
	var p props
	err = json.Unmarshal(text, &p)
	return p, err
}

// pruned is of an object what another one has too, with the object's values.
func pruned(v, shape any) any {
	switch shape := shape.(type) {
	case map[string]any:
		o, ok := v.(map[string]any)
		if !ok {
			return v
		}
		kept := map[string]any{}
		for key, inner := range shape {
			if now, has := o[key]; has {
				kept[key] = pruned(now, inner)
			}
		}
		return kept
	case []any:
		l, ok := v.([]any)
		if !ok || len(l) != len(shape) {
			return v
		}
		kept := make([]any, len(l))
		for i := range l {
			kept[i] = pruned(l[i], shape[i])
		}
		return kept
	default:
		return v
	}
}

// annotation is one of an object's annotations, "" where it has none of that name.
func (p props) annotation(name string) string {
	return p.object("metadata").object("annotations").text(name)
}

// importable is of an object what would make it again.
func (p props) importable() props {
	kept := p.clone()
	delete(kept, "status")
	metadata := kept.object("metadata")
	for _, own := range []string{"uid", "creationTimestamp", "resourceVersion", "generation", "managedFields", "finalizers",
		"deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences"} {
		delete(metadata, own)
	}
	for key := range kept {
		if strings.HasPrefix(key, "__") {
			delete(kept, key)
		}
	}
	return kept
}
