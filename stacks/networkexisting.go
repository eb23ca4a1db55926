package stacks

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The kinds of things that a network can refer to. Those of a VPC say of which: "subnet-… in us-east-1a of
// vpc-…", "sg-… of vpc-…", "Z… demo.example.com of vpc-…".
const (
	ExistingVPC             ExistingKind = "VPC"
	ExistingPrivateSubnet   ExistingKind = "private subnet"
	ExistingPublicSubnet    ExistingKind = "public subnet"
	ExistingSecurityGroup   ExistingKind = "security group"
	ExistingElasticIP       ExistingKind = "elastic IP"
	ExistingPrivateZone     ExistingKind = "private zone"
	ExistingEndpointService ExistingKind = "endpoint service"
)

// existing lists what the network refers to as existing.
func (c *NetworkConfig) existing(cluster *ClusterConfig) []Existing {
	var existing []Existing
	add := func(kind ExistingKind, format string, values ...any) {
		existing = append(existing, Existing{Kind: kind, Name: fmt.Sprintf(format, values...)})
	}
	if e := c.Existing; e != nil {
		add(ExistingVPC, "%s", e.VPCID)
		for _, subnets := range e.Subnets {
			if subnets.Private != "" {
				add(ExistingPrivateSubnet, "%s in %s of %s", subnets.Private, subnets.Zone, e.VPCID)
			}
			if subnets.Public != "" {
				add(ExistingPublicSubnet, "%s in %s of %s", subnets.Public, subnets.Zone, e.VPCID)
			}
		}
		for _, group := range c.SecurityGroups {
			add(ExistingSecurityGroup, "%s of %s", group, e.VPCID)
		}
		if e.PrivateZoneID != "" {
			add(ExistingPrivateZone, "%s %s of %s", e.PrivateZoneID, cluster.cluster().ZoneName(cluster.BaseDomainPrefix, cluster.BaseDomain), e.VPCID)
		}
		if e.LocalZoneID != "" {
			add(ExistingPrivateZone, "%s %s of %s", e.LocalZoneID, cluster.cluster().LocalZoneName(), e.VPCID)
		}
	}
	for _, zone := range slices.Sorted(maps.Keys(c.ElasticIPs)) {
		add(ExistingElasticIP, "%s", c.ElasticIPs[zone])
	}
	if c.Proxy != nil && c.Proxy.EndpointService != "" {
		add(ExistingEndpointService, "%s", c.Proxy.EndpointService)
	}
	if s := c.Shared; s != nil && s.PermissionsBoundary != "" && !strings.Contains(s.PermissionsBoundary, ":iam::aws:") {
		existing = append(existing, Existing{Kind: ExistingPolicy, Name: s.PermissionsBoundary})
	}
	return existing
}
