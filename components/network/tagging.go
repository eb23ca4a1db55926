package network

import "github.com/hypershift-aws/hypershift-aws/components/hypershift"

// Tagging returns the tags of a network's resources.
type Tagging interface {
	// Plain returns the tags of a part with the given Name, "" for none.
	Plain(name string) map[string]string
	// PrivateSubnet returns the tags of a subnet for machines and internal load balancers.
	PrivateSubnet(name string) map[string]string
	// PublicSubnet returns the tags of a subnet for load balancers on the internet; machines is true if machines are in it too.
	PublicSubnet(name string, machines bool) map[string]string
	// Discovery returns the tags by which the cluster's operators find an existing subnet; public is true if it has a route to an internet
	// gateway, machines if machines are in it.
	Discovery(public, machines bool) map[string]string
	// NATGateway returns the tags of a NAT gateway.
	NATGateway(name string) map[string]string
	// IAM returns the tags of roles and instance profiles.
	IAM() map[string]string
}

// hostedTagging sets HyperShift's tags.
type hostedTagging struct{ cluster hypershift.Cluster }

var _ Tagging = hostedTagging{}

func (t hostedTagging) Plain(name string) map[string]string { return t.cluster.EC2Tags(name) }

func (t hostedTagging) PrivateSubnet(name string) map[string]string {
	return t.cluster.PrivateSubnetTags(name)
}

func (t hostedTagging) PublicSubnet(name string, machines bool) map[string]string {
	if machines {
		return t.cluster.PublicOnlySubnetTags(name)
	}
	return t.cluster.PublicSubnetTags(name)
}

func (t hostedTagging) Discovery(public, machines bool) map[string]string {
	return t.cluster.DiscoveryTags(public, machines)
}

func (t hostedTagging) NATGateway(name string) map[string]string { return t.Plain(name) }
func (t hostedTagging) IAM() map[string]string                   { return t.cluster.IAMTags() }
