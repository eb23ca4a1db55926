package hostedcluster

import "github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"

// API judges objects as the API server that they are applied to does. The errors are fault.Faults, whose paths are
// those of the objects.
type API interface {
	// Validate judges a new object.
	Validate(object map[string]any) error
	// ValidateUpdate judges an object that exists as old.
	ValidateUpdate(object, old map[string]any) error
}

// EmbeddedAPI returns HyperShift's API as this version has it. It judges where no management cluster was read, and
// refuses no field that it does not know.
func EmbeddedAPI() API { return crd.Set }

// UnreadAPI returns the API of a management cluster that is read later. It judges names, labels and annotations alone.
func UnreadAPI() API { return unread{} }

type unread struct{}

func (unread) Validate(object map[string]any) error     { return crd.Set.ValidateMetadata(object) }
func (unread) ValidateUpdate(_, _ map[string]any) error { return nil }

// api returns the API of the management cluster, or the embedded one if it was not read.
func (l *Live) api() API {
	if l == nil || l.API == nil {
		return EmbeddedAPI()
	}
	return l.API
}
