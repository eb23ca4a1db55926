package view

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/connectivity"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// machines is what the file of a stack of kind capa says.
func machines(c *config.CAPA) connectivity.Machines {
	m := connectivity.Machines{
		Public: c.Topology.OrDefault() == capa.Public, Internal: c.APIAccess.Scheme.OrDefault() == capa.Internal,
		LoadBalancer: c.LoadBalancerName(), Port: capa.APIPort, Clients: c.APIAccess.CIDRs,
	}
	if len(m.Clients) == 0 {
		m.Clients = []string{"0.0.0.0/0"}
	}
	switch {
	case c.SecurityGroups.IDs != nil:
		m.GroupsOf = "was there before, with its rules"
	case c.SecurityGroups.Create != nil && !*c.SecurityGroups.Create:
		m.GroupsOf = "CAPA makes it, with its rules"
	}
	switch {
	case m.Public:
		m.NoBastion = "topology Public: machines have public addresses"
	case c.Network.Bastion == nil:
		m.NoBastion = "network.bastion is not given"
	}
	if e := c.Network.Existing; e != nil {
		m.GivenVPC, m.VPCID, m.NodeSubnets, m.BalancerSubnets = true, e.VPCID, map[string]string{}, map[string]string{}
		for _, subnets := range e.Subnets {
			m.Place(subnets.Zone, subnets.Private, subnets.Public)
		}
	} else if !m.Public && c.Network.NAT == network.None {
		m.NoInternet = "nat None: machines reach AWS by endpoints in the VPC"
	}
	return m
}

// machinesOf is what has to exist, as the stack's file and outputs say.
func machinesOf(c *config.CAPA, outputs map[string]any) (connectivity.Machines, error) {
	m := machines(c)
	site, err := capa.ReadSite(outputs["site"])
	if err != nil {
		return m, fmt.Errorf("reading the stack's outputs: %w", err)
	}
	m.VPCID, m.NodeSubnets, m.BalancerSubnets, m.Groups = site.VPCID, map[string]string{}, map[string]string{}, map[string]string{}
	for _, zone := range site.Zones {
		m.Place(zone.Name, zone.PrivateSubnetID, zone.PublicSubnetID)
	}
	for role, id := range site.SecurityGroups {
		m.Groups[string(role)] = id
	}
	m.BastionID, _ = outputs["bastionInstanceID"].(string)
	return m, nil
}
