package preflight

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// ComparesGiven reports whether a stack's file, nil if it cannot be read, names existing resources that are compared.
func ComparesGiven(file *config.File) bool {
	return file != nil && slices.ContainsFunc(file.Existing(nil), func(e config.Existing) bool { return comparisons()[e.Kind].differences != nil })
}

// GivenOf returns the existing resources that a stack's file names, nil without any that are compared. They are in the place of the stack's own
// provider.
func GivenOf(file *config.File, own Place) (*Given, error) {
	if !ComparesGiven(file) {
		return nil, nil
	}
	given := &Given{Place: own, Parts: file.Existing(nil)}
	var cluster *config.Cluster
	switch section := file.Section.(type) {
	case *config.Cluster:
		cluster = section
		if section.HostedCluster != nil {
			given.Release, _ = hostedcluster.ReleaseVersion(section.HostedCluster.Release)
		}
	case *config.Network:
		cluster = section.OfCluster()
	case *config.IAM:
		cluster = section.OfCluster()
	case *config.CAPA:
		given.SubnetsTagged = true // by CAPA's controllers, or by the stack
		given.OwnEgress = section.NATOrDefault() == network.None
		if e := section.Network.Existing; e != nil {
			given.DNSServers = e.DNSServers
		}
	}
	if cluster == nil {
		return given, nil
	}
	given.Cluster, given.Karpenter, given.PublicMachines = cluster.Cluster, cluster.IAM.Karpenter, cluster.Network.PublicOnly
	given.OwnEgress = cluster.Network.NAT == network.None || cluster.Network.Proxy != nil
	given.Reserved = layout.HostedReserved()
	if cluster.HostedCluster != nil {
		given.Reserved = cluster.HostedCluster.Networks().Reserved()
	}
	if e := cluster.Network.Existing; e != nil {
		given.SubnetsTagged, given.DNSServers = e.TagSubnets, e.DNSServers
	}
	var err error
	given.Roles, err = cluster.GivenRoles()
	return given, err
}
