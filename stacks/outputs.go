package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
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
		ZoneOutputs:         e.zoneOutputs(e.network),
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
	if e.apiServerRoute {
		o.APIServerRoute = pulumi.Bool(true)
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
		o.EndpointID, o.EndpointSecurityGroupID, o.EndpointDNSName = p.endpoint.ID, p.endpoint.SecurityGroupID,
			p.endpoint.DNSName
		o.EndpointOwner = pulumi.String(e.config.PrivateLinkOwner())
		if p.service != nil {
			o.EndpointServiceName = p.service.ServiceName
		}
		if len(p.consumers) > 0 {
			o.ConsumerEndpointIDs = p.consumers
		}
	}
	return o
}

// ZoneOutputs are the IDs of a cluster's hosted zones.
type ZoneOutputs struct {
	// PrivateZoneID is the ID of the private hosted zone, "Z…".
	PrivateZoneID pulumi.StringInput `pulumi:"privateZoneID"`
	// LocalZoneID is the ID of the zone <name>.hypershift.local; "" with endpointAccess Public.
	LocalZoneID pulumi.StringInput `pulumi:"localZoneID"`
	// PublicZoneID is the ID of the base domain's public zone; "" with endpointAccess Private.
	PublicZoneID pulumi.StringInput `pulumi:"publicZoneID"`
	// PublicZoneNameServers are the name servers of the base domain's public zone; left out unless the stack creates it.
	PublicZoneNameServers pulumi.StringArrayInput `pulumi:"publicZoneNameServers,optional"`
	// PublicZoneDelegation describes which NS records are missing, and where; "" if none are. It is left out unless the
	// stack creates the public zone.
	PublicZoneDelegation pulumi.StringInput `pulumi:"publicZoneDelegation,optional"`
}

// zoneOutputs returns the IDs of the zones of a network.
func (e *clusterProgram) zoneOutputs(n *network.GuestNetwork) ZoneOutputs {
	o := ZoneOutputs{PrivateZoneID: n.PrivateZone.ID, LocalZoneID: n.LocalZone.ID, PublicZoneID: n.PublicZone.ID}
	if e.config.Network.PublicZone != nil {
		o.PublicZoneNameServers, o.PublicZoneDelegation = n.PublicZoneNameServers, n.PublicZoneDelegation
	}
	return o
}

// IdentityOutputs are the issuer of a cluster's tokens, its nodes' instance profile, and the roles that are in no
// document of HyperShift's.
type IdentityOutputs struct {
	// IssuerURL is the issuer of the cluster's tokens, "https://…".
	IssuerURL pulumi.StringInput `pulumi:"issuerURL"`
	// OIDCProviderARN is the ARN of the OIDC provider.
	OIDCProviderARN pulumi.StringInput `pulumi:"oidcProviderARN"`
	// WorkerInstanceProfile is the name of the nodes' instance profile.
	WorkerInstanceProfile pulumi.StringInput `pulumi:"workerInstanceProfile"`
	// WorkerRoleARN is the ARN of the nodes' role.
	WorkerRoleARN pulumi.StringInput `pulumi:"workerRoleARN"`
	// SpotRoleARN is the ARN of the service-linked role for spot instances; "" without it.
	SpotRoleARN pulumi.StringInput `pulumi:"spotRoleARN"`
	// WorkloadRoleARNs maps "<namespace>/<service account>" to the ARN of its role; left out without iam.workloadRoles.
	WorkloadRoleARNs pulumi.StringMapInput `pulumi:"workloadRoleARNs,optional"`
}

// identityOutputs returns the outputs of the issuer, the nodes' profile and the roles of a cluster with the options.
func identityOutputs(
	oidc *iam.OIDCProvider,
	workers *iam.WorkerProfile,
	roles *iam.RoleSet,
	options iam.RoleOptions,
) IdentityOutputs {
	o := IdentityOutputs{
		IssuerURL: oidc.IssuerURL, OIDCProviderARN: oidc.ARN, WorkerInstanceProfile: workers.Name,
		WorkerRoleARN: workers.RoleARN,
		SpotRoleARN:   roles.SpotServiceLinkedRoleARN,
	}
	if len(options.WorkloadRoles) > 0 {
		o.WorkloadRoleARNs = roles.WorkloadRoleARNs
	}
	return o
}

