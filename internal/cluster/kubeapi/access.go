package kubeapi

import (
	"context"
	"fmt"

	authorization "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
)

// Allowed implements clusterstatus.ManagementCluster, by a SelfSubjectAccessReview: it changes nothing.
func (c *Cluster) Allowed(ctx context.Context, p clusterstatus.Permission) (bool, error) {
	resource, err := resourceOf(p.Kind)
	if err != nil {
		return false, err
	}
	review, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&authorization.SelfSubjectAccessReview{
		Spec: authorization.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorization.ResourceAttributes{
			Verb: p.Verb, Group: resource.Group, Version: resource.Version, Resource: resource.Resource, Namespace: p.Namespace, Name: p.Name,
		}},
	})
	if err != nil {
		return false, err
	}
	object := &unstructured.Unstructured{Object: review}
	object.SetGroupVersionKind(authorization.SchemeGroupVersion.WithKind("SelfSubjectAccessReview"))
	reviews := schema.GroupVersionResource{Group: authorization.GroupName, Version: "v1", Resource: "selfsubjectaccessreviews"}
	answer, err := c.objects.Resource(reviews).Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("asking the management cluster for permissions: %w", err)
	}
	allowed, _, _ := unstructured.NestedBool(answer.Object, "status", "allowed")
	return allowed, nil
}
