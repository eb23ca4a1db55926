package hostedcluster

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
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
	MachineCIDRs []string `yaml:"-" pulumi:"machineCIDRs"`
	// Zones are the zones of the nodes. Required.
	Zones []SiteZoneArgs `yaml:"-" pulumi:"zones"`
	// PublicZoneID is the ID of the public hosted zone, "Z…"; nil with endpointAccess Private. Default none.
	PublicZoneID pulumi.StringInput `yaml:"-" pulumi:"publicZoneID,optional"`
	// Roles maps the names of the control plane's roles to their ARNs: the seven roles of every cluster, the KMS
	// provider's with KMSKeyARN, and Karpenter's with AutoNode. Required.
	Roles map[iam.RoleName]pulumi.StringInput `yaml:"-" pulumi:"roles"`
	// SecurityGroupIDs are the IDs of further security groups of the nodes, "sg-…". Default none.
	SecurityGroupIDs []string `yaml:"-" pulumi:"securityGroupIDs,optional"`
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

// placeholders returns a site with a placeholder for every input that is not known yet, and the inputs by their placeholders. The objects
// are built and validated with it before AWS has created anything; then the inputs replace the placeholders.
func (a *SiteArgs) placeholders(s *Settings) (*Site, map[string]pulumi.StringInput) {
	inputs := map[string]pulumi.StringInput{}
	placeholder := func(value string, input pulumi.StringInput) string {
		if input == nil {
			return ""
		}
		if known, ok := input.(pulumi.String); ok {
			return string(known)
		}
		inputs[value] = input
		return value
	}
	in := location.Location{Partition: hypershift.Partition(s.Region), Region: s.Region, Account: "000000000000"}
	role := func(name string, input pulumi.StringInput) string {
		return placeholder(in.GlobalARN("iam", "role/"+name), input)
	}
	site := &Site{
		VPCID:             placeholder("vpc-00000000000000000", a.VPCID),
		MachineCIDRs:      a.MachineCIDRs,
		PublicZoneID:      placeholder("Z0PUBLIC", a.PublicZoneID),
		PrivateZoneID:     placeholder("Z0PRIVATE", a.PrivateZoneID),
		IssuerURL:         placeholder("https://issuer.invalid/"+s.Cluster.InfraID, a.IssuerURL),
		InstanceProfile:   placeholder("instance-profile-to-be", a.InstanceProfile),
		Roles:             map[iam.RoleName]string{},
		SecurityGroupIDs:  a.SecurityGroupIDs,
		KMSKeyARN:         placeholder(in.ARN("kms", "key/to-be"), a.KMSKeyARN),
		ProxyAddress:      placeholder("http://proxy.invalid:3128", a.ProxyAddress),
		HTTPSProxyAddress: placeholder("https://proxy.invalid:3129", a.HTTPSProxyAddress),
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
	return site, inputs
}

// withInputs returns a value of an object with the placeholders replaced by the inputs.
func withInputs(value any, inputs map[string]pulumi.StringInput) pulumi.Input {
	switch v := value.(type) {
	case map[string]any:
		out := pulumi.Map{}
		for key, inner := range v {
			out[key] = withInputs(inner, inputs)
		}
		return out
	case []any:
		out := pulumi.Array{}
		for _, inner := range v {
			out = append(out, withInputs(inner, inputs))
		}
		return out
	case string:
		if input, ok := inputs[v]; ok {
			return input
		}
		return pulumi.String(v)
	case bool:
		return pulumi.Bool(v)
	case int64:
		return pulumi.Int(v)
	case float64:
		return pulumi.Float64(v)
	}
	return pulumi.Any(value)
}