// ClusterOutputs are the outputs of a stack of kind cluster, and of the component Cluster.
type ClusterOutputs struct {
	network.GuestOutputs
	ZoneOutputs
	IdentityOutputs
	// Kind is "cluster".
	Kind pulumi.StringInput `pulumi:"kind"`
	// Infra is the document that `hypershift create infra aws` writes.
	Infra pulumi.MapInput `pulumi:"infra"`
	// IAM is the document that `hypershift create iam aws` writes.
	IAM pulumi.MapInput `pulumi:"iam"`
	// Management is the name of the management stack; "" without one.
	Management pulumi.StringInput `pulumi:"management"`
	// NetworkStack is the name of the stack with the cluster's network; left out without one.
	NetworkStack pulumi.StringInput `pulumi:"networkStack,optional"`
	// IAMStack is the name of the stack with the cluster's roles; left out without one.
	IAMStack pulumi.StringInput `pulumi:"iamStack,optional"`
	// ManagementAccountID is the account of the management stack, 12 digits; "" without one.
	ManagementAccountID pulumi.StringInput `pulumi:"managementAccountID"`
	// ExternalDNSDomain is the domain of the management stack's public zone; "" without one.
	ExternalDNSDomain pulumi.StringInput `pulumi:"externalDNSDomain"`
	// APIServerRoute is true if the API server is behind the private router without a host name, which the first
	// update decided; otherwise it is left out.
	APIServerRoute pulumi.BoolInput `pulumi:"apiServerRoute,optional"`
	// InfraID is the cluster's infra ID.
	InfraID pulumi.StringInput `pulumi:"infraID"`
	// Region is where the cluster is.
	Region pulumi.StringInput `pulumi:"region"`
	// KMSProviderRoleARN is the ARN of the role for the encryption of etcd; "" without a KMS key.
	KMSProviderRoleARN pulumi.StringInput `pulumi:"kmsProviderRoleARN"`
	// KarpenterRoleARN is the ARN of Karpenter's role; "" without it.
	KarpenterRoleARN pulumi.StringInput `pulumi:"karpenterRoleARN"`
	// InterruptionQueueURL is the URL of the queue of spot interruptions; left out without interruptionQueue.
	InterruptionQueueURL pulumi.StringInput `pulumi:"interruptionQueueURL,optional"`
	// EtcdEncryptionKey is the key in base64 that encrypts Secrets in etcd, a secret; "" where a KMS key does. It is left
	// out without hostedCluster.
	EtcdEncryptionKey pulumi.StringInput `pulumi:"etcdEncryptionKey,optional"`
	// SigningKeyID is the ID that tokens have for the cluster's own signing key, which is not secret. It is left out
	// without oidc.signingKey.
	SigningKeyID pulumi.StringInput `pulumi:"signingKeyID,optional"`
	// Stages are the changes that the next update continues, in words. They are left out if there are none.
	Stages pulumi.StringArrayInput `pulumi:"stages,optional"`
	// EndpointID is the ID of the PrivateLink endpoint, "vpce-…". This and the next four are left out without privateLink.
	EndpointID pulumi.StringInput `pulumi:"endpointID,optional"`
	// EndpointSecurityGroupID is the ID of the endpoint's security group, "sg-…".
	EndpointSecurityGroupID pulumi.StringInput `pulumi:"endpointSecurityGroupID,optional"`
	// EndpointDNSName is AWS's DNS name of the endpoint.
	EndpointDNSName pulumi.StringInput `pulumi:"endpointDNSName,optional"`
	// EndpointServiceName is the name of the endpoint service, "com.amazonaws.vpce.<region>.vpce-svc-…".
	EndpointServiceName pulumi.StringInput `pulumi:"endpointServiceName,optional"`
	// EndpointOwner is who creates and deletes the endpoint, "stack" or "operator".
	EndpointOwner pulumi.StringInput `pulumi:"endpointOwner,optional"`
	// ConsumerEndpointIDs maps the name of a consumer in privateLink to the ID of its endpoint, "vpce-…"; left out without
	// consumers.
	ConsumerEndpointIDs pulumi.StringMapInput `pulumi:"consumerEndpointIDs,optional"`
}

