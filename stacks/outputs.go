package stacks

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// InfraOutput is what `hypershift create infra aws` writes, and the stack output "infra". Source:
// CreateInfraOutput in HyperShift's cmd/infra/aws/create.go, whose keys and order these are.
type InfraOutput struct {
	Region      string `json:"region"`
	Zone        string `json:"zone"`
	InfraID     string `json:"infraID"`
	MachineCIDR string `json:"machineCIDR"`
	VPCID       string `json:"vpcID"`
	// Zones are the zones with the subnets of their nodes, in the order of their slots.
	Zones            []InfraOutputZone `json:"zones"`
	Name             string            `json:"Name"`
	BaseDomain       string            `json:"baseDomain"`
	BaseDomainPrefix string            `json:"baseDomainPrefix"`
	// The IDs of zones are bare, and "" for a zone that the mode does without.
	PublicZoneID       string `json:"publicZoneID"`
	PrivateZoneID      string `json:"privateZoneID"`
	LocalZoneID        string `json:"localZoneID"`
	ProxyAddr          string `json:"proxyAddr"`
	SecureProxyAddr    string `json:"secureProxyAddr"`
	ProxyPrivateSSHKey string `json:"proxyPrivateSSHKey"`
	PublicOnly         bool   `json:"publicOnly"`
	ProxyCA            string `json:"proxyCA"`
	// The accounts are "" unless the VPC is another account's.
	VPCCreatorAccountID string `json:"vpcCreatorAccountID"`
	ClusterAccountID    string `json:"clusterAccountID"`
}

// InfraOutputZone is a zone of InfraOutput.
type InfraOutputZone struct {
	Name     string `json:"name"`
	SubnetID string `json:"subnetID"`
}

// IAMOutput is what `hypershift create iam aws` writes, and the stack output "iam". Source:
// CreateIAMOutput in HyperShift's cmd/infra/aws/create_iam.go, whose keys and order these are.
type IAMOutput struct {
	Region             string         `json:"region"`
	ProfileName        string         `json:"profileName"`
	InfraID            string         `json:"infraID"`
	IssuerURL          string         `json:"issuerURL"`
	Roles              IAMOutputRoles `json:"roles"`
	KMSKeyARN          string         `json:"kmsKeyARN"`
	KMSProviderRoleARN string         `json:"kmsProviderRoleARN"`
	// The roles of a shared VPC's owner, and Karpenter's, are left out where the cluster has none.
	SharedIngressRoleARN      string `json:"sharedIngressRoleARN,omitempty"`
	SharedControlPlaneRoleARN string `json:"sharedControlPlaneRoleARN,omitempty"`
	KarpenterRoleARN          string `json:"karpenterRoleARN,omitempty"`
}

// IAMOutputRoles is AWSRolesRef of HyperShift's API.
type IAMOutputRoles struct {
	IngressARN              string `json:"ingressARN"`
	ImageRegistryARN        string `json:"imageRegistryARN"`
	StorageARN              string `json:"storageARN"`
	NetworkARN              string `json:"networkARN"`
	KubeCloudControllerARN  string `json:"kubeCloudControllerARN"`
	NodePoolManagementARN   string `json:"nodePoolManagementARN"`
	ControlPlaneOperatorARN string `json:"controlPlaneOperatorARN"`
}

func (e *estate) infra() pulumi.Map {
	zones := pulumi.Array{}
	for _, name := range e.network.Zones {
		zones = append(zones, pulumi.Map{
			"name":     pulumi.String(name),
			"subnetID": e.network.NodeSubnetIDs.MapIndex(pulumi.String(name)),
		})
	}
	none := pulumi.String("")
	return pulumi.Map{
		"region":              pulumi.String(e.region),
		"zone":                pulumi.String(e.network.Zones[0]),
		"infraID":             pulumi.String(e.config.InfraID),
		"machineCIDR":         e.network.MachineCIDR,
		"vpcID":               e.network.VPCID,
		"zones":               zones,
		"Name":                pulumi.String(e.config.Name),
		"baseDomain":          pulumi.String(e.config.BaseDomain),
		"baseDomainPrefix":    pulumi.String(e.config.BaseDomainPrefix),
		"publicZoneID":        e.network.PublicZone.ID,
		"privateZoneID":       e.network.PrivateZone.ID,
		"localZoneID":         e.network.LocalZone.ID,
		"proxyAddr":           e.network.ProxyAddress,
		"secureProxyAddr":     e.network.SecureProxyAddress,
		"proxyPrivateSSHKey":  none,
		"publicOnly":          pulumi.Bool(e.config.Network.PublicOnly),
		"proxyCA":             pulumi.String(e.config.Network.proxyCA()),
		"vpcCreatorAccountID": pulumi.String(e.network.VPCOwnerAccountID),
		"clusterAccountID":    pulumi.String(e.network.ClusterAccountID),
	}
}

