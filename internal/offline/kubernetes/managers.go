package kubernetes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// createdBy is the field manager of objects that pulumi-kubernetes creates, even if it later applies them as another
// manager.
const createdBy = "pulumi-kubernetes"

// fields tracks the managers of a custom resource's fields, with the API server's own code. Each subresource has its
// own managers; "" is the object itself.
func (k *ObjectKind) fields(subresource string) *managedfields.FieldManager {
	gvk := k.gvk()
	types, err := definitionOf{k.schemas, crd.Kind{APIVersion: k.apiVersion, Kind: k.kind}}.converter()
	if err != nil {
		panic(err) // the definitions are embedded, and valid
	}
	manager, err := managedfields.NewDefaultCRDFieldManager(types, oneVersion{}, definition{k.schemas},
		creator{}, gvk, gvk.GroupVersion(), subresource, nil)
	if err != nil {
		panic(err) // it fails only without a converter
	}
	return manager
}

// none returns an empty object of the kind.
func (k *ObjectKind) none() *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(k.gvk())
	return o
}

// takenOver reports whether pulumi-kubernetes takes the fields of an entry of managedFields over before it applies an
// object: those of the object's creation, and those that were changed with kubectl, but not by a subresource such as
// scale. A dry run takes nothing over.
// https://github.com/pulumi/pulumi-kubernetes/blob/v4.30.0/provider/pkg/await/await.go (fixCSAFieldManagers)
func takenOver(entry props.Map) bool {
	if entry.String("subresource") != "" {
		return false
	}
	prefixes := []string{"kubectl"}
	if entry.String("operation") == "Update" {
		prefixes = append(prefixes, "before-first-apply", createdBy, "pulumi-resource-kubernetes")
	}
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		return strings.HasPrefix(entry.String("manager"), prefix)
	})
}

// OwnedByApplier returns an object whose fields belong to the applying manager as far as pulumi-kubernetes takes them
// over.
func OwnedByApplier(object props.Map, manager string) (props.Map, error) {
	object = object.Clone()
	var own props.Map
	entries := object.Object("metadata").Objects("managedFields")
	if !slices.ContainsFunc(entries, takenOver) {
		return object, nil
	}
	for _, entry := range entries {
		if entry.String("manager") == manager && entry.String("operation") == "Apply" {
			own = entry
		}
	}
	var kept []any
	for _, entry := range entries {
		switch {
		case entry.String("manager") == manager && entry.String("operation") == "Apply":
			continue // the last entry
		case !takenOver(entry):
			kept = append(kept, map[string]any(entry))
		case own == nil:
			own = entry
			own["manager"], own["operation"] = manager, "Apply"
		default:
			fields, err := setOf(own["fieldsV1"])
			if err != nil {
				return nil, err
			}
			more, err := setOf(entry["fieldsV1"])
			if err != nil {
				return nil, err
			}
			if own["fieldsV1"], err = fieldsOf(fields.Union(more)); err != nil {
				return nil, err
			}
		}
	}
	object.Object("metadata")["managedFields"] = append(kept, map[string]any(own))
	return object, nil
}

// setOf and fieldsOf convert the fields of an entry of managedFields.
func setOf(fields any) (*fieldpath.Set, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	set := &fieldpath.Set{}
	if err := set.FromJSON(bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("reading managed fields: %w", err)
	}
	return set, nil
}

func fieldsOf(set *fieldpath.Set) (map[string]any, error) {
	text, err := set.ToJSON()
	if err != nil {
		return nil, fmt.Errorf("writing managed fields: %w", err)
	}
	var fields map[string]any
	err = json.Unmarshal(text, &fields)
	return fields, err
}

// LeaveIgnored removes the ignored fields that only other managers manage from the inputs of an update, and gives the
// others the value that they have in the cluster. It changes the inputs themselves, as pulumi-kubernetes does: its
// state keeps what was sent.
// https://github.com/pulumi/pulumi-kubernetes/blob/v4.30.0/provider/pkg/await/await.go (handleSSAIgnoreFields)
func LeaveIgnored(inputs, live props.Map, manager string, ignored []string) error {
	if len(ignored) == 0 {
		return nil
	}
	ours, theirs := fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range live.Object("metadata").Objects("managedFields") {
		set, err := setOf(entry["fieldsV1"])
		if err != nil {
			return err
		}
		owned := theirs
		if entry.String("manager") == manager {
			owned = ours
		}
		set.Iterate(func(path fieldpath.Path) {
			for i := range path {
				owned.Insert(path[:i+1].Copy())
			}
		})
	}
	for _, path := range ignored {
		keys := strings.Split(path, ".")
		parts := make([]any, len(keys))
		for i, key := range keys {
			parts[i] = key
		}
		field, err := fieldpath.MakePath(parts...)
		if err != nil {
			return fmt.Errorf("unable to normalize ignoreField path %q: %w", path, err)
		}
		if theirs.Has(field) && !ours.Has(field) {
			unstructured.RemoveNestedField(inputs, keys...)
			continue
		}
		value, found, err := unstructured.NestedFieldNoCopy(live, keys...)
		if err != nil {
			return fmt.Errorf("unable to parse field to ignore %q from live object: %w", path, err)
		}
		if found {
			if err := setNested(inputs, untyped.Clone(value), keys...); err != nil {
				return err
			}
		}
	}
	return nil
}

// setNested sets a field, and creates the maps around it.
func setNested(object map[string]any, value any, keys ...string) error {
	for _, key := range keys[:len(keys)-1] {
		inner, isMap := object[key].(map[string]any)
		if !isMap {
			if object[key] != nil {
				return fmt.Errorf("%s is not a map", key)
			}
			inner = map[string]any{}
			object[key] = inner
		}
		object = inner
	}
	object[keys[len(keys)-1]] = value
	return nil
}

// CreatedNotApplied reports whether an object has fields that pulumi-kubernetes created and has not applied since.
func CreatedNotApplied(object props.Map) bool {
	return slices.ContainsFunc(object.Object("metadata").Objects("managedFields"), func(entry props.Map) bool {
		return entry.String("manager") == createdBy && entry.String("operation") == "Update"
	})
}

// left returns an object after its former manager has released it, without the fields that no other manager applied.
func (k *ObjectKind) left(object runtime.Object, former string) (runtime.Object, error) {
	name, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	nothing := k.none()
	nothing.SetName(name.GetName())
	nothing.SetNamespace(name.GetNamespace())
	return k.fields("").Apply(object, nothing, former, true)
}

// oneVersion converts between the versions of a kind that has only one.
type oneVersion struct{}

var _ runtime.ObjectConvertor = oneVersion{}

func (oneVersion) Convert(_, _, _ any) error {
	return runtime.NewNotRegisteredErrForKind("", schema.GroupVersionKind{})
}

func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// definition sets an object's defaults from its definition.
type definition struct{ schemas *crd.Set }

var _ runtime.ObjectDefaulter = definition{}

func (d definition) Default(in runtime.Object) {
	if o, ok := in.(*unstructured.Unstructured); ok {
		_ = d.schemas.Default(o.Object) // fails only for kinds without a definition, which do not get here
	}
}

// creator makes empty objects.
type creator struct{}

var _ runtime.ObjectCreater = creator{}

func (creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(kind)
	return o, nil
}
