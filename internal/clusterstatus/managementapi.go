package clusterstatus

import "context"

// ManagementCluster reads objects of the cluster that a hosted cluster's objects are in.
type ManagementCluster interface {
	// Get returns an object, nil where there is none.
	Get(ctx context.Context, kind, namespace, name string) (map[string]any, error)
	// List returns the objects of a kind in all namespaces.
	List(ctx context.Context, kind string) ([]map[string]any, error)
	// Schemas returns the schemas of HyperShift's kinds, by kind. A kind that the server does not have is missing; one whose
	// schema it does not publish is nil.
	Schemas(ctx context.Context) (map[string]map[string]any, error)
	// Disown has a manager that wrote a field by an update manage it no more. The value and all other managers stay.
	Disown(ctx context.Context, kind, namespace, name, manager string, field ...string) error
	Close() error
}
