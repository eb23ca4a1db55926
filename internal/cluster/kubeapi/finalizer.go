package kubeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// RemoveFinalizer implements ManagementCluster. The request tests the UID and the finalizers that it was made from, so that one that another
// client adds at the same time stays; what else changes in the object, such as its status, does not matter.
func (c *Cluster) RemoveFinalizer(ctx context.Context, kind, namespace, name, uid, finalizer string) error {
	object, err := c.get(ctx, kind, namespace, name)
	if err != nil {
		return err
	}
	doing := fmt.Sprintf("removing the finalizer %s from %s %s/%s in the management cluster", finalizer, kind, namespace, name)
	if object == nil || string(object.GetUID()) != uid {
		return fmt.Errorf("%s: the object was deleted since it was read", doing)
	}
	now := object.GetFinalizers()
	if !slices.Contains(now, finalizer) {
		return nil
	}
	body, err := json.Marshal([]map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": uid},
		{"op": "test", "path": "/metadata/finalizers", "value": now},
		{"op": "replace", "path": "/metadata/finalizers", "value": slices.DeleteFunc(slices.Clone(now), func(one string) bool { return one == finalizer })},
	})
	if err != nil {
		return err
	}
	resource, _ := resourceOf(kind) // an object of the kind was read
	_, err = c.objects.Resource(resource).Namespace(namespace).Patch(ctx, name, types.JSONPatchType, body, metav1.PatchOptions{FieldManager: Creator})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}
