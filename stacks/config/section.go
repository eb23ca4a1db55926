package config

import (
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// sectioned is a *Config or a *File.
type sectioned interface{ section() Section }

func (c *Config) section() Section {
	if c == nil {
		return nil
	}
	return c.Section
}

func (f *File) section() Section {
	if f == nil {
		return nil
	}
	return f.Section
}

// As returns the section of a *Config or a *File as a T: the type of a section, such as *Cluster, or one of the
// optional interfaces below. It returns the zero value if the section is no T, and for nil.
func As[T any](from sectioned) T {
	as, _ := from.section().(T)
	return as
}

// A section implements those of the following interfaces whose answers commands can use. Without one of them, such
// stacks don't have the thing that it is about.

// ClusterMember is a section of a stack that belongs to a cluster.
type ClusterMember interface {
	// ClusterIdentity returns the cluster. Object and Relation are the same for all sections of a type, even an empty one.
	ClusterIdentity() ClusterIdentity
}

// ClusterRelation is how a stack belongs to a cluster.
type ClusterRelation string

const (
	// OwnsCluster is the relation of a stack that has the cluster's object.
	OwnsCluster ClusterRelation = "owner"
	// PartOfCluster is the relation of a stack that has what the cluster needs. Its object is another stack's, or no
	// stack's.
	PartOfCluster ClusterRelation = "part"
	// JoinsCluster is the relation of a stack whose objects belong to the cluster of another owner. The cluster does not
	// depend on the stack.
	JoinsCluster ClusterRelation = "guest"
)

// ClusterIdentity identifies the cluster that a stack belongs to.
type ClusterIdentity struct {
	// Object is the kind of the cluster's object in the management cluster: "HostedCluster", or Cluster API's "Cluster".
	Object   string
	Relation ClusterRelation
	// Name and Namespace are those of the object. Namespace is "" if the section describes no object.
	Name, Namespace string
	// InfraID tags the cluster's resources in AWS, "" if the name does.
	InfraID string
	// Further are the infra IDs of further clusters that depend on the stack.
	Further []string
}

// IdentityOf returns the cluster that a section's stack belongs to, the zero value if there is none.
func IdentityOf(section Section) ClusterIdentity {
	if member, ok := section.(ClusterMember); ok {
		return member.ClusterIdentity()
	}
	return ClusterIdentity{}
}

// ReferringSection is a section that names other stacks.
type ReferringSection interface {
	// ReferredStacks returns the names of a management stack, "" for none, and of stacks with parts of the cluster, each
	// after those that it needs itself.
	ReferredStacks() (management string, parts []string)
}

// TaggedSection is a section with tags for resources.
type TaggedSection interface {
	// ResourceTags returns the tags of all resources of the stack.
	ResourceTags() map[string]string
}

// VPCSection is a section of a stack that creates a VPC.
type VPCSection interface {
	// VPCCIDRs returns the IPv4 CIDRs of the VPC that are known, none for a VPC that exists.
	VPCCIDRs() []string
}

// NodesSection is a section of a stack whose cluster has machines that operators start.
type NodesSection interface {
	// Nodes returns the machines. region and zones are the stack's, for what the section leaves to them.
	Nodes(region string, zones []string) []Nodes
}

// Nodes are machines of one type.
type Nodes struct {
	// Name is that of their pool, or "control plane".
	Name, InstanceType string
	// Zones are their availability zones, and Count is their total number, at most.
	Zones []string
	Count int
	Spot  bool
	// NodePool is true if the stack applies the NodePool with that name, which starts them.
	NodePool bool
	// VolumeKey is the KMS key of their root volumes, "" for the account's default.
	VolumeKey string
}

// PausableSection is a section whose stack applies node pools.
type PausableSection interface {
	// PausedNodes returns the config key that takes the pools' nodes, "" if the stack applies none, and its value: since
	// when they have none, "" if they have their nodes.
	PausedNodes() (key, since string)
}

// ReleaseSection is a section that names release images.
type ReleaseSection interface {
	Releases() (Releases, error)
}

// Releases are the release images of a cluster.
type Releases struct {
	// Images are the pull specs.
	Images []string
	// PullSecret opens them, "" if the stack does not have it.
	PullSecret string
	// Mirrored is true if the cluster has mirrors, from which the operator may take the images instead.
	Mirrored bool
	// Mirrors are those mirrors, by the repositories that they mirror.
	Mirrors map[string][]string
}

// ResolverSection is a section of a stack that can use a VPC with DNS servers of its own.
type ResolverSection interface {
	// ExistingDNS returns the IPv4 addresses of the DNS servers of an existing VPC, none if they are AWS's, and the
	// services of AWS whose names machines resolve, such as "ec2".
	ExistingDNS() (servers, services []string)
}

// DomainSection is a section of a stack that needs the public delegation of a domain.
type DomainSection interface {
	// PublicDomain returns the domain, "" for none, and whether its zone is new. newZone is true if the plan creates a
	// public hosted zone.
	PublicDomain(newZone bool) (domain string, isNew bool)
}

// ExistingSection is a section that says what the stack needs of existing resources, beside their list.
type ExistingSection interface {
	ExistingNeeds() (ExistingNeeds, error)
}

// ExistingNeeds is what a stack needs of the existing resources that its section names.
type ExistingNeeds struct {
	// Cluster is the hosted cluster, the zero value for other stacks.
	Cluster hypershift.Cluster
	// Network are the args of the stack's network, nil for stacks without one.
	Network *network.BaseNetworkArgs
	// Roles are the roles of a hosted cluster, with the actions that they need.
	Roles []iam.ExistingRole
	// Release is the pull spec of the control plane's release, "" if it is not known.
	Release string
}

// SecretSection is a section that refers to secrets.
type SecretSection interface {
	// SecretTexts reads the secrets, by their config keys. The error has the faults of those that cannot be read.
	SecretTexts() (map[string]string, error)
}

// ManifestSection is a section whose objects are rendered from the stack's outputs. HyperShift's documents describe a
// hosted cluster instead.
type ManifestSection interface {
	// RenderManifests returns the objects as files. file is the section's, and places its faults.
	RenderManifests(file *File, outputs map[string]any) ([]hostedcluster.Manifest, error)
}

// ProtectedSection is a section that can allow the deletion of a living cluster.
type ProtectedSection interface {
	// DeletionAllowed reports whether `pulumi destroy` may delete everything.
	DeletionAllowed() bool
}

// NextStepSection is a section that says what to do after an update.
type NextStepSection interface {
	// NextStep returns a sentence, "" for the default. file is the name of the stack's file.
	NextStep(stack, file string) string
}

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
	// Allowed are the CIDRs from which nodes may reach the control plane over the internet; none if all may. AllowedKey is
	// their config key.
	Allowed    []string
	AllowedKey string
	// ExistingVPC is true if the VPC, its subnets and routes exist outside the stack.
	ExistingVPC bool
	// PublicOnly is true if nodes are in the subnets of load balancers on the internet, ELBSubnets.
	PublicOnly bool
	// OperatorOwned is true if HyperShift's operators create the endpoint instead of the stack.
	OperatorOwned bool
	// Service is the private service, "private-router"; Port is its TCP port, and Names are its names.
	Service string
	Port    int
	Names   []string
	// APIServerLoadBalancer is true if the API server has, or may have, its own load balancer and endpoint.
	APIServerLoadBalancer bool
	// Clients are the CIDRs that may connect to the endpoint in addition to the nodes', and LocalZoneVPCs the further VPCs
	// in which its names resolve. Consumers are the VPCs with endpoints of their own.
	Clients, LocalZoneVPCs []string
	Consumers              []ConsumerPaths
	// MachineCIDR is the CIDR of the nodes' addresses, if their subnets are not the stack's.
	MachineCIDR string
	// VPCID, and by zone the subnets of nodes and of load balancers on the internet.
	VPCID                   string
	NodeSubnets, ELBSubnets map[string]string
	// LocalZoneID and LocalZone are the zone of the names; BaseDomain is the public zone.
	LocalZoneID, LocalZone, BaseDomain string
}

