package kubeapi

import (
	"context"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Schemas returns the schemas of HyperShift's kinds as the server publishes them, by kind. A kind that the server does
// not have is missing; one whose schema it does not publish is nil. Every authenticated user may read both.
// They are read once.
func (c *Cluster) Schemas(ctx context.Context) (map[string]map[string]any, error) {
	c.schemas.mu.Lock()
	defer c.schemas.mu.Unlock()
	if c.schemas.read == nil {
		read, err := c.readSchemas(ctx)
		if err != nil {
			return nil, err
		}
		c.schemas.read = read
	}
	return maps.Clone(c.schemas.read), nil
}

func (c *Cluster) readSchemas(ctx context.Context) (map[string]map[string]any, error) {
	served, err := c.Kinds(ctx, crd.APIVersion)
	if err != nil {
		return nil, err
	}
	schemas := map[string]map[string]any{}
	for _, kind := range []string{crd.HostedCluster, crd.NodePool} {
		if slices.Contains(served, kind) {
			schemas[kind] = nil
		}
	}
	if len(schemas) == 0 {
		return schemas, nil
	}
	var document struct {
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := c.read(ctx, "/openapi/v3/apis/"+crd.APIVersion, &document); err != nil {
		return nil, fmt.Errorf("reading the schemas of %s in the management cluster: %w", crd.APIVersion, err)
	}
	for _, schema := range document.Components.Schemas {
		identities, _, _ := unstructured.NestedSlice(schema, "x-kubernetes-group-version-kind")
		for _, identity := range identities {
			of, _ := identity.(map[string]any)
			kind, _, _ := unstructured.NestedString(of, "kind")
			if _, served := schemas[kind]; served {
				schemas[kind] = schema
			}
		}
	}
	return schemas, nil
}

// Kinds returns the kinds of an API, "hypershift.openshift.io/v1beta1"; none if the server does not have it. Every
// authenticated user may read them.
func (c *Cluster) Kinds(ctx context.Context, apiVersion string) ([]string, error) {
	var served metav1.APIResourceList
	if err := c.read(ctx, "/apis/"+apiVersion, &served); err != nil {
		return nil, fmt.Errorf("reading the kinds of %s in the management cluster: %w", apiVersion, err)
	}
	var kinds []string
	for _, resource := range served.APIResources {
		if !slices.Contains(kinds, resource.Kind) {
			kinds = append(kinds, resource.Kind)
		}
	}
	return kinds, nil
}
