package kind

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// deployedCluster returns the expected cluster, from the stack's file and outputs.
func deployedCluster(stack *config.Cluster, outputs props.Map) connectivity.Cluster {
	byZone := func(name string) map[string]string {
		found := map[string]string{}
		for zone, id := range outputs.Object(name) {
			found[zone] = fmt.Sprint(id)
		}
		return found
	}
	c := cluster(stack)
	c.VPCID, c.LocalZoneID, c.MachineCIDR = outputs.String("vpcID"), outputs.String("localZoneID"), outputs.String("machineCIDR")
	c.NodeSubnets, c.ELBSubnets = byZone("privateSubnetIDs"), byZone("publicSubnetIDs")
	if stack.Network.PublicOnly {
		c.NodeSubnets = c.ELBSubnets
	}
	return c
}

// plannedCluster returns the expected cluster after a plan, from the stack's file and the names of the plan's
// resources.
func plannedCluster(stack *config.Cluster, graph *connectivity.Graph) connectivity.Cluster {
	c := cluster(stack)
	if e := stack.Network.Existing; e != nil {
		c.VPCID, c.LocalZoneID = input.Text(e.VPCID), input.Text(e.LocalZoneID)
		c.NodeSubnets, c.ELBSubnets = map[string]string{}, map[string]string{}
		for _, subnets := range e.Subnets {
			if id := input.Text(subnets.Private); id != "" {
				c.NodeSubnets[subnets.Zone] = id
			}
			if id := input.Text(subnets.Public); id != "" {
				c.ELBSubnets[subnets.Zone] = id
			}
		}
	}
	c = graph.PlannedCluster(c)
	if stack.Network.PublicOnly {
		c.NodeSubnets = c.ELBSubnets
	}
	return c
}

// cluster returns the expected cluster, from the stack's file.
func cluster(stack *config.Cluster) connectivity.Cluster {
	service := stack.PrivateLinkService()
	c := connectivity.Cluster{
		Private: stack.EndpointAccess.HasPrivate(), Public: stack.EndpointAccess.HasPublic(),
		GivenVPC:      stack.Network.Existing != nil || stack.NetworkStack != "",
		OperatorOwned: stack.PrivateLinkOwner() == config.OwnerOperator,
		Service:       string(service), Port: service.Port(), Names: service.Names(), APIServerLoadBalancer: stack.APIServerLoadBalancer(),
		LocalZone: stack.Name + ".hypershift.local", BaseDomain: stack.BaseDomain,
	}
	if stack.HostedCluster != nil {
		settings := stack.HostedClusterSettings("")
		c.Allowed, c.AllowedKey = settings.AllowedCIDRs(), "hostedCluster.spec.networking.apiServer.allowedCIDRBlocks"
	}
	switch {
	case stack.Network.Proxy != nil:
		c.NoInternet = "network.proxy: nodes reach the internet through the proxy"
	case stack.Network.NAT == network.None && !stack.Network.RoutesInternet():
		c.NoInternet = "nat None: nodes reach AWS through endpoints in the VPC"
	}
	return c
}