// ConsumerPaths is a VPC other than the nodes' that reaches the control plane by an endpoint of its own.
type ConsumerPaths struct {
	// Name is the consumer's, and Endpoint is the name of its endpoint in the program.
	Name, Endpoint string
	VPCID          string
	// Clients are the CIDRs that may connect, and Names are the full names that resolve to the endpoint in the VPC.
	Clients, Names []string
	// ExistingZoneID is the ID of an existing zone of the names, "" if the stack creates it.
	ExistingZoneID string
}

// MachineNetwork is a section of a stack with the network of a cluster of Cluster API, whose paths of traffic can be
// followed.
type MachineNetwork interface {
	// MachinePaths is like ClusterNetwork.ClusterPaths. It fails if the outputs cannot be read.
	MachinePaths(outputs map[string]any) (MachinePaths, error)
}

// MachinePaths is the network of a cluster of Cluster API Provider AWS as its paths are expected to be. CAPA creates
// the load balancer and the machines; the stack has their subnets, routes and security groups.
type MachinePaths struct {
	// Name is the cluster's name.
	Name string
	// Public is true if the machines are in public subnets, with public addresses; Internal is true if the load balancer
	// has no public addresses.
	Public, Internal bool
	// NoInternet is why machines have no path to the internet, "" if they have one.
	NoInternet string
	// ExistingVPC is true if the VPC, its subnets and routes exist outside the stack.
	ExistingVPC bool
	// GroupsOf is the creator of the security groups, "" for the stack.
	GroupsOf string
	// LoadBalancer is the name of the API server's load balancer; Port is its TCP port, and Clients are the CIDRs that may
	// connect to it.
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

// Place adds a zone's subnets, "" for none: machines are in the private one unless they are public, and the load
// balancer is in the public one unless it is internal. An internal load balancer is in the public subnet if there is no
// private one.
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
