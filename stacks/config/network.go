package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// network returns the args of the network with the values of the cluster's other keys and, unless another stack has the
// network, with their defaults.
func (c Cluster) network() network.GuestNetworkArgs {
	args := c.Network
	if c.NetworkStack == "" {
		args = args.WithDefaults()
	}
	args.Cluster = c.Cluster
	args.BaseDomain, args.BaseDomainPrefix, args.EndpointAccess = c.BaseDomain, c.BaseDomainPrefix, c.EndpointAccess
	if c.HostedCluster != nil {
		args.ClusterNetworks = c.HostedCluster.Networks()
	} else { // it is written elsewhere, with any address
		args.ClusterNetworks.AdvertiseAddress = layout.NoCIDR
	}
	args.Karpenter = c.IAM.Karpenter
	args.RolePath, args.PermissionsBoundary = c.IAM.Path, c.IAM.PermissionsBoundary
	return args
}

// validateNetwork returns the faults in the network. region is "" if only AWS's SDK can determine it.
func (c *Cluster) validateNetwork(region string) fault.Faults {
	return claim("network", c.networkFaults(region))
}

// networkFaults are the same with the paths of the component.
func (c *Cluster) networkFaults(region string) error {
	args := c.Network.WithDefaults()
	args.Zones = c.zonesOrPlaceholder()
	var faults fault.Faults
	faults.Join("", args.Validate())
	if region != "" {
		faults.Join("zones", network.ValidateZonesIn(region, c.Network.Zones))
		faults.Join("existing.subnets", network.ValidateZonesIn(region, c.Network.Existing.Zones()))
	}
	if c.Network.Shared != nil {
		if c.Network.Existing != nil {
			faults.Add("shared", nil, "applies to a VPC that is created, but existing is set", "set only one of the two")
		}
		if c.Accounts.VPCOwner == nil {
			faults.Add("shared", nil, "requires the account that owns the VPC", "set accounts.vpcOwner")
		}
	}
	return faults.Err()
}

// validateParentAccount returns a fault for the account of a parent zone that nothing uses.
func validateParentAccount(key string, used bool, account *Account) error {
	if account == nil || used {
		return nil
	}
	return &fault.Fault{Path: "parentZone", Problem: "is not used: only " + key + " is in that account",
		Remedy: "leave it out, or set " + key}
}

// hasParent reports whether a parent zone delegates to the zone.
func hasParent(zone *network.PublicZone) bool { return zone != nil && zone.ParentZone != "" }

// parentZoneKey is the key of the parent zone of the base domain's public zone.
const parentZoneKey = "network.publicZone.parentZone"

// zonesOrPlaceholder returns the config's zones or, if AWS determines the default, a placeholder.
func (c *Cluster) zonesOrPlaceholder() []network.Zone {
	if len(c.Network.Zones) > 0 || c.Network.Existing != nil {
		return c.Network.Zones
	}
	return []network.Zone{{Name: placeholderZone}}
}

// PoolSubnets returns the subnets of node pools in an existing VPC that are not those of the zones, and the index of a
// pool with each.
func (c *Cluster) PoolSubnets() (further []network.FurtherSubnet, pools []int) {
	e := c.Network.Existing
	if c.HostedCluster == nil || e == nil || len(e.Subnets) == 0 {
		return nil, nil
	}
	for i, pool := range c.HostedCluster.NodePools {
		zone := cmp.Or(pool.Zone, e.Subnets[0].Zone)
		if !input.IsSet(pool.SubnetID) || c.zoneOf(pool.SubnetID) != "" ||
			slices.ContainsFunc(further, func(s network.FurtherSubnet) bool {
				return s.Zone == zone && s.ID == pool.SubnetID
			}) {
			continue
		}
		further, pools = append(further, network.FurtherSubnet{Zone: zone, ID: pool.SubnetID}), append(pools, i)
	}
	return further, pools
}

// zoneOf returns the zone of a node subnet in an existing VPC, "" for one that is not listed.
func (c *Cluster) zoneOf(subnet pulumi.StringInput) string {
	for _, s := range c.Network.Existing.Subnets {
		if own := s.Private; input.IsSet(own) && own == subnet {
			return s.Zone
		}
		if c.Network.PublicOnly && input.IsSet(s.Public) && s.Public == subnet {
			return s.Zone
		}
	}
	return ""
}

// validatePoolSubnets returns a fault for each pool with the subnet of another zone than its own.
func (c *Cluster) validatePoolSubnets() error {
	e := c.Network.Existing
	if e == nil || c.HostedCluster == nil || len(e.Subnets) == 0 {
		return nil
	}
	var faults fault.Faults
	for i, pool := range c.HostedCluster.NodePools {
		if !input.IsSet(pool.SubnetID) {
			continue
		}
		zone, in := cmp.Or(pool.Zone, e.Subnets[0].Zone), c.zoneOf(pool.SubnetID)
		if in != "" && in != zone && !strings.Contains(in+zone, "-az") { // an ID may be the name's
			faults.Add(fmt.Sprintf("hostedCluster.nodePools[%d].subnetID", i), input.Value(pool.SubnetID),
				"is in zone "+in+" of network.existing.subnets, and the pool is in "+zone,
				"set zone: "+in+", or use a subnet in "+zone)
		}
	}
	return faults.Err()
}

