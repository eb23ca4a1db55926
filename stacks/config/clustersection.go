package config

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

var (
	_ ClusterMember    = (*Cluster)(nil)
	_ ReferringSection = (*Cluster)(nil)
	_ TaggedSection    = (*Cluster)(nil)
	_ VPCSection       = (*Cluster)(nil)
	_ NodesSection     = (*Cluster)(nil)
	_ PausableSection  = (*Cluster)(nil)
	_ ReleaseSection   = (*Cluster)(nil)
	_ ResolverSection  = (*Cluster)(nil)
	_ DomainSection    = (*Cluster)(nil)
	_ ExistingSection  = (*Cluster)(nil)
	_ SecretSection    = (*Cluster)(nil)
	_ ProtectedSection = (*Cluster)(nil)
	_ NextStepSection  = (*Cluster)(nil)
	_ ClusterNetwork   = (*Cluster)(nil)
)

// hostedClusterObject is the kind of the object of a hosted cluster.
const hostedClusterObject = "HostedCluster"

// ClusterIdentity implements ClusterMember.
func (c *Cluster) ClusterIdentity() ClusterIdentity {
	of := ClusterIdentity{Object: hostedClusterObject, Relation: OwnsCluster, Name: c.Name, InfraID: c.InfraID}
	if c.HostedCluster != nil {
		of.Namespace = c.HostedCluster.NamespaceOrDefault()
	}
	return of
}

// ReferredStacks implements ReferringSection.
func (c *Cluster) ReferredStacks() (management string, parts []string) {
	return c.Management, named([]string{c.NetworkStack, c.IAMStack})
}

// ResourceTags implements TaggedSection.
func (c *Cluster) ResourceTags() map[string]string { return c.Tags }

// VPCCIDRs implements VPCSection.
func (c *Cluster) VPCCIDRs() []string {
	if c.Network.Existing != nil || c.NetworkStack != "" {
		return nil
	}
	return vpcCIDRs(c.Network.Options, c.Network.SecondaryCIDR)
}

// vpcCIDRs returns the CIDRs of a VPC. One that an IPAM pool allocates is not known.
func vpcCIDRs(options network.Options, others ...string) []string {
	first := options.VPCCIDR
	if first == "" && options.IPAM == nil {
		first = layout.DefaultVPCCIDR
	}
	return named(append([]string{first}, others...))
}

// Nodes implements NodesSection.
func (c *Cluster) Nodes(region string, zones []string) []Nodes {
	if c.HostedCluster == nil {
		return nil
	}
	var own []string
	for _, zone := range slices.Concat(c.Network.Existing.Zones(), c.Network.Zones) {
		own = append(own, zone.Name)
	}
	if len(own) == 0 {
		own = zones
	}
	return nodesOf(c.HostedClusterSettings(region).PoolsIn(own), c.HostedCluster.Kubeconfig != nil,
		c.HostedCluster.NodesPausedSince != "")
}

// PausedNodes implements PausableSection.
func (c *Cluster) PausedNodes() (key, since string) {
	if c.HostedCluster == nil || c.HostedCluster.Kubeconfig == nil {
		return "", ""
	}
	return HostedClusterPath + ".nodesPausedSince", c.HostedCluster.NodesPausedSince
}

// nodesOf returns the machines of node pools, which the stack applies or not, and which are paused or not.
func nodesOf(pools []hostedcluster.NodePool, applied, paused bool) []Nodes {
	var list []Nodes
	for _, pool := range pools {
		instanceType, count := pool.Machines()
		if paused {
			count = 0
		}
		nodes := Nodes{
			Name: pool.Name, InstanceType: instanceType, Count: count, Spot: pool.Spot != nil, NodePool: applied,
			VolumeKey: pool.VolumeKey(),
		}
		if pool.Zone != "" {
			nodes.Zones = []string{pool.Zone}
		}
		list = append(list, nodes)
	}
	return list
}

