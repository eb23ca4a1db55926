// Package documents defines the files that HyperShift's CLI reads and writes for a hosted cluster: its infra and IAM
// documents, the operator's roles, and the rendered manifests. The outputs infra and iam of a stack have the form of
// the first two.
package documents

import (
	"maps"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// Infra is the document that `hypershift create infra aws` writes, and the stack output "infra". Source:
// CreateInfraOutput in HyperShift's cmd/infra/aws/create.go, whose keys and order these are.
type Infra struct {
	// Region is the region of the cluster.
	Region string `json:"region"`
	// Zone is the first of the zones.
	Zone string `json:"zone"`
	// InfraID is the ID in the names and tags of the cluster's resources.
	InfraID string `json:"infraID"`
	// MachineCIDR is the IPv4 CIDR of the VPC.
	MachineCIDR string `json:"machineCIDR"`
	// VPCID is the ID of the VPC, "vpc-…".
	VPCID string `json:"vpcID"`
	// Zones are the zones with the subnets of their nodes, in the order of their slots.
	Zones []InfraZone `json:"zones"`
	// Name is the name of the cluster, below BaseDomain and BaseDomainPrefix.
	Name             string `json:"Name"`
	BaseDomain       string `json:"baseDomain"`
	BaseDomainPrefix string `json:"baseDomainPrefix"`
	// The IDs of hosted zones have no prefix, and are "" if the endpointAccess does not need the zone.
	PublicZoneID  string `json:"publicZoneID"`
	PrivateZoneID string `json:"privateZoneID"`
	LocalZoneID   string `json:"localZoneID"`
	// ProxyAddr is the URL of a proxy, and the three others its certificates and key; HyperShift's CLI alone
	// creates one.
	ProxyAddr          string `json:"proxyAddr"`
	SecureProxyAddr    string `json:"secureProxyAddr"`
	ProxyPrivateSSHKey string `json:"proxyPrivateSSHKey"`
	// PublicOnly is true if the nodes are in public subnets.
	PublicOnly bool   `json:"publicOnly"`
	ProxyCA    string `json:"proxyCA"`
	// The accounts are "" unless the VPC belongs to another account.
	VPCCreatorAccountID string `json:"vpcCreatorAccountID"`
	ClusterAccountID    string `json:"clusterAccountID"`
}

// InfraZone is a zone of Infra.
type InfraZone struct {
	// Name is the zone's name, "us-east-1a".
	Name string `json:"name"`
	// SubnetID is the ID of the subnet of its nodes.
	SubnetID string `json:"subnetID"`
}

// IAM is what `hypershift create iam aws` writes, and the stack output "iam". Keys and their order are those of
// CreateIAMOutput in HyperShift's cmd/infra/aws/create_iam.go.
type IAM struct {
	// Region is the region of the cluster.
	Region string `json:"region"`
	// ProfileName is the name of the nodes' instance profile.
	ProfileName string `json:"profileName"`
	// InfraID is that of Infra.
	InfraID string `json:"infraID"`
	// IssuerURL is the URL of the OIDC issuer, "https://…".
	IssuerURL string `json:"issuerURL"`
	// Roles are the roles of the cluster's operators.
	Roles IAMRoles `json:"roles"`
	// KMSKeyARN is the ARN of the key that encrypts etcd, and KMSProviderRoleARN that of the role that uses it; ""
	// without one.
	KMSKeyARN          string `json:"kmsKeyARN"`
	KMSProviderRoleARN string `json:"kmsProviderRoleARN"`
	// The roles of a shared VPC's owner, and Karpenter's role, are omitted if the cluster has none.
	SharedIngressRoleARN      string `json:"sharedIngressRoleARN,omitempty"`
	SharedControlPlaneRoleARN string `json:"sharedControlPlaneRoleARN,omitempty"`
	KarpenterRoleARN          string `json:"karpenterRoleARN,omitempty"`
}

// IAMRoles is AWSRolesRef of HyperShift's API.
type IAMRoles struct {
	// IngressARN and all others are the ARNs of IAM roles.
	IngressARN              string `json:"ingressARN"`
	ImageRegistryARN        string `json:"imageRegistryARN"`
	StorageARN              string `json:"storageARN"`
	NetworkARN              string `json:"networkARN"`
	KubeCloudControllerARN  string `json:"kubeCloudControllerARN"`
	NodePoolManagementARN   string `json:"nodePoolManagementARN"`
	ControlPlaneOperatorARN string `json:"controlPlaneOperatorARN"`
}

// RoleARNs returns the ARNs of the document's roles by the role's name, without those that the cluster does not have.
func (d IAM) RoleARNs() map[iam.RoleName]string {
	arns := map[iam.RoleName]string{
		iam.RoleIngress:              d.Roles.IngressARN,
		iam.RoleImageRegistry:        d.Roles.ImageRegistryARN,
		iam.RoleStorage:              d.Roles.StorageARN,
		iam.RoleNetwork:              d.Roles.NetworkARN,
		iam.RoleKubeCloudController:  d.Roles.KubeCloudControllerARN,
		iam.RoleNodePoolManagement:   d.Roles.NodePoolManagementARN,
		iam.RoleControlPlaneOperator: d.Roles.ControlPlaneOperatorARN,
		iam.RoleKMSProvider:          d.KMSProviderRoleARN,
		iam.RoleKarpenter:            d.KarpenterRoleARN,
	}
	maps.DeleteFunc(arns, func(_ iam.RoleName, arn string) bool { return arn == "" })
	return arns
}

// OperatorRoles is what `hypershift install --aws-operator-roles-file` reads, and the stack output "operatorRoles".
// Keys and their order are those of CreateOperatorRolesOutput in HyperShift's cmd/infra/aws/create_operator_roles.go.
type OperatorRoles struct {
	// OperatorEC2RoleARN is the ARN of the role for endpoint services.
	OperatorEC2RoleARN string `json:"operatorEC2RoleARN"`
	// OperatorOIDCS3RoleARN is the ARN of the role that writes the issuers' documents.
	OperatorOIDCS3RoleARN string `json:"operatorOIDCS3RoleARN"`
	// ExternalDNSRoleARN is "" without a zone.
	ExternalDNSRoleARN string `json:"externalDNSRoleARN"`
}

// Search identifies the cluster that an adoption searches for, with its known properties.
type Search struct {
	// InfraID and Region are the cluster's. Required.
	InfraID, Region string
	// EndpointAccess is the cluster's mode, "" if it is derived from the account: HyperShift's CLI creates the same
	// resources for each.
	EndpointAccess hypershift.EndpointAccess
	// Name is the cluster's name, "" if it is derived from the account.
	Name string
	// Infra and IAM are the documents of HyperShift's CLI, nil without.
	Infra *Infra
	IAM   *IAM
	// Management is the name of a management stack, IssuerBaseURL and KMSKeyARN are its outputs.
	Management, IssuerBaseURL, KMSKeyARN string
	// KeepDefaultGroup is true if a default security group with rules is not changed.
	KeepDefaultGroup bool
}
