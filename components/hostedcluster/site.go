package hostedcluster

import "github.com/hypershift-aws/hypershift-aws/components/iam"

// Site is what AWS has for a hosted cluster: what its control plane and nodes are told of their network, names and
// roles. All of it is in the two documents that `hypershift create infra aws` and `hypershift create iam aws` write.
type Site struct {
	// VPCID is "vpc-…".
	VPCID string
	// MachineCIDRs are the networks of the nodes.
	MachineCIDRs []string
	// Zones are the zones for nodes with their subnets. The first is told to the cloud provider too.
	Zones []SiteZone
	// PublicZoneID and PrivateZoneID are hosted zones, "Z…"; a Private cluster has no public one.
	PublicZoneID, PrivateZoneID string
	// IssuerURL issues the tokens of the cluster's service accounts.
	IssuerURL string
	// Roles are the ARNs of the control plane's roles, by the role's name. Without one for the KMS provider, a key in a
	// Secret encrypts etcd.
	Roles map[iam.RoleName]string
	// InstanceProfile is the name of the nodes' instance profile.
	InstanceProfile string
	// SecurityGroupIDs are those of the nodes beside HyperShift's own, "sg-…".
	SecurityGroupIDs []string
	// KMSKeyARN encrypts etcd, with the role of the KMS provider.
	KMSKeyARN string
	// ProxyAddress and HTTPSProxyAddress are URLs of the nodes' proxy, for HTTP and HTTPS. Without the second the first
	// is for both.
	ProxyAddress, HTTPSProxyAddress string
	// SharedVPC has the roles in the account of a VPC's owner.
	SharedVPC *SharedVPC
}

// SiteZone is a zone with the subnet of its nodes.
type SiteZone struct {
	// Name is the zone's, "us-east-1a"; SubnetID is "subnet-…".
	Name, SubnetID string
}

// SharedVPC is how a cluster reaches into the account of its VPC's owner.
type SharedVPC struct {
	// IngressARN and ControlPlaneARN are roles there.
	IngressARN, ControlPlaneARN string
	// LocalZoneID is the zone of the names on PrivateLink, "Z…".
	LocalZoneID string
}
