package kubeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Others is the field manager of what kubectl has set in an object and the stack does not set. pulumi-kubernetes takes
// over the fields of kubectl before it applies an object, and the API server then removes those that it does not apply.
// It takes over nothing from Others.
// https://github.com/pulumi/pulumi-kubernetes/blob/v4.30.0/provider/pkg/await/await.go (fixCSAFieldManagers)
const Others = "hypershift-aws-others"

// attempts limits how often a change of an object's managers is tried while others change the object.
const attempts = 5

// LeaveFields implements clusterstatus.ManagementCluster.
func (c *Cluster) LeaveFields(
	ctx context.Context,
	of, applied, former map[string]any,
	makers ...string,
) ([]string, error) {
	manifest := unstructured.Unstructured{Object: of}
	kind, namespace, name := manifest.GetKind(), manifest.GetNamespace(), manifest.GetName()
	resource, _ := meta.UnsafeGuessKindToResource(manifest.GroupVersionKind()) // a stack may apply objects of any kind
	var last error
	for range attempts {
		object, err := c.getAs(ctx, resource, kind, namespace, name)
		if err != nil || object == nil {
			return nil, err
		}
		changed, left, err := LeaveFields(object, applied, former, makers...)
		if err != nil || !changed {
			return nil, err
		}
		body, err := json.Marshal([]map[string]any{
			{"op": "test", "path": "/metadata/resourceVersion", "value": object.GetResourceVersion()},
			{"op": "replace", "path": "/metadata/managedFields", "value": object.GetManagedFields()},
		})
		if err != nil {
			return nil, err
		}
		_, last = c.objects.Resource(resource).Namespace(namespace).Patch(ctx, name, types.JSONPatchType, body,
			metav1.PatchOptions{FieldManager: Others})
		if last == nil {
			return left, nil
		}
		if !apierrors.IsConflict(last) && !apierrors.IsInvalid(last) { // the API server reports a failed test as invalid
			break
		}
	}
	return nil, fmt.Errorf("keeping the fields of others in %s %s/%s in the management cluster: %w", kind, namespace, name,
		last)
}

// LeaveFields makes Others the manager of the fields that kubectl or makers have set in an object and that neither
// applied nor former has. It makes Creator the manager of the makers' other fields. It returns whether a manager
// changed, and the fields of Others that are new.
func LeaveFields(
	object *unstructured.Unstructured,
	applied, former map[string]any,
	makers ...string,
) (changed bool, left []string, err error) {
	foreign, own := fieldpath.NewSet(), fieldpath.NewSet()
	var entries []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		updated := entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == ""
		made := updated && slices.Contains(makers, entry.Manager)
		others, created := updated && entry.Manager == Others, updated && entry.Manager == Creator
		if !others && !created && !made && !byKubectl(entry) {
			entries = append(entries, entry)
			continue
		}
		fields, err := fieldSet(entry)
		if err != nil {
			return false, nil, err
		}
		switch {
		case others:
			foreign = foreign.Union(fields)
			continue
		case created:
			own = own.Union(fields)
			continue
		}
		rest := fieldpath.NewSet()
		fields.Iterate(func(path fieldpath.Path) {
			if replaced(object, path) || sets(applied, path) || sets(former, path) {
				rest.Insert(path.Copy())
			} else {
				foreign.Insert(path.Copy())
			}
		})
		changed = changed || made
		switch {
		case made:
			own = own.Union(rest)
			continue
		case rest.Empty():
			continue
		}
		if entry.FieldsV1, err = fieldsV1(rest); err != nil {
			return false, nil, err
		}
		entries = append(entries, entry)
	}
	for _, path := range leaves(foreign) {
		if !ownedBy(object, Others, path) {
			left = append(left, strings.TrimPrefix(path.String(), "."))
		}
	}
	if changed = changed || len(left) > 0; !changed {
		return false, nil, nil
	}
	for manager, set := range map[string]*fieldpath.Set{Others: foreign, Creator: own} {
		if set.Empty() {
			continue
		}
		fields, err := fieldsV1(set)
		if err != nil {
			return false, nil, err
		}
		entries = append(entries, metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: object.GetAPIVersion(),
			FieldsType: "FieldsV1",
			Time:       ptr.To(metav1.Now()), FieldsV1: fields,
		})
	}
	object.SetManagedFields(entries)
	return true, left, nil
}

// byKubectl reports whether pulumi-kubernetes takes the fields of an entry over from kubectl, or from a client of
// before server-side apply.
func byKubectl(entry metav1.ManagedFieldsEntry) bool {
	return entry.Subresource == "" && (strings.HasPrefix(entry.Manager, "kubectl") ||
		strings.HasPrefix(entry.Manager, "before-first-apply") && entry.Operation == metav1.ManagedFieldsOperationUpdate)
}

// replaced reports whether a field is the content of a Secret, which the stack replaces as a whole.
func replaced(object *unstructured.Unstructured, path fieldpath.Path) bool {
	return object.GetKind() == "Secret" && path[0].FieldName != nil && slices.Contains([]string{"data", "stringData"},
		*path[0].FieldName)
}

// leaves returns the paths of a set that are not around others.
func leaves(set *fieldpath.Set) []fieldpath.Path {
	var paths []fieldpath.Path
	set.Iterate(func(path fieldpath.Path) {
		paths = slices.DeleteFunc(paths, func(outer fieldpath.Path) bool {
			return len(outer) < len(path) && outer.Equals(path[:len(outer)])
		})
		paths = append(paths, path.Copy())
	})
	return paths
}

// ownedBy reports whether a manager has a field by an update of the object itself.
func ownedBy(object *unstructured.Unstructured, manager string, path fieldpath.Path) bool {
	return slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		if entry.Manager != manager || entry.Subresource != "" {
			return false
		}
		fields, err := fieldSet(entry)
		return err == nil && fields.Has(path)
	})
}

// sets reports whether a value has a field. A value that is not known, or is a secret, has all its fields.
func sets(at any, path fieldpath.Path) bool {
	for _, element := range path {
		switch inner := at.(type) {
		case map[string]any:
			if element.FieldName == nil {
				return true
			}
			next, exists := inner[*element.FieldName]
			if !exists {
				return false
			}
			at = next
		case []any:
			i := slices.IndexFunc(inner, func(item any) bool { return isElement(item, element) })
			if element.Index != nil {
				i = *element.Index
			}
			if i < 0 || i >= len(inner) {
				return false
			}
			at = inner[i]
		default:
			return at != nil
		}
	}
	return true
}

// isElement reports whether an item of a list is the one with an element's key or value.
func isElement(item any, element fieldpath.PathElement) bool {
	switch {
	case element.Value != nil:
		return sameJSON(item, (*element.Value).Unstructured())
	case element.Key != nil:
		object, isMap := item.(map[string]any)
		return isMap && !slices.ContainsFunc(*element.Key, func(key value.Field) bool {
			return !sameJSON(object[key.Name], key.Value.Unstructured())
		})
	}
	return false
}

func sameJSON(a, b any) bool {
	one, err := json.Marshal(a)
	other, otherErr := json.Marshal(b)
	return err == nil && otherErr == nil && string(one) == string(other)
}
