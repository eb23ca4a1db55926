package kubernetes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	capacrd "github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	schemas "github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// The Pulumi types of HyperShift's objects.
const (
	HostedClusterToken = "kubernetes:" + crd.APIVersion + ":" + crd.HostedCluster
	NodePoolToken      = "kubernetes:" + crd.APIVersion + ":" + crd.NodePool
)

// customKinds returns the kinds of HyperShift, Velero and Cluster API, whose definitions every offline cluster has.
func customKinds() []*ObjectKind {
	var kinds []*ObjectKind
	for plural, kind := range map[string]schemas.Kind{
		"hostedclusters": {APIVersion: crd.APIVersion, Kind: crd.HostedCluster},
		"nodepools":      {APIVersion: crd.APIVersion, Kind: crd.NodePool},
	} {
		kinds = append(kinds, customKind(kind, plural, true, crd.Set))
	}
	for _, kind := range crd.Velero.Kinds() {
		kinds = append(kinds, customKind(kind, strings.ToLower(kind.Kind)+"s", true, crd.Velero))
	}
	for _, kind := range capacrd.Set.Kinds() {
		plural := strings.ToLower(kind.Kind) + "s"
		namespaced := !strings.HasSuffix(kind.Kind, "Identity")
		if !namespaced {
			plural = strings.TrimSuffix(plural, "ys") + "ies"
		}
		declared := customKind(kind, plural, namespaced, capacrd.Set)
		declared.webhook = capacrd.RefusedByWebhooks
		kinds = append(kinds, declared)
	}
	return kinds
}

func customKind(kind schemas.Kind, plural string, namespaced bool, set *schemas.Set) *ObjectKind {
	group, _, _ := strings.Cut(kind.APIVersion, "/")
	return &ObjectKind{token: TokenOf(kind), apiVersion: kind.APIVersion, kind: kind.Kind, plural: plural + "." + group,
		namespaced: namespaced, custom: true, schemas: set}
}

// TokenOf returns the type of a kind's objects in Pulumi.
func TokenOf(kind schemas.Kind) string { return "kubernetes:" + kind.APIVersion + ":" + kind.Kind }

// newCustom returns a new custom resource as the API server stores it. It fails if the definition's schema or its rules
// refuse it.
func (k *ObjectKind) newCustom(inputs props.Map, how WriteOptions) (props.Map, error) {
	object := inputs.Clone()
	delete(object, "status") // a subresource: a creation cannot set it
	metadata := object.Object("metadata")
	metadata["uid"] = ids.UUID()
	metadata["creationTimestamp"] = ids.Timestamp()
	metadata["generation"] = 1.0
	metadata["resourceVersion"] = "1"
	asJSON, err := ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	if err := k.refused(asJSON, nil); err != nil {
		return nil, err
	}
	if how.applies {
		applied, err := k.fields("").Apply(k.none(), asJSON, how.manager, false)
		if err != nil {
			return nil, err
		}
		if object, err = fromUnstructured(applied); err != nil {
			return nil, err
		}
		return object, k.schemas.Default(object)
	}
	if err := k.schemas.Default(asJSON.Object); err != nil {
		return nil, err
	}
	tracked, err := k.fields("").Update(k.none(), asJSON, createdBy)
	if err != nil {
		return nil, err
	}
	return fromUnstructured(tracked)
}

// next returns a custom resource after a manager has applied inputs to it. It fails with a conflict if another manager
// owns a field that changes, and if the definition refuses the result.
func (k *ObjectKind) next(was, inputs props.Map, how WriteOptions) (props.Map, error) {
	// pulumi-kubernetes forces a preview for as long as it has not applied what it created, because a dry run takes
	// nothing over.
	// https://github.com/pulumi/pulumi-kubernetes/blob/v4.30.0/provider/pkg/await/await.go (patchForce)
	object := was
	if !how.dry {
		var err error
		if object, err = OwnedByApplier(was, how.manager); err != nil {
			return nil, err
		}
	}
	if err := LeaveIgnored(inputs, object, how.manager, how.ignored); err != nil {
		return nil, err
	}
	applied, err := k.apply(object, inputs, how, how.force || how.dry && CreatedNotApplied(was))
	if err != nil {
		return nil, err
	}
	return k.changed(was, applied)
}

// apply returns an object after a manager has applied inputs to it, before it is validated.
func (k *ObjectKind) apply(object, inputs props.Map, how WriteOptions, force bool) (runtime.Object, error) {
	applied := inputs.Clone()
	delete(applied, "status")
	live, patch, err := bothUnstructured(object, applied)
	if err != nil {
		return nil, err
	}
	result, err := k.fields("").Apply(live, patch, how.manager, force)
	if err == nil && how.former != "" && how.former != how.manager {
		result, err = k.left(result, how.former)
	}
	return result, err
}

