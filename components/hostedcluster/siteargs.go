package hostedcluster

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// SiteArgs are a Site whose values other resources give. What there is, is decided by which of them are given.
type SiteArgs struct {
	// VPCID, PrivateZoneID, IssuerURL and InstanceProfile are a Site's. Required.
	VPCID, PrivateZoneID, IssuerURL, InstanceProfile pulumi.StringInput
	// MachineCIDRs are the networks of the nodes, all that the VPC has addresses for them of. Required.
	MachineCIDRs []string
	// Zones are the zones for nodes. Required.
	Zones []SiteZoneArgs
	// PublicZoneID is nil for a Private cluster.
	PublicZoneID pulumi.StringInput
	// Roles are a Site's. Required.
	Roles RolesArgs
	// SecurityGroupIDs are the nodes' own. Default none.
	SecurityGroupIDs []string
	// KMSKeyARN and KMSProviderRoleARN encrypt etcd. Default: a key in a Secret does.
	KMSKeyARN, KMSProviderRoleARN pulumi.StringInput
	// KarpenterRoleARN is for AutoNode. Default none.
	KarpenterRoleARN pulumi.StringInput
	// ProxyAddress and SecureProxyAddress are the nodes' proxy. Default none.
	ProxyAddress, SecureProxyAddress pulumi.StringInput
	// SharedVPC is for a VPC of another account. Default none.
	SharedVPC *SharedVPCArgs
}

// SiteZoneArgs are a SiteZone.
type SiteZoneArgs struct {
	Name     string
	SubnetID pulumi.StringInput
}

// RolesArgs are Roles.
type RolesArgs struct {
	Ingress, ImageRegistry, Storage, Network, KubeCloudController, NodePoolManagement, ControlPlaneOperator pulumi.StringInput
}

// SharedVPCArgs are a SharedVPC.
type SharedVPCArgs struct{ IngressARN, ControlPlaneARN, LocalZoneID pulumi.StringInput }

// standIns is a site of values that could be AWS's, and the inputs that each of them stands for. With it the objects are
// built, and judged, before AWS has made anything; the inputs then take the places of their values.
func (a *SiteArgs) standIns(s *Settings) (*Site, map[string]pulumi.StringInput) {
	inputs := map[string]pulumi.StringInput{}
	stand := func(value string, input pulumi.StringInput) string {
		if input == nil {
			return ""
		}
		if known, ok := input.(pulumi.String); ok {
			return string(known)
		}
		inputs[value] = input
		return value
	}
	partition := hypershift.Partition(s.Region)
	role := func(name string, input pulumi.StringInput) string {
		return stand(fmt.Sprintf("arn:%s:iam::000000000000:role/%s", partition, name), input)
	}
	site := &Site{
		VPCID:           stand("vpc-00000000000000000", a.VPCID),
		MachineCIDRs:    a.MachineCIDRs,
		PublicZoneID:    stand("Z0PUBLIC", a.PublicZoneID),
		PrivateZoneID:   stand("Z0PRIVATE", a.PrivateZoneID),
		IssuerURL:       stand("https://issuer.invalid/"+s.Cluster.InfraID, a.IssuerURL),
		InstanceProfile: stand("instance-profile-to-be", a.InstanceProfile),
		Roles: Roles{
			Ingress:              role("ingress", a.Roles.Ingress),
			ImageRegistry:        role("image-registry", a.Roles.ImageRegistry),
			Storage:              role("storage", a.Roles.Storage),
			Network:              role("network", a.Roles.Network),
			KubeCloudController:  role("kube-cloud-controller", a.Roles.KubeCloudController),
			NodePoolManagement:   role("node-pool-management", a.Roles.NodePoolManagement),
			ControlPlaneOperator: role("control-plane-operator", a.Roles.ControlPlaneOperator),
		},
		SecurityGroupIDs:   a.SecurityGroupIDs,
		KMSKeyARN:          stand(fmt.Sprintf("arn:%s:kms:%s:000000000000:key/to-be", partition, s.Region), a.KMSKeyARN),
		KMSProviderRoleARN: role("kms-provider", a.KMSProviderRoleARN),
		KarpenterRoleARN:   role("karpenter", a.KarpenterRoleARN),
		ProxyAddress:       stand("http://proxy.invalid:3128", a.ProxyAddress),
		SecureProxyAddress: stand("https://proxy.invalid:3129", a.SecureProxyAddress),
	}
	for i, zone := range a.Zones {
		site.Zones = append(site.Zones, SiteZone{Name: zone.Name, SubnetID: stand(fmt.Sprintf("subnet-%017d", i), zone.SubnetID)})
	}
	if shared := a.SharedVPC; shared != nil {
		site.SharedVPC = &SharedVPC{
			IngressARN:      role("shared-ingress", shared.IngressARN),
			ControlPlaneARN: role("shared-control-plane", shared.ControlPlaneARN),
			LocalZoneID:     stand("Z0LOCAL", shared.LocalZoneID),
		}
	}
	return site, inputs
}

// withInputs is a value of an object with the inputs in the places of what stood in for them.
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
		if input, stands := inputs[v]; stands {
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
