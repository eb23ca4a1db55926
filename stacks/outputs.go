package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func (e *clusterProgram) infra() pulumi.Map {
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
		"proxyCA":             pulumi.String(e.config.ProxyCA()),
		"vpcCreatorAccountID": pulumi.String(e.network.VPCOwnerAccountID),
		"clusterAccountID":    pulumi.String(e.network.ClusterAccountID),
	}
}

func (e *clusterProgram) iam() pulumi.Map {
	roles := pulumi.Map{}
	for _, name := range iam.ControlPlaneRoleNames() {
		roles[string(name)+"ARN"] = e.roles.ARN(name)
	}
	output := pulumi.Map{
		"region":             pulumi.String(e.region),
		"profileName":        e.workers.Name,
		"infraID":            pulumi.String(e.config.InfraID),
		"issuerURL":          e.oidc.IssuerURL,
		"roles":              roles,
		"kmsKeyARN":          pulumi.String(e.kmsKeyARN),
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

// export sets the stack's outputs: HyperShift's two documents, and every ID by itself.
func (e *clusterProgram) export(ctx *pulumi.Context) {
	for name, value := range map[string]pulumi.Input{
		"kind":  pulumi.String(config.KindCluster),
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