func (e *estate) iam() pulumi.Map {
	output := pulumi.Map{
		"region":      pulumi.String(e.region),
		"profileName": e.workers.Name,
		"infraID":     pulumi.String(e.config.InfraID),
		"issuerURL":   e.oidc.IssuerURL,
		"roles": pulumi.Map{
			"ingressARN":              e.roles.IngressARN,
			"imageRegistryARN":        e.roles.ImageRegistryARN,
			"storageARN":              e.roles.StorageARN,
			"networkARN":              e.roles.NetworkARN,
			"kubeCloudControllerARN":  e.roles.KubeCloudControllerARN,
			"nodePoolManagementARN":   e.roles.NodePoolManagementARN,
			"controlPlaneOperatorARN": e.roles.ControlPlaneOperatorARN,
		},
		"kmsKeyARN":          pulumi.String(e.config.KMSKeyARN),
		"kmsProviderRoleARN": e.roles.KMSProviderARN,
	}
	if e.config.IAM.Karpenter {
		output["karpenterRoleARN"] = e.roles.KarpenterARN
	}
	if e.sharedRoles != nil {
		output["sharedIngressRoleARN"] = e.sharedRoles.Route53ARN
		output["sharedControlPlaneRoleARN"] = e.sharedRoles.EndpointARN
	}
	return output
}

// export makes the stack's outputs: HyperShift's two documents, and every ID by itself.
func (e *estate) export(ctx *pulumi.Context) {
	for name, value := range map[string]pulumi.Input{
		"kind":  pulumi.String(KindCluster),
		"infra": e.infra(),
		"iam":   e.iam(),

		"management":             pulumi.String(e.config.Management),
		"managementAccountID":    pulumi.String(e.management.AccountID),
		"externalDNSDomain":      pulumi.String(e.management.ZoneDomain),
		"infraID":                pulumi.String(e.config.InfraID),
		"region":                 pulumi.String(e.region),
		"vpcID":                  e.network.VPCID,
		"machineCIDR":            e.network.MachineCIDR,
		"machineCIDRs":           e.network.MachineCIDRs,
		"dhcpOptionsID":          e.network.DHCPOptionsID,
		"defaultSecurityGroupID": e.network.DefaultSecurityGroupID,
		"internetGatewayID":      e.network.InternetGatewayID,
		"privateSubnetIDs":       e.network.PrivateSubnetIDs,
		"publicSubnetIDs":        e.network.PublicSubnetIDs,
		"egressSubnetIDs":        e.network.EgressSubnetIDs,
		"natGatewayIDs":          e.network.NATGatewayIDs,
		"natAddresses":           e.network.NATAddresses,
		"privateRouteTableIDs":   e.network.PrivateRouteTableIDs,
		"publicRouteTableID":     e.network.PublicRouteTableID,
		"s3EndpointID":           e.network.S3EndpointID,
		"interfaceEndpointIDs":   e.network.InterfaceEndpointIDs,
		"secondaryCIDR":          e.network.SecondaryCIDR,
		"secondarySubnetIDs":     e.network.SecondarySubnetIDs,
		"nodeSecurityGroupIDs":   e.network.NodeSecurityGroupIDs,
		"flowLogID":              e.network.FlowLogID,
		"flowLogDestination":     e.network.FlowLogDestination,
		"bastionInstanceID":      e.network.BastionInstanceID,
		"bastionAddress":         e.network.BastionAddress,
		"privateZoneID":          e.network.PrivateZone.ID,
		"localZoneID":            e.network.LocalZone.ID,
		"publicZoneID":           e.network.PublicZone.ID,
		"issuerURL":              e.oidc.IssuerURL,
		"oidcProviderARN":        e.oidc.ARN,
		"workerInstanceProfile":  e.workers.Name,
		"workerRoleARN":          e.workers.RoleARN,
		"kmsProviderRoleARN":     e.roles.KMSProviderARN,
		"karpenterRoleARN":       e.roles.KarpenterARN,
		"spotRoleARN":            e.roles.SpotServiceLinkedRoleARN,
	} {
		ctx.Export(name, value)
	}
	if e.hostedCluster != nil {
		ctx.Export("etcdEncryptionKey", e.hostedCluster.EtcdEncryptionKey)
	}
	if e.privateLink != nil {
		for name, value := range e.privateLink.outputs() {
			ctx.Export(name, value)
		}
	}
}
