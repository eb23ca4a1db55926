package capa

import (
	"cmp"

	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
)

// Topology is one of the architectures of CAPA's MVP proposal.
type Topology string

const (
	// Private machines are in private subnets and reach the internet through NAT gateways. It is the default.
	Private Topology = "Private"
	// Public machines are in public subnets, with public addresses.
	Public Topology = "Public"
)

// Topologies lists the topologies.
func Topologies() []Topology { return []Topology{Private, Public} }

// OrDefault returns t, or Private for the zero value.
func (t Topology) OrDefault() Topology { return cmp.Or(t, Private) }

// Validate returns a fault for an unknown topology.
func (t Topology) Validate() error {
	return enum.Validate(t, "is not a topology", Topologies()...)
}

// Scheme is the scheme of the API server's load balancer.
type Scheme string

const (
	// InternetFacing load balancers have public addresses. It is the default.
	InternetFacing Scheme = "internet-facing"
	// Internal load balancers only have addresses in the VPC.
	Internal Scheme = "internal"
)

// Schemes lists the schemes.
func Schemes() []Scheme { return []Scheme{InternetFacing, Internal} }

// OrDefault returns s, or InternetFacing for the zero value.
func (s Scheme) OrDefault() Scheme { return cmp.Or(s, InternetFacing) }

// other returns the scheme that s is not.
func (s Scheme) other() Scheme {
	if s.OrDefault() == InternetFacing {
		return Internal
	}
	return InternetFacing
}

// Validate returns a fault for an unknown scheme.
func (s Scheme) Validate() error {
	return enum.Validate(s, "is not a scheme of a load balancer", Schemes()...)
}

// Role is the role of a security group in a cluster. The values are CAPA's.
type Role string

const (
	// APIServerLB is the role of the API server's load balancer.
	APIServerLB Role = "apiserver-lb"
	// LB is the role of the group that the cloud controller manager opens to the load balancers of Services.
	LB Role = "lb"
	// ControlPlane is the role of control-plane machines.
	ControlPlane Role = "controlplane"
	// Node is the role of all machines.
	Node Role = "node"
)

// Roles lists the roles of security groups.
func Roles() []Role { return []Role{APIServerLB, LB, ControlPlane, Node} }
