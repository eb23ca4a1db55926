package kubeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Disown removes a field from those of a manager that wrote it by an update. The field's value and all other managers stay.
// It does nothing where that manager does not manage the field, and fails with a conflict where somebody changes the
// object at the same time.
func (c *Cluster) Disown(ctx context.Context, kind, namespace, name, manager string, field ...string) error {
	object, err := c.Get(ctx, kind, namespace, name)
	if err != nil || object == nil {
		return err
	}
	metadata, _ := object["metadata"].(map[string]any)
	patch := []map[string]any{{"op": "test", "path": "/metadata/resourceVersion", "value": metadata["resourceVersion"]}}
	entries, _ := metadata["managedFields"].([]any)
	for i, item := range entries {
		entry, _ := item.(map[string]any)
		fields, _ := entry["fieldsV1"].(map[string]any)
		if entry["manager"] != manager || entry["operation"] != "Update" || entry["subresource"] != nil || !RemoveField(fields, field) {
			continue
		}
		patch = append(patch, map[string]any{"op": "replace", "path": fmt.Sprintf("/metadata/managedFields/%d/fieldsV1", i), "value": fields})
	}
	if len(patch) == 1 {
		return nil
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	path, err := pathOf(kind, namespace, name)
	if err != nil {
		return err
	}
	if _, err := c.ask(ctx, http.MethodPatch, path, "application/json-patch+json", body); err != nil {
		return fmt.Errorf("taking over a field of %s %s/%s in the management cluster from %s: %w", kind, namespace, name, manager, err)
	}
	return nil
}

// RemoveField takes a field out of a set of fields as the API writes it, with the parents that are then left empty: an
// empty one would stand for the parent itself. It reports whether the field was there.
func RemoveField(fields map[string]any, path []string) bool {
	key := "f:" + path[0]
	inner, ok := fields[key].(map[string]any)
	if !ok {
		return false
	}
	if len(path) > 1 && !RemoveField(inner, path[1:]) {
		return false
	}
	if len(path) == 1 || len(inner) == 0 {
		delete(fields, key)
	}
	return true
}
