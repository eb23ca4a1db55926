package hostedcluster

import "github.com/hypershift-aws/hypershift-aws/components/iam"

// Site is the AWS side of a hosted cluster: the network, DNS zones and roles of its control plane and nodes. It has the content of the two
// documents that `hypershift create infra aws` and `hypershift create iam aws` write.
type Site struct {
	// VPCID is the ID of the nodes' VPC, "vpc-…".
	VPCID string
	// MachineCIDRs are the CIDRs of the nodes.
	MachineCIDRs []string
	// Zones are the zones of the nodes with their subnets. The first is also used by the cloud provider.
	Zones []SiteZone
	// PublicZoneID and PrivateZoneID are the IDs of hosted zones, "Z…"; a Private cluster has no public one.
	PublicZoneID, PrivateZoneID string
	// IssuerURL is the issuer of the tokens of the cluster's service accounts.
	IssuerURL string
	// Roles are the ARNs of the control plane's roles, by the role's name. Without the role of the KMS provider, etcd is encrypted with a
	// key in a Secret.
	Roles map[iam.RoleName]string
	// InstanceProfile is the name of the nodes' instance profile.
	InstanceProfile string
	// SecurityGroupIDs are additional security groups of the nodes, "sg-…".
	SecurityGroupIDs []string
	// KMSKeyARN is the key that encrypts etcd, used with the role of the KMS provider.
	KMSKeyARN string
	// ProxyAddress and HTTPSProxyAddress are URLs of the nodes' proxy, for HTTP and HTTPS. Without the second, the first is used for both.
	ProxyAddress, HTTPSProxyAddress string
	// InterruptionQueueURL is the queue with the spot interruptions of the nodes, "https://sqs.…".
	InterruptionQueueURL string
	// SharedVPC has the roles in the account of the VPC's owner.
	SharedVPC *SharedVPC
}

// SiteZone is a zone with the subnet of its nodes.
type SiteZone struct {
	// Name is the zone's name, "us-east-1a"; SubnetID is its node subnet, "subnet-…".
	Name, SubnetID string
}

// SharedVPC has the cluster's access to the account of its VPC's owner.
type SharedVPC struct {
	// IngressARN and ControlPlaneARN are roles in that account.
	IngressARN, ControlPlaneARN string
	// LocalZoneID is the zone of the names for PrivateLink, "Z…".
	LocalZoneID string
}
