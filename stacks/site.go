package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// siteValues are what the estate's components give a HostedCluster, whether its config has a use for it or not.
type siteValues struct {
	zones, machineCIDRs                                                                          []string
	subnetIDs                                                                                    pulumi.StringMapOutput
	vpcID, publicZoneID, privateZoneID, localZoneID                                              pulumi.StringOutput
	issuerURL, instanceProfile, kmsProviderRoleARN, karpenterRoleARN                             pulumi.StringOutput
	ingress, imageRegistry, storage, network, cloudController, nodePool, controlPlaneOperatorARN pulumi.StringOutput
	proxyAddress, secureProxyAddress, sharedIngressARN, sharedControlPlaneARN                    pulumi.StringOutput
}

// standIns are values of which nothing is known but the zones and the nodes' networks.
func standIns(zones, machineCIDRs []string) siteValues {
	some := pulumi.String("to be").ToStringOutput()
	return siteValues{
		zones: zones, machineCIDRs: machineCIDRs, subnetIDs: pulumi.StringMap{}.ToStringMapOutput(),
		vpcID: some, publicZoneID: some, privateZoneID: some, localZoneID: some,
		issuerURL: some, instanceProfile: some, kmsProviderRoleARN: some, karpenterRoleARN: some,
		ingress: some, imageRegistry: some, storage: some, network: some, cloudController: some, nodePool: some,
		controlPlaneOperatorARN: some,
		proxyAddress:            some, secureProxyAddress: some, sharedIngressARN: some, sharedControlPlaneARN: some,
	}
}

func (e *estate) siteValues() siteValues {
	v := siteValues{
		zones: e.network.Zones, subnetIDs: e.network.NodeSubnetIDs,
		vpcID: e.network.VPCID, machineCIDRs: e.network.NodeCIDRs,
		publicZoneID: e.network.PublicZone.ID, privateZoneID: e.network.PrivateZone.ID, localZoneID: e.network.LocalZone.ID,
		issuerURL: e.oidc.IssuerURL, instanceProfile: e.workers.Name,
		kmsProviderRoleARN: e.roles.KMSProviderARN, karpenterRoleARN: e.roles.KarpenterARN,
		ingress: e.roles.IngressARN, imageRegistry: e.roles.ImageRegistryARN, storage: e.roles.StorageARN,
		network: e.roles.NetworkARN, cloudController: e.roles.KubeCloudControllerARN, nodePool: e.roles.NodePoolManagementARN,
		controlPlaneOperatorARN: e.roles.ControlPlaneOperatorARN,
		proxyAddress:            e.network.ProxyAddress, secureProxyAddress: e.network.SecureProxyAddress,
	}
	if e.sharedRoles != nil {
		v.sharedIngressARN, v.sharedControlPlaneARN = e.sharedRoles.Route53ARN, e.sharedRoles.EndpointARN
	}
	return v
}

// siteArgs picks from the values those that the config has a use for.
func (c *ClusterConfig) siteArgs(v siteValues) hostedcluster.SiteArgs {
	args := hostedcluster.SiteArgs{
		VPCID: v.vpcID, MachineCIDRs: v.machineCIDRs, PrivateZoneID: v.privateZoneID, IssuerURL: v.issuerURL, InstanceProfile: v.instanceProfile,
		Roles: hostedcluster.RolesArgs{
			Ingress: v.ingress, ImageRegistry: v.imageRegistry, Storage: v.storage, Network: v.network,
			KubeCloudController: v.cloudController, NodePoolManagement: v.nodePool, ControlPlaneOperator: v.controlPlaneOperatorARN,
		},
		SecurityGroupIDs: c.Network.SecurityGroups,
	}
	for _, zone := range v.zones {
		args.Zones = append(args.Zones, hostedcluster.SiteZoneArgs{Name: zone, SubnetID: v.subnetIDs.MapIndex(pulumi.String(zone))})
	}
	if c.EndpointAccess.HasPublic() {
		args.PublicZoneID = v.publicZoneID
	}
	if c.KMSKeyARN != "" && c.KMSKeyARN != NoKMSKey {
		args.KMSKeyARN, args.KMSProviderRoleARN = pulumi.String(c.KMSKeyARN), v.kmsProviderRoleARN
	}
	if c.IAM.Karpenter {
		args.KarpenterRoleARN = v.karpenterRoleARN
	}
	if proxy := c.Network.Proxy; proxy != nil {
		args.ProxyAddress = v.proxyAddress
		if proxy.HTTPSAddress != "" {
			args.SecureProxyAddress = v.secureProxyAddress
		}
	}
	if c.Network.Shared != nil {
		args.SharedVPC = &hostedcluster.SharedVPCArgs{
			IngressARN: v.sharedIngressARN, ControlPlaneARN: v.sharedControlPlaneARN, LocalZoneID: v.localZoneID,
		}
	}
	return args
}
