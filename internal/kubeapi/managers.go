package kubeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Disown removes a manager from a field that it wrote by an update, and reports whether it managed the field. The field's value and all
// other managers stay. It fails with a conflict if the object changes at the same time.
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
		patch = append(patch, map[string]any{"op": "replace", "path": fmt.Sprintf("/metadata/managedFields/%d/fieldsV1", i), "value": entries[i].FieldsV1})
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return false, err
	}
	resource, _ := resourceOf(kind) // an object of the kind was read
	if _, err := c.objects.Resource(resource).Namespace(namespace).Patch(ctx, name, types.JSONPatchType, body, metav1.PatchOptions{}); err != nil {
		return false, fmt.Errorf("taking over a field of %s %s/%s in the management cluster from %s: %w", kind, namespace, name, manager, err)
	}
	return true, nil
}

// RemoveManager removes a manager from a field that it wrote by an update of the object itself, and returns the indexes of the entries
// in metadata.managedFields that changed.
func RemoveManager(object *unstructured.Unstructured, manager string, field ...string) ([]int, error) {
	parts := make([]any, len(field))
	for i, key := range field {
		parts[i] = key
	}
	removed := fieldpath.NewSet(fieldpath.MakePathOrDie(parts...))
	var changed []int
	entries := object.GetManagedFields()
	for i, entry := range entries {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationUpdate || entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		owned := &fieldpath.Set{}
		if err := owned.FromJSON(bytes.NewReader(entry.FieldsV1.Raw)); err != nil {
			return nil, fmt.Errorf("reading the fields that %s manages: %w", manager, err)
		}
		rest := owned.RecursiveDifference(removed)
		if rest.Equals(owned) {
			continue
		}
		text, err := rest.ToJSON()
		if err != nil {
			return nil, fmt.Errorf("writing the fields that %s manages: %w", manager, err)
		}
		entries[i].FieldsV1 = &metav1.FieldsV1{Raw: text}
		changed = append(changed, i)
	}
	if len(changed) > 0 {
		object.SetManagedFields(entries)
	}
	return changed, nil
}
