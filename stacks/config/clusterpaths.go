package config

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

var (
	_ ClusterNetwork = (*Cluster)(nil)
	_ ClusterNetwork = (*Network)(nil)
)

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
	p.VPCID, p.LocalZoneID = known.String("vpcID"), known.String("localZoneID")
	p.MachineCIDR = known.String("machineCIDR")
	p.NodeSubnets, p.ELBSubnets = byZone("privateSubnetIDs"), byZone("publicSubnetIDs")
	if p.PublicOnly {
		p.NodeSubnets = p.ELBSubnets
	}
	return p
}

// pathsInFile returns the expected paths as far as the section alone describes them.
func (c *Cluster) pathsInFile() ClusterPaths {
	service := c.PrivateLinkService()
	p := ClusterPaths{
		Private: c.EndpointAccess.HasPrivate(), Public: c.EndpointAccess.HasPublic(), PublicOnly: c.Network.PublicOnly,
		GivenVPC:      c.Network.Existing != nil || c.NetworkStack != "",
		OperatorOwned: c.PrivateLinkOwner() == OwnerOperator,
		Service:       string(service), Port: service.Port(), Names: service.Names(),
		APIServerLoadBalancer: c.APIServerLoadBalancer(), LocalZone: c.Name + ".hypershift.local", BaseDomain: c.BaseDomain,
	}
	if c.HostedCluster != nil {
		settings := c.HostedClusterSettings("")
		p.Allowed, p.AllowedKey = settings.AllowedCIDRs(), "hostedCluster.spec.networking.apiServer.allowedCIDRBlocks"
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
	return p
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
	if p.PublicOnly {
		p.NodeSubnets = p.ELBSubnets
	}
}

// ClusterPaths implements ClusterNetwork.
func (n *Network) ClusterPaths(outputs map[string]any) ClusterPaths {
	return n.OfCluster().ClusterPaths(outputs)
}
