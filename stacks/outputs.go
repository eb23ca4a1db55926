package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func (e *clusterProgram) infra() pulumi.Map {
	zones := pulumi.Array{}
	for _, name := range e.network.Zones {
		zones = append(zones, pulumi.Map{
			"name":     pulumi.String(name),
			"subnetID": e.network.NodeSubnetID(name),
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
		"proxyCA":             input.Output(e.config.ProxyCA()),
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
		"kmsKeyARN":          input.Output(e.kmsKeyARN),
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

// outputs returns the stack's outputs: HyperShift's two documents, and every ID by itself.
func (e *clusterProgram) outputs() *ClusterOutputs {
	o := &ClusterOutputs{
		GuestOutputs:        e.network.GuestOutputs,
		ZoneOutputs:         zoneOutputs(e.network),
		IdentityOutputs:     identityOutputs(e.oidc, e.workers, e.roles, e.config.IAM),
		Kind:                pulumi.String(config.KindCluster),
		Infra:               e.infra(),
		IAM:                 e.iam(),
		Management:          pulumi.String(e.config.Management),
		ManagementAccountID: pulumi.String(e.management.AccountID),
		ExternalDNSDomain:   pulumi.String(e.management.ZoneDomain),
		InfraID:             pulumi.String(e.config.InfraID),
		Region:              pulumi.String(e.region),
		KMSProviderRoleARN:  e.roles.KMSProviderARN,
		KarpenterRoleARN:    e.roles.KarpenterARN,
	}
	if e.config.NetworkStack != "" {
		o.NetworkStack = pulumi.String(e.config.NetworkStack)
	}
	if e.config.IAMStack != "" {
		o.IAMStack = pulumi.String(e.config.IAMStack)
	}
	if e.queue != nil {
		o.InterruptionQueueURL = e.queue.URL
	}
	if e.documents != nil {
		o.SigningKeyID = e.documents.KeyID
	}
	if e.hostedCluster != nil {
		o.EtcdEncryptionKey = e.hostedCluster.EtcdEncryptionKey
		if len(e.hostedCluster.Stages) > 0 {
			o.Stages = pulumi.ToStringArray(e.hostedCluster.Stages)
		}
	}
	if p := e.privateLink; p != nil {
		o.EndpointID, o.EndpointSecurityGroupID, o.EndpointDNSName = p.endpoint.ID, p.endpoint.SecurityGroupID, p.endpoint.DNSName
		o.EndpointOwner = pulumi.String(e.config.PrivateLinkOwner())
		if p.service != nil {
			o.EndpointServiceName = p.service.ServiceName
		}
	}
	return o
}