// InPools gives faults in PoolSubnets the paths of the pools, and returns all faults with paths in the section.
func (c *Cluster) InPools(found fault.Faults) fault.Faults {
	_, pools := c.PoolSubnets()
	var all, ofNetwork fault.Faults
	for _, f := range found {
		var index int
		if n, err := fmt.Sscanf(f.Path, "existing.further[%d]", &index); n == 1 && err == nil && index < len(pools) {
			all = append(all, &fault.Fault{Path: fmt.Sprintf("hostedCluster.nodePools[%d].subnetID", pools[index]),
				Value: f.Value, Problem: f.Problem, Remedy: f.Remedy})
		} else {
			ofNetwork = append(ofNetwork, f)
		}
	}
	return append(all, claim("network", ofNetwork.Err())...)
}

// ZonesKey returns the key that names the network's zones.
func (c *Cluster) ZonesKey() string {
	if c.Network.Existing != nil {
		return "network.existing.subnets"
	}
	return "network.zones"
}

// NoProxy returns the hosts that nodes reach without the proxy.
func (c *Cluster) NoProxy() []string {
	if c.Network.Proxy == nil {
		return nil
	}
	return c.Network.Proxy.NoProxy
}

// ProxyCA returns the CA certificates of the nodes' proxy in PEM, or nil without one.
func (c *Cluster) ProxyCA() pulumi.StringInput {
	if c.Network.Proxy == nil {
		return nil
	}
	return c.Network.Proxy.CA
}

// Network is hypershift-aws:network: the network of one hosted cluster, with its hosted zones, in a separate stack. The
// stacks of the cluster and of its roles name it.
type Network struct {
	hypershift.Cluster `yaml:",inline"`
	// BaseDomain is the domain of the cluster's DNS names. Its public hosted zone must be in the stack's account unless
	// endpointAccess is Private or network.publicZone creates it. Required. Changing it replaces the hosted zones and
	// their records.
	BaseDomain string `yaml:"baseDomain" pulumi:"baseDomain"`
	// BaseDomainPrefix is the label before baseDomain in the name of the private hosted zone, or "none" for no prefix.
	// Default: the cluster's name. Changing it replaces the private hosted zone.
	BaseDomainPrefix string `yaml:"baseDomainPrefix" pulumi:"baseDomainPrefix,optional"`
	// EndpointAccess is the cluster's, and decides which subnets and zones are created. Default Public. Changing it
	// replaces nothing.
	EndpointAccess hypershift.EndpointAccess `yaml:"endpointAccess" pulumi:"endpointAccess,optional"`
	// Clusters are the infra IDs of further clusters that use the network. Each has a stack of kind cluster that names
	// this stack as networkStack, and creates its own hosted zones and roles. Subnets have the tag
	// kubernetes.io/cluster/<infraID> with the value shared for each. Default none. Changing it replaces nothing; `up`
	// refuses to remove a cluster that exists.
	Clusters []string `yaml:"clusters" pulumi:"clusters,optional"`
	// Network is the network of the nodes. Default: a new VPC in the region's first availability zone.
	Network network.GuestNetworkArgs `yaml:"network" pulumi:"network,optional"`
	// Accounts are the AWS accounts other than the stack's own. Default none.
	Accounts NetworkAccounts `yaml:"accounts" pulumi:"accounts,optional"`
	// Unprotected turns off the protection against a `pulumi destroy` that deletes the network of a running cluster.
	// Default false.
	Unprotected bool `yaml:"unprotected" pulumi:"unprotected,optional"`

	// givenInfraID is the infra ID as the file has it.
	givenInfraID string
}

var _ Section = (*Network)(nil)

// OfCluster returns the config of a cluster with this network, and nothing else.
func (n *Network) OfCluster() *Cluster {
	c := &Cluster{
		Cluster: n.Cluster, BaseDomain: n.BaseDomain, BaseDomainPrefix: n.BaseDomainPrefix, EndpointAccess: n.EndpointAccess,
		Network: n.Network, Unprotected: n.Unprotected,
	}
	c.Network.Clusters = n.Clusters
	return c
}

// Resolve implements Section.
func (n *Network) Resolve(from Source) {
	n.givenInfraID = n.InfraID
	c := n.OfCluster()
	c.Resolve(from)
	n.Cluster, n.EndpointAccess, n.Network = c.Cluster, c.EndpointAccess, c.Network
}

