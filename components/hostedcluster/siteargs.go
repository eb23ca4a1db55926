package hostedcluster

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/input"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// SiteArgs are a Site whose values are outputs of other resources.
type SiteArgs struct {
	// VPCID is the ID of the nodes' VPC, "vpc-…". Required.
	VPCID pulumi.StringInput `yaml:"-" pulumi:"vpcID"`
	// PrivateZoneID is the ID of the private hosted zone, "Z…". Required.
	PrivateZoneID pulumi.StringInput `yaml:"-" pulumi:"privateZoneID"`
	// IssuerURL is the URL of the OIDC issuer, "https://…". Required.
	IssuerURL pulumi.StringInput `yaml:"-" pulumi:"issuerURL"`
	// InstanceProfile is the name of the nodes' instance profile. Required.
	InstanceProfile pulumi.StringInput `yaml:"-" pulumi:"instanceProfile"`
	// MachineCIDRs are the CIDRs of all node subnets. Required.
	MachineCIDRs []pulumi.StringInput `yaml:"-" pulumi:"machineCIDRs"`
	// Zones are the zones of the nodes. Required.
	Zones []SiteZoneArgs `yaml:"-" pulumi:"zones"`
	// PublicZoneID is the ID of the public hosted zone, "Z…"; nil with endpointAccess Private. Default none.
	PublicZoneID pulumi.StringInput `yaml:"-" pulumi:"publicZoneID,optional"`
	// Roles maps the names of the control plane's roles to their ARNs: the seven roles of every cluster, the KMS
	// provider's with KMSKeyARN, and Karpenter's with AutoNode. Required.
	Roles map[iam.RoleName]pulumi.StringInput `yaml:"-" pulumi:"roles"`
	// SecurityGroupIDs are the IDs of further security groups of the nodes, "sg-…". Default none.
	SecurityGroupIDs []pulumi.StringInput `yaml:"-" pulumi:"securityGroupIDs,optional"`
	// KMSKeyARN is the ARN of the KMS key that encrypts etcd; it requires the role of the KMS provider. Default none: a
	// key in a Secret encrypts etcd.
	KMSKeyARN pulumi.StringInput `yaml:"-" pulumi:"kmsKeyARN,optional"`
	// ProxyAddress is the URL of the nodes' proxy. Default none.
	ProxyAddress pulumi.StringInput `yaml:"-" pulumi:"proxyAddress,optional"`
	// HTTPSProxyAddress is the URL of the nodes' proxy for HTTPS. Default: ProxyAddress.
	HTTPSProxyAddress pulumi.StringInput `yaml:"-" pulumi:"httpsProxyAddress,optional"`
	// SharedVPC has the roles in the account of a shared VPC's owner. Default none.
	SharedVPC *SharedVPCArgs `yaml:"-" pulumi:"sharedVPC,optional"`
}

// SiteZoneArgs are the inputs of a SiteZone.
type SiteZoneArgs struct {
	// Name is the zone's name. Required.
	Name string `yaml:"-" pulumi:"name"`
	// SubnetID is the subnet of its nodes. Required.
	SubnetID pulumi.StringInput `yaml:"-" pulumi:"subnetID"`
}

// SharedVPCArgs are the inputs of a SharedVPC.
type SharedVPCArgs struct {
	// IngressARN is the ARN of the role for DNS records, in the VPC owner's account. Required.
	IngressARN pulumi.StringInput `yaml:"-" pulumi:"ingressARN"`
	// ControlPlaneARN is the ARN of the role for the VPC endpoint, in the VPC owner's account. Required.
	ControlPlaneARN pulumi.StringInput `yaml:"-" pulumi:"controlPlaneARN"`
	// LocalZoneID is the ID of the hosted zone <name>.hypershift.local, "Z…". Required.
	LocalZoneID pulumi.StringInput `yaml:"-" pulumi:"localZoneID"`
}

// validate returns a fault for each value that is missing, and for each machine network that is no IPv4 CIDR.
func (a *SiteArgs) validate() error {
	var faults fault.Faults
	for _, required := range []struct {
		path, what string
		value      pulumi.StringInput
	}{
		{"vpcID", "the ID of the nodes' VPC", a.VPCID},
		{"privateZoneID", "the ID of the private hosted zone", a.PrivateZoneID},
		{"issuerURL", "the URL of the OIDC issuer", a.IssuerURL},
		{"instanceProfile", "the name of the nodes' instance profile", a.InstanceProfile},
	} {
		if !input.IsSet(required.value) {
			faults.Add(required.path, nil, "is missing", "set "+required.what)
		}
	}
	for _, name := range iam.ControlPlaneRoleNames() {
		if !input.IsSet(a.Roles[name]) {
			faults.Add(fmt.Sprintf("roles[%s]", name), nil, "is missing", "set the ARN of the role")
		}
	}
	if len(a.MachineCIDRs) == 0 {
		faults.Add("machineCIDRs", nil, "are missing", "set the CIDRs of the node subnets, such as the VPC's")
	}
	for i, cidr := range a.MachineCIDRs {
		faults.Join(fmt.Sprintf("machineCIDRs[%d]", i), input.IfPlain(cidr, validateMachineCIDR))
	}
	if len(a.Zones) == 0 {
		faults.Add("zones", nil, "are missing", "set the zones of the nodes, with their subnets")
	}
	for i, zone := range a.Zones {
		if zone.Name == "" {
			faults.Add(fmt.Sprintf("zones[%d].name", i), nil, "is missing", "set the zone's name, such as us-east-1a")
		}
		if !input.IsSet(zone.SubnetID) {
			faults.Add(fmt.Sprintf("zones[%d].subnetID", i), nil, "is missing", "set the subnet of the zone's nodes")
		}
	}
	var all fault.Faults
	all.Join("site", faults.Err())
	return all.Err()
}