// Update records manager as the manager of the fields of a custom resource that an update has changed. It fails if the
// API server would refuse the update.
func Update(rec *store.Entry, was props.Map, manager string) error {
	for _, k := range customKinds() {
		if k.token == rec.Type {
			return k.edited(rec, was, manager, "")
		}
	}
	return fmt.Errorf("objects of type %s have no managed fields in the offline cluster", rec.Type)
}

// changed returns the custom resource as the API server stores it after an update.
func (k *ObjectKind) changed(was props.Map, object any) (props.Map, error) {
	is, err := fromUnstructured(object)
	if err != nil {
		return nil, err
	}
	asJSON, old, err := bothUnstructured(is, was)
	if err != nil {
		return nil, err
	}
	if err := k.refused(asJSON, old); err != nil {
		return nil, err
	}
	if is, err = fromUnstructured(asJSON); err != nil {
		return nil, err
	}
	Touch(is, was)
	return is, nil
}

// refused returns the API server's error if the definition does not allow an object, otherwise nil.
func (k *ObjectKind) refused(object, old *unstructured.Unstructured) error {
	var before map[string]any
	if old != nil {
		before = old.Object
	}
	errs := k.schemas.Check(object.Object, before)
	if slices.ContainsFunc(errs, schemas.KeepsFromRules) {
		errs = append(errs, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; "+
			"correct the existing errors to complete validation"))
	}
	if old != nil && old.GetDeletionTimestamp() != nil {
		errs = append(meta.ValidateNoNewFinalizers(object.GetFinalizers(), old.GetFinalizers(),
			field.NewPath("metadata", "finalizers")), errs...)
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(k.group(), object.GetName(), errs)
	}
	if k.webhook == nil {
		return nil
	}
	if errs = k.webhook(object.Object, before); len(errs) > 0 {
		denied := apierrors.NewInvalid(k.group(), object.GetName(), errs)
		denied.ErrStatus.Message = fmt.Sprintf("admission webhook %q denied the request: %s",
			"validation."+strings.ToLower(k.kind)+"."+k.group().Group, denied.ErrStatus.Message)
		return denied
	}
	return nil
}

func (k *ObjectKind) gvk() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(k.apiVersion, k.kind)
}

func (k *ObjectKind) group() schema.GroupKind { return k.gvk().GroupKind() }

// resource returns the type's name in the API server's errors.
func (k *ObjectKind) resource() schema.GroupResource { return schema.ParseGroupResource(k.plural) }

// Touch counts a change: each change makes a new version, a change of the spec also a new generation.
func Touch(p props.Map, was props.Map) {
	metadata, before := p.Object("metadata"), was.Object("metadata")
	if props.JSONText(p["spec"]) != props.JSONText(was["spec"]) {
		metadata["generation"] = before.Number("generation") + 1
	}
	metadata["resourceVersion"] = nextVersion(before)
}

// nextVersion returns the version after that of an object's metadata, the first one if it has none: the cluster writes
// only numbers.
func nextVersion(metadata props.Map) string {
	version, err := strconv.Atoi(metadata.String("resourceVersion"))
	if err != nil {
		version = 0
	}
	return strconv.Itoa(version + 1)
}

// ToUnstructured returns an object in Kubernetes' own form, with whole numbers as integers.
func ToUnstructured(object props.Map) (*unstructured.Unstructured, error) {
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

// bothUnstructured calls ToUnstructured with each of two objects.
func bothUnstructured(one, other props.Map) (*unstructured.Unstructured, *unstructured.Unstructured, error) {
	first, err := ToUnstructured(one)
	if err != nil {
		return nil, nil, err
	}
	second, err := ToUnstructured(other)
	return first, second, err
}

func fromUnstructured(object any) (props.Map, error) {
	o, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("an object of type %T is not a custom resource", object)
	}
	text, err := json.Marshal(o.Object)
	if err != nil {
		return nil, err
	}
	var p props.Map
	err = json.Unmarshal(text, &p)
	return p, err
}

// pruned returns the part of v that shape also has, with the values of v.
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

// Annotation returns the value of an object's annotation, or "" if there is none of that name.
func Annotation(p props.Map, name string) string {
	return p.Object("metadata").Object("annotations").String(name)
}

// importable returns the part of an object that would create it again.
func importable(p props.Map) props.Map {
	kept := p.Clone()
	delete(kept, "status")
	metadata := kept.Object("metadata")
	for _, own := range []string{"uid", "creationTimestamp", "resourceVersion", "generation", "managedFields",
		"finalizers",
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
