package config

import (
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

var _ MachineNetwork = (*CAPA)(nil)

// MachinePaths implements MachineNetwork.
func (c *CAPA) MachinePaths(outputs map[string]any) (MachinePaths, error) {
	m := c.pathsInFile()
	if outputs == nil {
		return m, nil
	}
	site, err := capa.ReadSite(outputs["site"])
	if err != nil {
		return m, fmt.Errorf("reading the stack's outputs: %w", err)
	}
	m.VPCID, m.NodeSubnets, m.BalancerSubnets = site.VPCID, map[string]string{}, map[string]string{}
	m.Groups = map[string]string{}
	for _, zone := range site.Zones {
		m.Place(zone.Name, zone.PrivateSubnetID, zone.PublicSubnetID)
	}
	for role, id := range site.SecurityGroups {
		m.Groups[string(role)] = id
	}
	m.BastionID, _ = outputs["bastionInstanceID"].(string)
	return m, nil
}

// pathsInFile returns the expected paths as far as the section alone describes them.
func (c *CAPA) pathsInFile() MachinePaths {
	a := c.WithDefaults()
	m := MachinePaths{
		Name: c.Name, Public: a.Topology == capa.Public, Internal: a.APIAccess.Scheme == capa.Internal,
		LoadBalancer: a.LoadBalancerName(), Port: capa.APIPort,
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