// Validate implements Section.
func (n *Network) Validate(region string) error {
	var faults fault.Faults
	faults.Join("infraID", requireInfraID(n.givenInfraID))
	c := n.OfCluster()
	c.Accounts.VPCOwner = &Account{} // the stack's own account
	faults = append(faults, configfield.Claim(reflect.TypeFor[Network](), "network", c.networkFaults(region))...)
	faults.Join("accounts", validateAccounts(region, n.accounts()))
	faults.Join("accounts", validateParentAccount(parentZoneKey, hasParent(n.Network.PublicZone), n.Accounts.ParentZone))
	switch shared := n.Network.Shared != nil; {
	case shared && n.Accounts.Cluster == nil:
		faults.Add("network.shared", nil, "requires the account of the cluster",
			"set accounts.cluster: the stack's own account is the owner's")
	case !shared && n.Accounts.Cluster != nil:
		faults.Add("accounts.cluster", nil, "is only used to share the VPC",
			"set network.shared, which can be {}, or leave it out")
	}
	if n.Network.Proxy != nil {
		faults.Add("network.proxy", nil, "is not for a network of its own, because the objects of the cluster need it too",
			"set network.proxy in the stack of kind cluster that names this one as networkStack")
	}
	return distinct(faults).Err()
}

// requireInfraID returns a fault for a part of a cluster without an infra ID. The default is derived from the stack's
// name, so each part would have another one.
func requireInfraID(id string) error {
	if id != "" {
		return nil
	}
	return &fault.Fault{Problem: "is missing", Remedy: "set the infra ID that the stacks of the cluster's network, roles and cluster have in common"}
}

// ManagementCluster implements Section.
func (*Network) ManagementCluster() *Kubeconfig { return nil }

// Existing implements Section.
func (n *Network) Existing(*ManagementOutputs) []Existing {
	c := n.OfCluster()
	c.Accounts.ParentZone = n.Accounts.ParentZone
	return append(c.existingPublicZone(), c.existingNetwork()...)
}

// validateParts returns a fault for each key that the stacks named by networkStack and iamStack decide.
func (c *Cluster) validateParts() fault.Faults {
	var faults fault.Faults
	if c.NetworkStack != "" && c.ownNetwork {
		faults.Add("network", nil, "conflicts with networkStack",
			"leave out all of it but network.proxy: the stack "+c.NetworkStack+" has the network")
	}
	if c.NetworkStack != "" || c.IAMStack != "" {
		faults.Join("infraID", requireInfraID(c.givenInfraID))
	}
	if c.IAMStack == "" {
		return faults
	}
	if input.IsSet(c.OIDC.BucketName) || c.ownIssuer {
		faults.Add("oidc", nil, "conflicts with iamStack", "leave one of them out: the stack "+c.IAMStack+" has the issuer")
	}
	if c.ownIAM {
		faults.Add("iam", nil, "conflicts with iamStack", "leave one of them out: the stack "+c.IAMStack+" has the roles")
	}
	if c.InterruptionQueue {
		faults.Add("interruptionQueue", true, "conflicts with iamStack, whose roles are not limited to the queue",
			"leave one of them out")
	}
	return faults
}

var (
	_ ClusterMember    = (*Network)(nil)
	_ TaggedSection    = (*Network)(nil)
	_ VPCSection       = (*Network)(nil)
	_ DomainSection    = (*Network)(nil)
	_ ExistingSection  = (*Network)(nil)
	_ ProtectedSection = (*Network)(nil)
	_ ClusterNetwork   = (*Network)(nil)
)

// ClusterIdentity implements ClusterMember.
func (n *Network) ClusterIdentity() ClusterIdentity {
	return ClusterIdentity{
		Object: hostedClusterObject, Relation: PartOfCluster, Name: n.Name, InfraID: n.InfraID, Further: n.Clusters,
	}
}

// ResourceTags implements TaggedSection.
func (n *Network) ResourceTags() map[string]string { return n.Tags }

// VPCCIDRs implements VPCSection.
func (n *Network) VPCCIDRs() []string { return vpcCIDRs(n.Network.Options, n.Network.SecondaryCIDR) }

// PublicDomain implements DomainSection.
func (n *Network) PublicDomain(newZone bool) (domain string, isNew bool) {
	return n.OfCluster().PublicDomain(newZone)
}

// ExistingNeeds implements ExistingSection.
func (n *Network) ExistingNeeds() (ExistingNeeds, error) { return n.OfCluster().ExistingNeeds() }

// DeletionAllowed implements ProtectedSection.
func (n *Network) DeletionAllowed() bool { return n.Unprotected }

// ClusterPaths implements ClusterNetwork.
func (n *Network) ClusterPaths(outputs map[string]any) ClusterPaths {
	return n.OfCluster().ClusterPaths(outputs)
}
