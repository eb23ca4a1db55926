package cli

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/connectivity"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// madeCluster is what the stack's file and outputs say that there has to be.
func madeCluster(stack *config.Cluster, outputs map[string]any) connectivity.Cluster {
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
	c := cluster(stack)
	c.VPCID, c.LocalZoneID, c.MachineCIDR = text("vpcID"), text("localZoneID"), text("machineCIDR")
	c.NodeSubnets, c.ELBSubnets = byZone("privateSubnetIDs"), byZone("publicSubnetIDs")
	if stack.Network.PublicOnly {
		c.NodeSubnets = c.ELBSubnets
	}
	return c
}

// plannedCluster is what the file says that there will be, with the IDs that the planned resources have. The names of
// a network's parts do not depend on the config.
func plannedCluster(stack *config.Cluster, planned []connectivity.Resource) connectivity.Cluster {
	c := cluster(stack)
	c.NodeSubnets, c.ELBSubnets = map[string]string{}, map[string]string{}
	for _, r := range planned {
		switch {
		case r.Name == "network-vpc":
			c.VPCID, c.MachineCIDR = r.ID, stack.Network.VPCCIDR
		case r.Name == "network-local-zone":
			c.LocalZoneID = r.ID
		case r.Type == "aws:ec2/subnet:Subnet" && strings.HasPrefix(r.Name, "network-private-"):
			c.NodeSubnets[strings.TrimPrefix(r.Name, "network-private-")] = r.ID
		case r.Type == "aws:ec2/subnet:Subnet" && strings.HasPrefix(r.Name, "network-public-") && c.Public:
			c.ELBSubnets[strings.TrimPrefix(r.Name, "network-public-")] = r.ID
		}
	}
	if existing := stack.Network.Existing; existing != nil {
		c.VPCID = existing.VPCID
		for _, subnets := range existing.Subnets {
			c.NodeSubnets[subnets.Zone], c.ELBSubnets[subnets.Zone] = subnets.Private, subnets.Public
		}
		if existing.LocalZoneID != "" {
			c.LocalZoneID = existing.LocalZoneID
		}
	}
	if stack.Network.PublicOnly {
		c.NodeSubnets = c.ELBSubnets
	}
	return c
}

// cluster is what the stack's file alone says.
func cluster(stack *config.Cluster) connectivity.Cluster {
	service := stack.PrivateLinkService()
	c := connectivity.Cluster{
		Private: stack.EndpointAccess.HasPrivate(), Public: stack.EndpointAccess.HasPublic(),
		GivenVPC:      stack.Network.Existing != nil,
		OperatorOwned: stack.PrivateLinkOwner() == config.OwnerOperator,
		Service:       string(service), Port: service.Port(), Names: service.Names(),
		LocalZone: stack.Name + ".hypershift.local", BaseDomain: stack.BaseDomain,
	}
	switch {
	case stack.Network.Proxy != nil:
		c.NoInternet = "network.proxy: nodes reach the internet by the proxy"
	case stack.Network.NAT == network.None:
		c.NoInternet = "nat None: nodes reach AWS by endpoints in the VPC"
	}
	return c
}
