package cli

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/connectivity"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// madeCluster is what the stack's file and outputs say that there has to be.
func madeCluster(config *stacks.ClusterConfig, outputs map[string]any) connectivity.Cluster {
	text := func(name string) string {
		value, _ := outputs[name].(string)
		return value
	}
	byZone := func(name string) map[string]string {
		found := map[string]string{}
		values, _ := outputs[name].(map[string]any)
		for zone, id := range values {
			found[zone] = fmt.Sprint(id)
		}
		return found
	}
	c := cluster(config)
	c.VPCID, c.LocalZoneID, c.MachineCIDR = text("vpcID"), text("localZoneID"), text("machineCIDR")
	c.NodeSubnets, c.ELBSubnets = byZone("privateSubnetIDs"), byZone("publicSubnetIDs")
	if config.Network.PublicOnly {
		c.NodeSubnets = c.ELBSubnets
	}
	return c
}

// plannedCluster is what the file says that there will be, with the IDs that the planned resources have. The names of
// a network's parts do not depend on the config.
func plannedCluster(config *stacks.ClusterConfig, planned []connectivity.Resource) connectivity.Cluster {
	c := cluster(config)
	c.NodeSubnets, c.ELBSubnets = map[string]string{}, map[string]string{}
	for _, r := range planned {
		switch {
		case r.Name == "network-vpc":
			c.VPCID, c.MachineCIDR = r.ID, config.Network.VPCCIDR
		case r.Name == "network-local-zone":
			c.LocalZoneID = r.ID
		case r.Type == "aws:ec2/subnet:Subnet" && strings.HasPrefix(r.Name, "network-private-"):
			c.NodeSubnets[strings.TrimPrefix(r.Name, "network-private-")] = r.ID
		case r.Type == "aws:ec2/subnet:Subnet" && strings.HasPrefix(r.Name, "network-public-") && c.Public:
			c.ELBSubnets[strings.TrimPrefix(r.Name, "network-public-")] = r.ID
		}
	}
	if existing := config.Network.Existing; existing != nil {
		c.VPCID = existing.VPCID
		for _, subnets := range existing.Subnets {
			c.NodeSubnets[subnets.Zone], c.ELBSubnets[subnets.Zone] = subnets.Private, subnets.Public
		}
		if existing.LocalZoneID != "" {
			c.LocalZoneID = existing.LocalZoneID
		}
	}
	if config.Network.PublicOnly {
		c.NodeSubnets = c.ELBSubnets
	}
	return c
}

// cluster is what the stack's file alone says.
func cluster(config *stacks.ClusterConfig) connectivity.Cluster {
	service := config.PrivateLinkService()
	c := connectivity.Cluster{
		Private: config.EndpointAccess.HasPrivate(), Public: config.EndpointAccess.HasPublic(),
		GivenVPC:      config.Network.Existing != nil,
		OperatorOwned: config.PrivateLinkOwner() == stacks.OwnerOperator,
		Service:       string(service), Port: service.Port(), Names: service.Names(),
		LocalZone: config.Name + ".hypershift.local", BaseDomain: config.BaseDomain,
	}
	switch {
	case config.Network.Proxy != nil:
		c.NoInternet = "network.proxy: nodes reach the internet by the proxy"
	case config.Network.NAT == network.None:
		c.NoInternet = "nat None: nodes reach AWS by endpoints in the VPC"
	}
	return c
}
