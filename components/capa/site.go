package capa

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Site is the AWS side of a cluster, as its Kubernetes objects refer to it.
type Site struct {
	// Region is the cluster's region.
	Region string `json:"region"`
	// VPCID is the ID of the VPC, "vpc-…".
	VPCID string `json:"vpcID"`
	// VPCIPv6CIDR is the IPv6 CIDR of a VPC that is created with one, otherwise "".
	VPCIPv6CIDR string `json:"vpcIPv6CIDR"`
	// Zones are the zones of the machines, by slot.
	Zones []SiteZone `json:"zones"`
	// SecurityGroups are the groups by role; empty if CAPA creates them.
	SecurityGroups map[Role]string `json:"securityGroups"`
	// ControlPlaneProfile is the name of the control-plane machines' instance profile.
	ControlPlaneProfile string `json:"controlPlaneProfile"`
	// NodesProfile is the name of the nodes' instance profile.
	NodesProfile string `json:"nodesProfile"`
	// Images maps an instance type to the image of machines of that type, "ami-…".
	Images map[string]string `json:"images"`
}

// SiteZone is a zone of a Site.
type SiteZone struct {
	// Name is the zone's name, such as us-east-1a.
	Name string `json:"name"`
	// Given is the zone as Args have it: its name, or its ID. Default Name.
	Given string `json:"given"`
	// PublicSubnetID is its public subnet, "subnet-…"; "" if it has none.
	PublicSubnetID string `json:"publicSubnetID"`
	// PrivateSubnetID is its private subnet, "subnet-…"; "" if it has none.
	PrivateSubnetID string `json:"privateSubnetID"`
}

// zone returns the zone whose name or ID in args is given.
func (s *Site) zone(given string) (SiteZone, bool) {
	i := slices.IndexFunc(s.Zones, func(z SiteZone) bool { return z.Name == given || z.Given == given })
	if i < 0 {
		return SiteZone{}, false
	}
	return s.Zones[i], true
}

// SiteArgs are a Site whose values are outputs of other resources.
type SiteArgs struct {
	// Region is the cluster's region. Required.
	Region string `pulumi:"region" set:"the cluster's region"`
	// VPCID is the VPC, "vpc-…". Required.
	VPCID pulumi.StringInput `pulumi:"vpcID" placeholder:"vpc-*" set:"the ID of the cluster's VPC"`
	// VPCIPv6CIDR is the VPC's IPv6 CIDR. Required with network.ipv6.
	VPCIPv6CIDR pulumi.StringInput `pulumi:"vpcIPv6CIDR,optional" placeholder:"cidrIPv6"`
	// Zones are the zones of the machines, by slot. Required.
	Zones []SiteZoneArgs `pulumi:"zones" set:"the zones of the machines, with their subnets"`
	// SecurityGroups are the groups by role, "sg-…". Default: CAPA creates them.
	SecurityGroups map[Role]pulumi.StringInput `pulumi:"securityGroups,optional" placeholder:"sg-*"`
	// ControlPlaneProfile is the name of the control-plane machines' instance profile. Required.
	ControlPlaneProfile pulumi.StringInput `pulumi:"controlPlaneProfile" placeholder:"placeholder-*" set:"the name of an instance profile"`
	// NodesProfile is the name of the nodes' instance profile. Required.
	NodesProfile pulumi.StringInput `pulumi:"nodesProfile" placeholder:"placeholder-*" set:"the name of an instance profile"`
	// Images maps an instance type to the image of machines of that type, "ami-…". Required for every instance type of the
	// machines.
	Images map[string]pulumi.StringInput `pulumi:"images" placeholder:"ami-*"`
}

// SiteZoneArgs are the inputs of a SiteZone.
type SiteZoneArgs struct {
	// Name is the zone's name, such as us-east-1a. Required.
	Name string `pulumi:"name" set:"the zone's name, such as us-east-1a"`
	// Given is the zone as Args have it: its name, or its ID. Default Name.
	Given string `pulumi:"given,optional"`
	// PublicSubnetID is its public subnet, "subnet-…". Default: the zone has none.
	PublicSubnetID pulumi.StringInput `pulumi:"publicSubnetID,optional" placeholder:"subnet-*"`
	// PrivateSubnetID is its private subnet, "subnet-…". Default: the zone has none.
	PrivateSubnetID pulumi.StringInput `pulumi:"privateSubnetID,optional" placeholder:"subnet-*"`
}

// validate returns the faults of a site for the cluster that args describe.
func (a *SiteArgs) validate(args *Args) error {
	var faults fault.Faults
	faults.Join("", input.Required(a))
	if args.Network.IPv6 && a.VPCIPv6CIDR == nil {
		faults.Add("vpcIPv6CIDR", nil, "is missing, and network.ipv6 is true", "set the IPv6 CIDR of the cluster's VPC")
	}
	for i, zone := range a.Zones {
		if zone.PublicSubnetID == nil && zone.PrivateSubnetID == nil {
			faults.Add(fmt.Sprintf("zones[%d]", i), zone.Name, "has no subnet", "set publicSubnetID, privateSubnetID or both")
		}
	}
	if len(a.SecurityGroups) > 0 {
		for _, role := range Roles() {
			if a.SecurityGroups[role] == nil {
				faults.Add("securityGroups["+string(role)+"]", nil, "is missing",
					"set all four groups, or leave securityGroups out")
			}
		}
	}
	types := []string{cmp.Or(args.ControlPlane.InstanceType, DefaultInstanceType)}
	for _, pool := range args.WithDefaults().Workers {
		types = append(types, pool.InstanceType)
	}
	slices.Sort(types)
	for _, instanceType := range slices.Compact(types) {
		if a.Images[instanceType] == nil {
			faults.Add("images["+instanceType+"]", nil, "is missing", "set the image of the machines of this instance type")
		}
	}
	return faults.Err()
}

// Outputs returns the site as a stack output, in the form that ReadSite reads.
func (a SiteArgs) Outputs() pulumi.Map {
	zones, groups, images := pulumi.Array{}, pulumi.StringMap{}, pulumi.StringMap{}
	for _, zone := range a.Zones {
		z := pulumi.Map{"name": pulumi.String(zone.Name), "given": pulumi.String(zone.Given)}
		if zone.PublicSubnetID != nil {
			z["publicSubnetID"] = zone.PublicSubnetID
		}
		if zone.PrivateSubnetID != nil {
			z["privateSubnetID"] = zone.PrivateSubnetID
		}
		zones = append(zones, z)
	}
	for role, id := range a.SecurityGroups {
		groups[string(role)] = id
	}
	for instanceType, id := range a.Images {
		images[instanceType] = id
	}
	site := pulumi.Map{
		"region": pulumi.String(a.Region), "vpcID": a.VPCID, "zones": zones, "securityGroups": groups,
		"controlPlaneProfile": a.ControlPlaneProfile, "nodesProfile": a.NodesProfile, "images": images,
	}
	if a.VPCIPv6CIDR != nil {
		site["vpcIPv6CIDR"] = a.VPCIPv6CIDR
	}
	return site
}

// ReadSite reads a site from a stack's output.
func ReadSite(output any) (*Site, error) {
	text, err := json.Marshal(output)
	if err != nil {
		return nil, fmt.Errorf("reading the site of a cluster: %w", err)
	}
	site := &Site{}
	if err := json.Unmarshal(text, site); err != nil {
		return nil, fmt.Errorf("reading the site of a cluster: %w", err)
	}
	return site, nil
}