// NetworkOutputs are the outputs of a stack of kind network.
type NetworkOutputs struct {
	network.GuestOutputs
	ZoneOutputs
	// Kind is "network".
	Kind pulumi.StringInput `pulumi:"kind"`
	// Name and InfraID are those of the cluster.
	Name    pulumi.StringInput `pulumi:"name"`
	InfraID pulumi.StringInput `pulumi:"infraID"`
	// BaseDomain, BaseDomainPrefix and EndpointAccess are the keys of the section; the prefix is "" if the file has none.
	BaseDomain       pulumi.StringInput `pulumi:"baseDomain"`
	BaseDomainPrefix pulumi.StringInput `pulumi:"baseDomainPrefix"`
	EndpointAccess   pulumi.StringInput `pulumi:"endpointAccess"`
	// AccountID is the account of the network, 12 digits, and Region is where it is.
	AccountID pulumi.StringInput `pulumi:"accountID"`
	Region    pulumi.StringInput `pulumi:"region"`
	// ClusterAccountID is the account that the VPC is shared with, "" if it is not shared. ZonesInCluster is true if the
	// private zones are in that account.
	ClusterAccountID pulumi.StringInput `pulumi:"clusterAccountID"`
	ZonesInCluster   pulumi.BoolInput   `pulumi:"zonesInCluster"`
	// OwnersPermissionsBoundary is network.shared.permissionsBoundary, "" for none.
	OwnersPermissionsBoundary pulumi.StringInput `pulumi:"ownersPermissionsBoundary"`
	// PublicOnly is true if nodes are in public subnets.
	PublicOnly pulumi.BoolInput `pulumi:"publicOnly"`
	// Zones are the names of the zones for nodes, in the order of their slots.
	Zones pulumi.StringArrayInput `pulumi:"zones"`
	// Clusters are the infra IDs of further clusters that use the network; left out without any.
	Clusters pulumi.StringArrayInput `pulumi:"clusters,optional"`
}

// IAMOutputs are the outputs of a stack of kind iam.
type IAMOutputs struct {
	IdentityOutputs
	// Kind is "iam".
	Kind pulumi.StringInput `pulumi:"kind"`
	// Name and InfraID are those of the cluster.
	Name    pulumi.StringInput `pulumi:"name"`
	InfraID pulumi.StringInput `pulumi:"infraID"`
	// AccountID is the account of the roles, 12 digits, and Region is the cluster's.
	AccountID pulumi.StringInput `pulumi:"accountID"`
	Region    pulumi.StringInput `pulumi:"region"`
	// NetworkStack is the name of the stack with the cluster's network.
	NetworkStack pulumi.StringInput `pulumi:"networkStack"`
	// RoleARNs maps the keys of HyperShift's IAM document, such as ingressARN, to the roles; "" for one that the cluster
	// does not have.
	RoleARNs pulumi.StringMapInput `pulumi:"roleARNs"`
	// SharedVPCRoleARNs are the roles route53 and endpoint that operators assume in the account of a shared VPC; empty if
	// the VPC is not shared.
	SharedVPCRoleARNs pulumi.StringMapInput `pulumi:"sharedVPCRoleARNs"`
	// KMSKeyARN is the ARN of the key that encrypts etcd; "" without one.
	KMSKeyARN pulumi.StringInput `pulumi:"kmsKeyARN"`
}

// NodePoolsOutputs are the outputs of a stack of kind nodePools.
type NodePoolsOutputs struct {
	// Kind is "nodePools".
	Kind pulumi.StringInput `pulumi:"kind"`
	// Name and Namespace are the HostedCluster's, and Region is its region.
	Name      pulumi.StringInput `pulumi:"name"`
	Namespace pulumi.StringInput `pulumi:"namespace"`
	Region    pulumi.StringInput `pulumi:"region"`
	// NodePools are the names of the stack's node pools.
	NodePools pulumi.StringArrayInput `pulumi:"nodePools"`
	// HostedCluster has the values that the pools took from the HostedCluster: infraID, release, zone, subnetID, and
	// vpcID.
	HostedCluster pulumi.StringMapInput `pulumi:"hostedCluster"`
	// Stages are the changes that the next update continues, in words. They are left out if there are none.
	Stages pulumi.StringArrayInput `pulumi:"stages,optional"`
}

