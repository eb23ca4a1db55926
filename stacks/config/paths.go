package config

// ClusterNetwork is a section of a stack with the network of a hosted cluster, whose paths of traffic can be followed.
type ClusterNetwork interface {
	// ClusterPaths returns what the paths should lead through. outputs are those of the deployed stack. Without them, the
	// IDs are those of existing resources alone.
	ClusterPaths(outputs map[string]any) ClusterPaths
}

// ClusterPaths is the network of a hosted cluster as its paths are expected to be.
type ClusterPaths struct {
	// Private and Public are true if the control plane is reached over PrivateLink, and over the internet.
	Private, Public bool
	// NoInternet is why nodes have no direct path to the internet, "" if they have one.
	NoInternet string
	// Allowed are the CIDRs from which nodes may reach the control plane over the internet; none if all may. AllowedKey is their config key.
	Allowed    []string
	AllowedKey string
	// GivenVPC is true if the VPC, its subnets and routes exist outside the stack.
	GivenVPC bool
	// PublicOnly is true if nodes are in the subnets of load balancers on the internet.
	PublicOnly bool
	// OperatorOwned is true if HyperShift's operators create the endpoint instead of the stack.
	OperatorOwned bool
	// Service is the private service, "private-router"; Port is its TCP port, and Names are its names.
	Service string
	Port    int
	Names   []string
	// APIServerLoadBalancer is true if the API server has, or may have, its own load balancer and endpoint.
	APIServerLoadBalancer bool
	// MachineCIDR is the CIDR of the nodes' addresses, if their subnets are not the stack's.
	MachineCIDR string
	// VPCID, and by zone the subnets of nodes and of load balancers on the internet.
	VPCID                   string
	NodeSubnets, ELBSubnets map[string]string
	// LocalZoneID and LocalZone are the zone of the names; BaseDomain is the public zone.
	LocalZoneID, LocalZone, BaseDomain string
}

// MachineNetwork is a section of a stack with the network of a cluster of Cluster API, whose paths of traffic can be
// followed.
type MachineNetwork interface {
	// MachinePaths is like ClusterNetwork.ClusterPaths. It fails if the outputs cannot be read.
	MachinePaths(outputs map[string]any) (MachinePaths, error)
}

// MachinePaths is the network of a cluster of Cluster API Provider AWS as its paths are expected to be. CAPA creates the
// load balancer and the machines; the stack has their subnets, routes and security groups.
type MachinePaths struct {
	// Name is the cluster's name.
	Name string
	// Public is true if the machines are in public subnets, with public addresses; Internal is true if the load balancer has no public
	// addresses.
	Public, Internal bool
	// NoInternet is why machines have no path to the internet, "" if they have one.
	NoInternet string
	// GivenVPC is true if the VPC, its subnets and routes exist outside the stack.
	GivenVPC bool
	// GroupsOf is the creator of the security groups, "" for the stack.
	GroupsOf string
	// LoadBalancer is the name of the API server's load balancer; Port is its TCP port, and Clients are the CIDRs that may connect to it.
	LoadBalancer string
	Port         int
	Clients      []string
	// NoBastion is why there is no bastion, "" if there is one with the ID.
	NoBastion, BastionID string
	VPCID                string
	// NodeSubnets are the machines' subnets by zone, and BalancerSubnets the load balancer's.
	NodeSubnets, BalancerSubnets map[string]string
	// Groups are the security groups by CAPA's role.
	Groups map[string]string
}

// Place adds a zone's subnets, "" for none: machines are in the private one unless they are public, and the load balancer is in the
// public one unless it is internal. An internal load balancer is in the public subnet if there is no private one.
func (m *MachinePaths) Place(zone, private, public string) {
	node, balancer := private, public
	if m.Public {
		node = public
	}
	if m.Internal && private != "" {
		balancer = private
	}
	if node != "" {
		m.NodeSubnets[zone] = node
	}
	if balancer != "" {
		m.BalancerSubnets[zone] = balancer
	}
}