// Releases implements ReleaseSection.
func (c *Cluster) Releases() (Releases, error) {
	if c.HostedCluster == nil {
		return Releases{}, nil
	}
	secrets, err := c.HostedCluster.Secrets()
	if err != nil {
		return Releases{}, err
	}
	spec := c.HostedCluster.Spec
	controlPlane, _ := spec["controlPlaneRelease"].(map[string]any)
	image, _ := controlPlane["image"].(string)
	return Releases{
		PullSecret: secrets[hostedcluster.PullSecret], Mirrored: spec["imageContentSources"] != nil,
		Mirrors: mirrorsIn(spec["imageContentSources"]),
		Images:  named(append([]string{c.HostedCluster.Release, image}, releasesOf(c.HostedCluster.NodePools)...)),
	}, nil
}

// mirrorsIn returns the mirrors in spec.imageContentSources of a HostedCluster.
func mirrorsIn(sources any) map[string][]string {
	mirrors := map[string][]string{}
	list, _ := sources.([]any)
	for _, one := range list {
		source, _ := one.(map[string]any)
		of, _ := source["source"].(string)
		names, _ := source["mirrors"].([]any)
		for _, mirror := range names {
			if text, is := mirror.(string); is && of != "" {
				mirrors[of] = append(mirrors[of], text)
			}
		}
	}
	return mirrors
}

// releasesOf returns the release images of node pools, "" for those that name none.
func releasesOf(pools []hostedcluster.NodePool) []string {
	var images []string
	for _, pool := range pools {
		images = append(images, pool.Release)
	}
	return images
}

// ExistingDNS implements ResolverSection.
func (c *Cluster) ExistingDNS() (servers, services []string) {
	if c.Network.Existing == nil {
		return nil, nil
	}
	return c.Network.Existing.DNSServers, network.NodeServices()
}

// PublicDomain implements DomainSection. A zone with a parent zone is delegated by the stack itself.
func (c *Cluster) PublicDomain(newZone bool) (domain string, isNew bool) {
	created := c.Network.PublicZone
	isNew = newZone && created != nil
	if !c.EndpointAccess.HasPublic() || isNew && created.ParentZone != "" {
		return "", isNew
	}
	return c.BaseDomain, isNew
}

// ExistingNeeds implements ExistingSection.
func (c *Cluster) ExistingNeeds() (ExistingNeeds, error) {
	needs := ExistingNeeds{Cluster: c.Cluster, Network: c.Network.Base()}
	if c.HostedCluster != nil {
		needs.Release = c.HostedCluster.Release
	}
	var err error
	needs.Roles, err = c.KnownRoles()
	return needs, err
}

// DeletionAllowed implements ProtectedSection.
func (c *Cluster) DeletionAllowed() bool { return c.Unprotected }

// NextStep implements NextStepSection.
func (c *Cluster) NextStep(stack, file string) string {
	if c.HostedCluster != nil {
		return ""
	}
	return fmt.Sprintf("describe the cluster in hostedCluster of %s and run `hypershift-aws up -s %s` again, or create it with "+
		"the documents of `hypershift-aws outputs -s %[2]s --format infra-json` and --format iam-json", file, stack)
}

// ClusterPaths implements ClusterNetwork.
func (c *Cluster) ClusterPaths(outputs map[string]any) ClusterPaths {
	p := c.pathsInFile()
	if outputs == nil {
		return p
	}
	known := props.Map(outputs)
	byZone := func(name string) map[string]string {
		found := map[string]string{}
		for zone, id := range known.Object(name) {
			found[zone] = fmt.Sprint(id)
		}
		return found
	}
	after := *c
	after.AfterUpdate(outputs)
	p.APIServerLoadBalancer = after.APIServerLoadBalancer()
	p.VPCID, p.LocalZoneID = known.String("vpcID"), known.String("localZoneID")
	p.MachineCIDR = known.String("machineCIDR")
	p.NodeSubnets, p.ELBSubnets = byZone("privateSubnetIDs"), byZone("publicSubnetIDs")
	return p
}

