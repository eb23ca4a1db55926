package clusterstatus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// ManagementCluster reads objects of a management cluster.
type ManagementCluster interface {
	// Get returns an object, nil if there is none.
	Get(ctx context.Context, kind, namespace, name string) (map[string]any, error)
	// List returns the objects of a kind in a namespace, "" for all namespaces.
	List(ctx context.Context, kind, namespace string) ([]map[string]any, error)
	// Schemas returns the schemas of HyperShift's kinds, by kind. A kind that the server does not have is missing; a kind
	// without a published schema is nil.
	Schemas(ctx context.Context) (map[string]map[string]any, error)
	// Disown removes a manager from a field that it wrote by an update, and reports whether it managed the field. The
	// value and all other managers stay.
	Disown(ctx context.Context, kind, namespace, name, manager string, field ...string) (bool, error)
	// Allowed reports whether the caller may do something.
	Allowed(ctx context.Context, needed Permission) (bool, error)
	// DryApply returns the API server's error of a server-side apply of an object without force, which changes nothing.
	DryApply(ctx context.Context, manager string, object map[string]any) error
	// Apply creates or updates an object by server-side apply without force.
	Apply(ctx context.Context, manager string, object map[string]any) error
	// OverwriteField gives a field a value in the name of a manager whose fields the next update of the object takes over.
	// With nil the value stays, and an update without the field removes it.
	OverwriteField(ctx context.Context, kind, namespace, name string, value any, field ...string) error
	// LeaveFields keeps the next update of an object, which of identifies, from removing the fields that kubectl has set
	// and the stack does not set. applied has the fields that the update sets, former those of the last update. What
	// makers have set counts as kubectl's; the update may change what they have set and applied has. Only the managers of
	// fields change. It returns the fields that are kept.
	LeaveFields(ctx context.Context, of, applied, former map[string]any, makers ...string) ([]string, error)
	// RemoveFinalizer removes a finalizer from an object with this UID, and leaves all others as they are then.
	RemoveFinalizer(ctx context.Context, kind, namespace, name, uid, finalizer string) error
	// Delete deletes the object with this UID. It isn't an error if the object no longer exists.
	Delete(ctx context.Context, kind, namespace, name, uid string) error
	// DryDelete returns the API server's error of the deletion of an object as a dry run, which changes nothing.
	DryDelete(ctx context.Context, kind, namespace, name string) error
	Close() error
}

// Deployment is the Deployment of an operator in a management cluster.
type Deployment struct {
	Namespace, Name string
	// Operator is its name in messages: "HyperShift's operator".
	Operator string
}

// Permission is a verb of Kubernetes' authorization on the objects of a kind, in a namespace; Namespace is "" for kinds
// without one. With a Name it is on the object of that name alone, to which a role may be limited; "" is all of them.
type Permission struct{ Verb, Kind, Namespace, Name string }

func (p Permission) String() string {
	text := p.Verb + " objects of kind " + p.Kind
	if p.Namespace != "" {
		text += " in namespace " + p.Namespace
	}
	return text
}

// CheckAccess fails if the user of the kubeconfig, which has this config key, lacks permissions. A server that does not
// answer the question is not an error: it answers the request itself.
func CheckAccess(ctx context.Context, api ManagementCluster, key string, needed []Permission) error {
	var denied []string
	for _, p := range needed {
		if slices.Contains(denied, p.String()) {
			continue
		}
		if allowed, err := api.Allowed(ctx, p); err == nil && !allowed {
			denied = append(denied, p.String())
		}
	}
	if len(denied) == 0 {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("the user of %s may not %s in the management cluster", key, strings.Join(denied, ", ")),
		Remedy:  "grant it a role with these verbs there, or use another kubeconfig or context",
	}
}
