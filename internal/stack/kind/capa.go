package kind

import (
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// machines returns the machines in the file of a stack of kind capa.
func machines(c *config.CAPA) connectivity.Machines {
	a := c.WithDefaults()
	m := connectivity.Machines{
		Public: a.Topology == capa.Public, Internal: a.APIAccess.Scheme == capa.Internal, LoadBalancer: a.LoadBalancerName(), Port: capa.APIPort,
		Clients: slices.Concat(a.APIAccess.CIDRs, a.APIAccess.ManagementCIDRs),
	}
	switch a.SecurityGroups.Source() {
	case capa.GroupsExisting:
		m.GroupsOf = "is an existing group, with its own rules"
	case capa.GroupsCreatedByCAPA:
		m.GroupsOf = "CAPA creates it, with its own rules"
	case capa.GroupsCreated:
	}
	switch {
	case m.Public:
		m.NoBastion = "topology Public: machines have public addresses"
	case a.Network.Bastion == nil:
		m.NoBastion = "network.bastion is not set"
	}
	if e := a.Network.Existing; e != nil {
		m.GivenVPC, m.VPCID, m.NodeSubnets, m.BalancerSubnets = true, e.VPCID, map[string]string{}, map[string]string{}
		for _, subnets := range e.Subnets {
			m.Place(subnets.Zone, input.Text(subnets.Private), input.Text(subnets.Public))
		}
	} else if !m.Public && a.NATOrDefault() == network.None && !a.Network.RoutesInternet() {
		m.NoInternet = "nat None: machines reach AWS through endpoints in the VPC"
	}
	return m
}

// deployedMachines returns the expected machines, from the stack's file and outputs.
func deployedMachines(c *config.CAPA, outputs map[string]any) (connectivity.Machines, error) {
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