// pathsInFile returns the expected paths as far as the section alone describes them.
func (c *Cluster) pathsInFile() ClusterPaths {
	service := c.PrivateLinkService()
	p := ClusterPaths{
		Private: c.EndpointAccess.HasPrivate(), Public: c.EndpointAccess.HasPublic(), PublicOnly: c.Network.PublicOnly,
		ExistingVPC:   c.Network.Existing != nil || c.NetworkStack != "",
		OperatorOwned: c.PrivateLinkOwner() == OwnerOperator,
		Service:       string(service), Port: service.Port(), Names: service.Names(),
		APIServerLoadBalancer: c.APIServerLoadBalancer(), LocalZone: c.Name + ".hypershift.local", BaseDomain: c.BaseDomain,
	}
	if c.HostedCluster != nil {
		settings := c.HostedClusterSettings("")
		p.Allowed, p.AllowedKey = settings.AllowedCIDRs(), "hostedCluster.spec.networking.apiServer.allowedCIDRBlocks"
		switch limited := len(settings.APIAccess.CIDRs) > 0; {
		case limited && p.ExistingVPC:
			p.AllowedKey = "apiAccess.cidrs"
		case limited: // the stack adds the addresses of its NAT gateways
			p.Allowed = nil
		}
	}
	switch {
	case c.Network.Proxy != nil:
		p.NoInternet = "network.proxy: nodes reach the internet through the proxy"
	case c.Network.NAT == network.None && !c.Network.RoutesInternet():
		p.NoInternet = "nat None: nodes reach AWS through endpoints in the VPC"
	}
	if c.Network.Existing != nil {
		c.pathsInExisting(&p)
	}
	if c.PrivateLink != nil {
		c.pathsFromElsewhere(&p)
	}
	return p
}

// pathsFromElsewhere adds the clients in other networks than the nodes' to the expected paths.
func (c *Cluster) pathsFromElsewhere(p *ClusterPaths) {
	known := func(texts []pulumi.StringInput) []string {
		return slices.DeleteFunc(input.Texts(texts), func(text string) bool { return text == "" })
	}
	p.Clients = known(c.PrivateLink.AllowedCIDRs)
	for _, vpc := range c.PrivateLink.LocalZoneVPCs {
		p.LocalZoneVPCs = append(p.LocalZoneVPCs, known([]pulumi.StringInput{vpc.VPCID})...)
	}
	for _, consumer := range c.PrivateLink.Consumers {
		args := consumer.ConsumerArgs
		args.Cluster, args.Service, args.APIServerLoadBalancer = c.Cluster, c.PrivateLink.Service, c.APIServerLoadBalancer()
		one := ConsumerPaths{
			Name: consumer.Name, Endpoint: consumer.ResourceName(), VPCID: input.Text(consumer.VPCID),
			Clients: known(consumer.AllowedCIDRs), Names: args.Names(),
		}
		if id := input.Text(consumer.LocalZoneID); id != privatelink.NoLocalZone {
			one.ExistingZoneID = id
		}
		p.Consumers = append(p.Consumers, one)
	}
}

// pathsInExisting adds the existing VPC to the expected paths.
func (c *Cluster) pathsInExisting(p *ClusterPaths) {
	e := c.Network.Existing
	p.VPCID, p.LocalZoneID = input.Text(e.VPCID), input.Text(e.LocalZoneID)
	p.NodeSubnets, p.ELBSubnets = map[string]string{}, map[string]string{}
	for _, subnets := range e.Subnets {
		if id := input.Text(subnets.Private); id != "" {
			p.NodeSubnets[subnets.Zone] = id
		}
		if id := input.Text(subnets.Public); id != "" {
			p.ELBSubnets[subnets.Zone] = id
		}
	}
}
