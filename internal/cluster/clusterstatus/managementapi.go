package clusterstatus

import "context"

// ManagementCluster reads objects of a management cluster.
type ManagementCluster interface {
	// Get returns an object, nil if there is none.
	Get(ctx context.Context, kind, namespace, name string) (map[string]any, error)
	// List returns the objects of a kind in a namespace, "" for all namespaces.
	List(ctx context.Context, kind, namespace string) ([]map[string]any, error)
	// Schemas returns the schemas of HyperShift's kinds, by kind. A kind that the server does not have is missing; a kind without a
	// published schema is nil.
	Schemas(ctx context.Context) (map[string]map[string]any, error)
	// Disown removes a manager from a field that it wrote by an update, and reports whether it managed the field. The value and all other
	// managers stay.
	Disown(ctx context.Context, kind, namespace, name, manager string, field ...string) (bool, error)
	// Allowed reports whether the caller may do something.
	Allowed(ctx context.Context, needed Permission) (bool, error)
	// DryApply returns the API server's error of a server-side apply of an object without force, which changes nothing.
	DryApply(ctx context.Context, manager string, object map[string]any) error
	// Apply creates or updates an object by server-side apply without force.
	Apply(ctx context.Context, manager string, object map[string]any) error
	// TakeField gives a field a value in the name of a manager whose fields the next update of the object takes over. With nil the value
	// stays, and an update without the field removes it.
	TakeField(ctx context.Context, kind, namespace, name string, value any, field ...string) error
	// LeaveFields keeps the next update of an object from removing the fields that kubectl has set and the stack does not set. applied has the
	// fields that the update sets, former those of the last update. What makers have set counts as kubectl's; the update may change what they have
	// set and applied has. Only the managers of fields change. It returns the fields that are kept.
	LeaveFields(ctx context.Context, kind, namespace, name string, applied, former map[string]any, makers ...string) ([]string, error)
	// RemoveFinalizer removes a finalizer from an object with this UID, and leaves all others as they are then.
	RemoveFinalizer(ctx context.Context, kind, namespace, name, uid, finalizer string) error
	Close() error
}

// Deployment is the Deployment of an operator in a management cluster.
type Deployment struct {
	Namespace, Name string
	// Operator is its name in messages: "HyperShift's operator".
	Operator string
}
