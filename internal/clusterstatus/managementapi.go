package clusterstatus

import "context"

// ManagementCluster reads objects of the cluster that a hosted cluster's objects are in.
type ManagementCluster interface {
	// Get returns an object, nil where there is none.
	Get(ctx context.Context, kind, namespace, name string) (map[string]any, error)
	Close() error
}
