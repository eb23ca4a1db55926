package capa

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/input"
)

// Site is the AWS side of a cluster, as its Kubernetes objects refer to it.
type Site struct {
	// Region is the cluster's region.
	Region string `json:"region"`
	// VPCID is the ID of the VPC, "vpc-…".
	VPCID string `json:"vpcID"`
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
	Region string `pulumi:"region"`
	// VPCID is the VPC, "vpc-…". Required.
	VPCID pulumi.StringInput `pulumi:"vpcID"`
	// Zones are the zones of the machines, by slot. Required.
	Zones []SiteZoneArgs `pulumi:"zones"`
	// SecurityGroups are the groups by role, "sg-…". Default: CAPA creates them.
	SecurityGroups map[Role]pulumi.StringInput `pulumi:"securityGroups,optional"`
	// ControlPlaneProfile is the name of the control-plane machines' instance profile. Required.
	ControlPlaneProfile pulumi.StringInput `pulumi:"controlPlaneProfile"`
	// NodesProfile is the name of the nodes' instance profile. Required.
	NodesProfile pulumi.StringInput `pulumi:"nodesProfile"`
	// Images maps an instance type to the image of machines of that type, "ami-…". Required for every instance type of the
	// machines.
	Images map[string]pulumi.StringInput `pulumi:"images"`
}

// SiteZoneArgs are the inputs of a SiteZone.
type SiteZoneArgs struct {
	// Name is the zone's name, such as us-east-1a. Required.
	Name string `pulumi:"name"`
	// Given is the zone as Args have it: its name, or its ID. Default Name.
	Given string `pulumi:"given,optional"`
	// PublicSubnetID is its public subnet, "subnet-…". Default: the zone has none.
	PublicSubnetID pulumi.StringInput `pulumi:"publicSubnetID,optional"`
	// PrivateSubnetID is its private subnet, "subnet-…". Default: the zone has none.
	PrivateSubnetID pulumi.StringInput `pulumi:"privateSubnetID,optional"`
}

// validate returns the faults of a site for the cluster that args describe.
func (a *SiteArgs) validate(args *Args) error {
	var faults fault.Faults
	if a.Region == "" {
		faults.Add("region", nil, "is missing", "set the cluster's region")
	}
	for _, required := range []struct {
		path, what string
		value      pulumi.StringInput
	}{
		{"vpcID", "the ID of the cluster's VPC", a.VPCID},
		{"controlPlaneProfile", "the name of an instance profile", a.ControlPlaneProfile},
		{"nodesProfile", "the name of an instance profile", a.NodesProfile},
	} {
		if required.value == nil {
			faults.Add(required.path, nil, "is missing", "set "+required.what)
		}
	}
	if len(a.Zones) == 0 {
		faults.Add("zones", nil, "is missing", "set the zones of the machines, with their subnets")
	}
	for i, zone := range a.Zones {
		if zone.Name == "" {
			faults.Add(fmt.Sprintf("zones[%d].name", i), nil, "is missing", "set the zone's name, such as us-east-1a")
		}
		if zone.PublicSubnetID == nil && zone.PrivateSubnetID == nil {
			faults.Add(fmt.Sprintf("zones[%d]", i), zone.Name, "has no subnet", "set publicSubnetID, privateSubnetID or both")
		}
	}
	if len(a.SecurityGroups) > 0 {
		for _, role := range Roles() {
			if a.SecurityGroups[role] == nil {
				faults.Add("securityGroups["+string(role)+"]", nil, "is missing", "set all four groups, or leave securityGroups out")
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

// placeholders returns a site with plausible values, and the inputs that they replace. The objects are built and checked with it before AWS
// has created anything; then the inputs replace their placeholders.
func (a *SiteArgs) placeholders() (*Site, input.Placeholders) {
	in := input.Placeholders{}
	site := &Site{
		Region: a.Region, VPCID: in.For("vpc-00000000000000000", a.VPCID), SecurityGroups: map[Role]string{}, Images: map[string]string{},
		ControlPlaneProfile: in.For("control-plane-profile", a.ControlPlaneProfile),
		NodesProfile:        in.For("nodes-profile", a.NodesProfile),
	}
	for i, zone := range a.Zones {
		site.Zones = append(site.Zones, SiteZone{
			Name: zone.Name, Given: cmp.Or(zone.Given, zone.Name),
			PublicSubnetID:  in.For(fmt.Sprintf("subnet-%017x", 2*i), zone.PublicSubnetID),
			PrivateSubnetID: in.For(fmt.Sprintf("subnet-%017x", 2*i+1), zone.PrivateSubnetID),
		})
	}
	for i, role := range Roles() {
		if id := in.For(fmt.Sprintf("sg-%017x", i), a.SecurityGroups[role]); id != "" {
			site.SecurityGroups[role] = id
		}
	}
	for instanceType, image := range a.Images {
		site.Images[instanceType] = in.For("ami-of-"+instanceType, image)
	}
	return site, in
}

// withPlaceholders returns a copy of args with a placeholder for every output in the objects.
func (args *Args) withPlaceholders(in input.Placeholders) *Args {
	known, replace := *args, in.Replace
	volume := func(pool string, given *RootVolume) *RootVolume {
		if given == nil {
			return nil
		}
		v := *given
		replace("encryption-key-of-"+pool, &v.EncryptionKey)
		return &v
	}
	replace("key-pair-to-be", &known.SSHKeyName)
	replace("arn:aws:iam::000000000000:role/identity-to-be", &known.Identity.RoleARN)
	replace("secret-to-be", &known.Identity.SecretRef)
	known.CertSANs = slices.Clone(args.CertSANs)
	for i := range known.CertSANs {
		replace(fmt.Sprintf("san-%d.invalid", i), &known.CertSANs[i])
	}
	known.ControlPlane.RootVolume = volume(PartControlPlane, args.ControlPlane.RootVolume)
	known.Workers = slices.Clone(args.Workers)
	for i := range known.Workers {
		known.Workers[i].RootVolume = volume(known.Workers[i].Name, known.Workers[i].RootVolume)
	}
	return &known
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
	return pulumi.Map{
		"region": pulumi.String(a.Region), "vpcID": a.VPCID, "zones": zones, "securityGroups": groups,
		"controlPlaneProfile": a.ControlPlaneProfile, "nodesProfile": a.NodesProfile, "images": images,
	}
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
