package kubeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Disown removes a manager from a field that it wrote by an update, and reports whether it managed the field. The
// field's value and all other managers stay. It fails with a conflict if the object changes at the same time.
func (c *Cluster) Disown(ctx context.Context, kind, namespace, name, manager string, field ...string) (bool, error) {
	object, err := c.get(ctx, kind, namespace, name)
	if err != nil || object == nil {
		return false, err
	}
	patch := []map[string]any{{"op": "test", "path": "/metadata/resourceVersion", "value": object.GetResourceVersion()}}
	changed, err := RemoveManager(object, manager, field...)
	if err != nil || len(changed) == 0 {
		return false, err
	}
	entries := object.GetManagedFields()
	for _, i := range changed {
		patch = append(patch, map[string]any{
			"op":    "replace",
			"path":  fmt.Sprintf("/metadata/managedFields/%d/fieldsV1", i),
			"value": entries[i].FieldsV1,
		})
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return false, err
	}
	resource, _ := resourceFor(kind) // an object of the kind was read
	if _, err := c.objects.Resource(resource).Namespace(namespace).Patch(ctx, name, types.JSONPatchType, body,
		metav1.PatchOptions{}); err != nil {
		return false, fmt.Errorf("taking over a field of %s %s/%s in the management cluster from %s: %w", kind, namespace,
			name, manager, err)
	}
	return true, nil
}

// Creator is the field manager of what pulumi-kubernetes creates. It takes the fields of this manager over before it
// applies an object.
const Creator = "pulumi-kubernetes"

// DryApply returns the API server's error of a server-side apply of an object without force, which changes nothing.
func (c *Cluster) DryApply(ctx context.Context, manager string, object map[string]any) error {
	of := unstructured.Unstructured{Object: object}
	return c.apply(context.WithValue(ctx, aboutKey{}, of.GetKind()+" "+of.GetName()), manager, object, metav1.DryRunAll)
}

// Apply creates or updates an object by server-side apply without force.
func (c *Cluster) Apply(ctx context.Context, manager string, object map[string]any) error {
	return c.apply(ctx, manager, object)
}

func (c *Cluster) apply(ctx context.Context, manager string, object map[string]any, dryRun ...string) error {
	of := unstructured.Unstructured{Object: object}
	resource, err := resourceFor(of.GetKind())
	if err != nil {
		return err
	}
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = c.objects.Resource(resource).Namespace(of.GetNamespace()).Patch(ctx, of.GetName(), types.ApplyPatchType, body,
		metav1.PatchOptions{
			FieldManager: manager, Force: ptr.To(false), DryRun: dryRun,
		})
	return err
}

// OverwriteField gives a field of an object a value in the name of Creator, whose fields the next update of the object
// takes over. With nil the value stays, and only its managers change: an update without the field then removes it. It
// fails with a conflict if the object changes at the same time.
func (c *Cluster) OverwriteField(ctx context.Context, kind, namespace, name string, value any, field ...string) error {
	object, err := c.get(ctx, kind, namespace, name)
	if err != nil || object == nil {
		return err
	}
	patch := []map[string]any{{"op": "test", "path": "/metadata/resourceVersion", "value": object.GetResourceVersion()}}
	if value != nil {
		patch = append(patch, map[string]any{"op": "replace", "path": pointer(field), "value": value})
	} else {
		if err := GiveToCreator(object, field...); err != nil {
			return err
		}
		patch = append(patch, map[string]any{
			"op":    "replace",
			"path":  "/metadata/managedFields",
			"value": object.GetManagedFields(),
		})
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	resource, _ := resourceFor(kind) // an object of the kind was read
	_, err = c.objects.Resource(resource).Namespace(namespace).Patch(ctx, name, types.JSONPatchType, body,
		metav1.PatchOptions{FieldManager: Creator})
	if err != nil {
		return fmt.Errorf("taking %s of %s %s/%s back in the management cluster: %w", strings.Join(field, "."), kind,
			namespace, name, err)
	}
	return nil
}

// pointer returns the JSON pointer of a field.
func pointer(field []string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, key := range field {
		b.WriteString("/" + escape.Replace(key))
	}
	return b.String()
}

// GiveToCreator makes Creator the only manager of a field.
func GiveToCreator(object *unstructured.Unstructured, field ...string) error {
	path := fieldPath(field)
	removed, own := fieldpath.NewSet(path), fieldpath.NewSet()
	var kept []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		set, err := fieldSet(entry)
		if err != nil {
			return err
		}
		set.Iterate(func(p fieldpath.Path) {
			if len(p) >= len(path) && p[:len(path)].Equals(path) {
				own.Insert(p.Copy())
			}
		})
		if set = set.RecursiveDifference(removed); set.Empty() {
			continue
		}
		if entry.Manager == Creator && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == "" {
			own = own.Union(set)
			continue
		}
		if entry.FieldsV1, err = fieldsV1(set); err != nil {
			return err
		}
		kept = append(kept, entry)
	}
	fields, err := fieldsV1(own)
	if err != nil {
		return err
	}
	object.SetManagedFields(append(kept, metav1.ManagedFieldsEntry{
		Manager: Creator, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: object.GetAPIVersion(),
		FieldsType: "FieldsV1",
		Time:       ptr.To(metav1.Now()), FieldsV1: fields,
	}))
	return nil
}

func fieldPath(field []string) fieldpath.Path {
	parts := make([]any, len(field))
	for i, key := range field {
		parts[i] = key
	}
	return fieldpath.MakePathOrDie(parts...)
}

// fieldSet returns the fields of an entry of managedFields.
func fieldSet(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := &fieldpath.Set{}
	if entry.FieldsV1 == nil {
		return set, nil
	}
	if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return nil, fmt.Errorf("reading the fields that %s manages: %w", entry.Manager, err)
	}
	return set, nil
}

func fieldsV1(set *fieldpath.Set) (*metav1.FieldsV1, error) {
	text, err := set.ToJSON()
	if err != nil {
		return nil, fmt.Errorf("writing managed fields: %w", err)
	}
	return metav1.NewFieldsV1(string(text)), nil
}

// RemoveManager removes a manager from a field that it wrote by an update of the object itself, and returns the indexes
// of the entries in metadata.managedFields that changed.
func RemoveManager(object *unstructured.Unstructured, manager string, field ...string) ([]int, error) {
	removed := fieldpath.NewSet(fieldPath(field))
	var changed []int
	entries := object.GetManagedFields()
	for i, entry := range entries {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationUpdate || entry.Subresource != "" ||
			entry.FieldsV1 == nil {
			continue
		}
		owned, err := fieldSet(entry)
		if err != nil {
			return nil, err
		}
		rest := owned.RecursiveDifference(removed)
		if rest.Equals(owned) {
			continue
		}
		if entries[i].FieldsV1, err = fieldsV1(rest); err != nil {
			return nil, err
		}
		changed = append(changed, i)
	}
	if len(changed) > 0 {
		object.SetManagedFields(entries)
	}
	return changed, nil
}