func validateMachineCIDR(cidr string) error {
	prefix, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil || !prefix.Addr().Is4():
		return &fault.Fault{Value: cidr, Problem: "is not an IPv4 CIDR", Remedy: "use an address and a length, such as 10.0.0.0/16"}
	case prefix.Masked() != prefix:
		return &fault.Fault{Value: cidr, Problem: "is not a network address", Remedy: "use " + prefix.Masked().String()}
	}
	return nil
}

// where returns the cluster's location in placeholders.
func (s *Settings) where() location.Location {
	return location.Location{Partition: hypershift.Partition(s.Region), Region: s.Region, Account: "000000000000"}
}

// placeholders returns a site with a placeholder for every output.
func (a *SiteArgs) placeholders(s *Settings, o input.Placeholders) *Site {
	in, placeholder := s.where(), o.For
	role := func(name string, arn pulumi.StringInput) string {
		return placeholder(in.GlobalARN("iam", "role/"+name), arn)
	}
	site := &Site{
		VPCID:             placeholder("vpc-00000000000000000", a.VPCID),
		PublicZoneID:      placeholder("Z0PUBLIC", a.PublicZoneID),
		PrivateZoneID:     placeholder("Z0PRIVATE", a.PrivateZoneID),
		IssuerURL:         placeholder("https://issuer.invalid/"+s.Cluster.InfraID, a.IssuerURL),
		InstanceProfile:   placeholder("instance-profile-to-be", a.InstanceProfile),
		Roles:             map[iam.RoleName]string{},
		KMSKeyARN:         placeholder(in.ARN("kms", "key/to-be"), a.KMSKeyARN),
		ProxyAddress:      placeholder("http://proxy.invalid:3128", a.ProxyAddress),
		HTTPSProxyAddress: placeholder("https://proxy.invalid:3129", a.HTTPSProxyAddress),
	}
	for i, cidr := range a.MachineCIDRs {
		// Networks for benchmarks, which no cluster has. Source: RFC 2544.
		site.MachineCIDRs = append(site.MachineCIDRs, placeholder(fmt.Sprintf("198.18.%d.0/24", i), cidr))
	}
	for i, id := range a.SecurityGroupIDs {
		site.SecurityGroupIDs = append(site.SecurityGroupIDs, placeholder(fmt.Sprintf("sg-%017d", i), id))
	}
	for name, arn := range a.Roles {
		site.Roles[name] = role(string(name), arn)
	}
	for i, zone := range a.Zones {
		site.Zones = append(site.Zones, SiteZone{Name: zone.Name, SubnetID: placeholder(fmt.Sprintf("subnet-%017d", i), zone.SubnetID)})
	}
	if shared := a.SharedVPC; shared != nil {
		site.SharedVPC = &SharedVPC{
			IngressARN:      role("shared-ingress", shared.IngressARN),
			ControlPlaneARN: role("shared-control-plane", shared.ControlPlaneARN),
			LocalZoneID:     placeholder("Z0LOCAL", shared.LocalZoneID),
		}
	}
	return site
}

// withPlaceholders returns a copy of the settings with a placeholder for every output.
func (s *Settings) withPlaceholders(o input.Placeholders) *Settings {
	in, known, replace := s.where(), *s, o.Replace
	known.AdditionalAllowedPrincipals = slices.Clone(s.AdditionalAllowedPrincipals)
	for i := range known.AdditionalAllowedPrincipals {
		replace(in.GlobalARN("iam", fmt.Sprintf("role/principal-%d", i)), &known.AdditionalAllowedPrincipals[i])
	}
	known.NodePools = slices.Clone(s.NodePools)
	for i := range known.NodePools {
		pool := &known.NodePools[i]
		if pool.RootVolume != nil {
			volume := *pool.RootVolume
			replace(in.ARN("kms", fmt.Sprintf("key/volume-%d", i)), &volume.KMSKeyARN)
			pool.RootVolume = &volume
		}
		if pool.CapacityReservation != nil {
			reservation := *pool.CapacityReservation
			replace(fmt.Sprintf("cr-%017d", i), &reservation.ID)
			pool.CapacityReservation = &reservation
		}
	}
	return &known
}