// ManagementOutputs are the outputs of a stack of kind management, and of the component Management.
type ManagementOutputs struct {
	// Kind is "management".
	Kind pulumi.StringInput `pulumi:"kind"`
	// AccountID is the management account, 12 digits.
	AccountID pulumi.StringInput `pulumi:"accountID"`
	// Region is where the bucket, the key and the queue are.
	Region pulumi.StringInput `pulumi:"region"`
	// BucketName is the name of the OIDC bucket.
	BucketName pulumi.StringInput `pulumi:"bucketName"`
	// IssuerBaseURL precedes "/<infraID>" in a hosted cluster's issuer.
	IssuerBaseURL pulumi.StringInput `pulumi:"issuerBaseURL"`
	// DistributionDomain is the CloudFront distribution's domain; "" without one.
	DistributionDomain pulumi.StringInput `pulumi:"distributionDomain"`
	// ZoneID is the ID of the public zone, "Z…"; "" without one.
	ZoneID pulumi.StringInput `pulumi:"zoneID"`
	// ZoneDomain is the domain of the public zone; "" without one.
	ZoneDomain pulumi.StringInput `pulumi:"zoneDomain"`
	// ZoneNameServers are the name servers of the public zone.
	ZoneNameServers pulumi.StringArrayInput `pulumi:"zoneNameServers"`
	// ZoneDelegation describes which NS records are missing, and where; "" if none are.
	ZoneDelegation pulumi.StringInput `pulumi:"zoneDelegation"`
	// OperatorRoles are the ARNs of the operator's roles, by HyperShift's keys; empty with access keys.
	OperatorRoles pulumi.MapInput `pulumi:"operatorRoles"`
	// OperatorCredentials maps a Secret of the operator's namespace to its AWS credentials file; a secret.
	OperatorCredentials pulumi.StringMapInput `pulumi:"operatorCredentials"`
	// InstallArgs is the command line that installs HyperShift's operator, one argument each.
	InstallArgs pulumi.StringArrayInput `pulumi:"installArgs"`
	// RegistryBucketName is the name of the registry bucket; "" without one.
	RegistryBucketName pulumi.StringInput `pulumi:"registryBucketName"`
	// EtcdKeyARN is the ARN of the key for etcd; "" without one.
	EtcdKeyARN pulumi.StringInput `pulumi:"etcdKeyARN"`
	// EtcdKeyAccounts are the other accounts that may use the key.
	EtcdKeyAccounts pulumi.StringArrayInput `pulumi:"etcdKeyAccounts"`
	// BackupBucketName is the name of the bucket for backups; "" without one.
	BackupBucketName pulumi.StringInput `pulumi:"backupBucketName"`
	// BackupRoles are the ARNs of the roles that write backups; empty without a bucket for them.
	BackupRoles pulumi.MapInput `pulumi:"backupRoles"`
	// InterruptionQueueURL is the URL of the queue for spot interruptions; "" without one.
	InterruptionQueueURL pulumi.StringInput `pulumi:"interruptionQueueURL"`
}

// CAPAOutputs are the outputs of a stack of kind capa, and of the component CAPA.
type CAPAOutputs struct {
	network.Outputs
	capa.ProfileOutputs
	// Kind is "capa".
	Kind pulumi.StringInput `pulumi:"kind"`
	// Name is the name of the Cluster.
	Name pulumi.StringInput `pulumi:"name"`
	// Region is where the cluster is.
	Region pulumi.StringInput `pulumi:"region"`
	// Site contains the values of the infrastructure that the cluster's objects refer to.
	Site pulumi.MapInput `pulumi:"site"`
	// VPCCIDRs are the VPC's IPv4 CIDRs.
	VPCCIDRs pulumi.StringArrayInput `pulumi:"vpcCIDRs"`
	// BastionGroupID is the bastion's security group, "sg-…"; "" without one.
	BastionGroupID pulumi.StringInput `pulumi:"bastionGroupID"`
	// LoadBalancerName is the name of the API server's load balancer, which CAPA creates.
	LoadBalancerName pulumi.StringInput `pulumi:"loadBalancerName"`
}
