package kubeapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
)

// hypershiftAPI is where HyperShift's kinds are.
const hypershiftAPI = "/apis/" + crd.APIVersion

// Schemas returns the schemas of HyperShift's kinds as the server publishes them, by kind. A kind that the server does not
// have is missing; one whose schema it does not publish is nil. Every authenticated user may read both.
func (c *Cluster) Schemas(ctx context.Context) (map[string]map[string]any, error) {
	served, err := c.get(ctx, hypershiftAPI)
	if err != nil {
		return nil, fmt.Errorf("asking the management cluster for %s: %w", crd.APIVersion, err)
	}
	schemas := map[string]map[string]any{}
	list, _ := served["resources"].([]any)
	for _, item := range list {
		resource, _ := item.(map[string]any)
		if kind, _ := resource["kind"].(string); kind == crd.HostedCluster || kind == crd.NodePool {
			schemas[kind] = nil
		}
	}
	if len(schemas) == 0 {
		return schemas, nil
	}
	document, err := c.get(ctx, "/openapi/v3"+hypershiftAPI)
	if err != nil {
		return nil, fmt.Errorf("asking the management cluster for the schemas of %s: %w", crd.APIVersion, err)
	}
	components, _ := document["components"].(map[string]any)
	all, _ := components["schemas"].(map[string]any)
	for _, item := range all {
		schema, _ := item.(map[string]any)
		for kind := range schemas {
			if isOf(schema, kind) {
				schemas[kind] = schema
			}
		}
	}
	return schemas, nil
}

// Kinds returns the kinds of an API, "hypershift.openshift.io/v1beta1"; none where the server does not have it. Every authenticated user
// may read them.
func (c *Cluster) Kinds(ctx context.Context, apiVersion string) ([]string, error) {
	served, err := c.get(ctx, "/apis/"+apiVersion)
	if err != nil {
		return nil, fmt.Errorf("asking the management cluster for %s: %w", apiVersion, err)
	}
	var kinds []string
	list, _ := served["resources"].([]any)
	for _, item := range list {
		resource, _ := item.(map[string]any)
		if kind, _ := resource["kind"].(string); kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// isOf reports whether a schema of the OpenAPI document is a kind's.
func isOf(schema map[string]any, kind string) bool {
	kinds, _ := schema["x-kubernetes-group-version-kind"].([]any)
	for _, item := range kinds {
		if of, _ := item.(map[string]any); of["kind"] == kind {
			return true
		}
	}
	return false
}
