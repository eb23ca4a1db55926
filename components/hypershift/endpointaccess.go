package hypershift

import (
	"cmp"

	"github.com/hypershift-aws/hypershift-aws/components/enum"
)

// EndpointAccess is where a hosted control plane's endpoints can be reached from. Source: the field
// of that name in HyperShift's API, spec.platform.aws.endpointAccess of a HostedCluster.
type EndpointAccess string

const (
	// Public control planes are reached only over the internet. It is the default.
	Public EndpointAccess = "Public"
	// PublicAndPrivate control planes are reached over the internet and, by the nodes, over PrivateLink.
	PublicAndPrivate EndpointAccess = "PublicAndPrivate"
	// Private control planes are reached only over PrivateLink.
	Private EndpointAccess = "Private"
)

// EndpointAccesses lists the modes.
func EndpointAccesses() []EndpointAccess {
	return []EndpointAccess{Public, PublicAndPrivate, Private}
}

// OrDefault returns a, or Public for the zero value.
func (a EndpointAccess) OrDefault() EndpointAccess { return cmp.Or(a, Public) }

// HasPublic reports whether the control plane has endpoints on the internet, and the guest network with
// it public subnets and a public zone.
func (a EndpointAccess) HasPublic() bool { return a.OrDefault() != Private }

// HasPrivate reports whether the control plane is reached over PrivateLink, by names in the guest's local
// zone.
func (a EndpointAccess) HasPrivate() bool { return a.OrDefault() != Public }

// Validate returns a fault for an unknown mode.
func (a EndpointAccess) Validate() error {
	return enum.Validate(a, "is not an endpoint access", EndpointAccesses()...)
}
