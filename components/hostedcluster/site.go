package hostedcluster

import (
	"fmt"
	"net/netip"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Site is the AWS side of a hosted cluster: the network, DNS zones and roles of its control plane and nodes. It has the
// content of the two documents that `hypershift create infra aws` and `hypershift create iam aws` write.
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
	// Roles are the ARNs of the control plane's roles, by the role's name. Without the role of the KMS provider, etcd is
	// encrypted with a key in a Secret.
	Roles map[iam.RoleName]string
	// InstanceProfile is the name of the nodes' instance profile.
	InstanceProfile string
	// SecurityGroupIDs are additional security groups of the nodes, "sg-…".
	SecurityGroupIDs []string
	// KMSKeyARN is the key that encrypts etcd, used with the role of the KMS provider.
	KMSKeyARN string
	// ProxyAddress and HTTPSProxyAddress are URLs of the nodes' proxy, for HTTP and HTTPS. Without the second, the first
	// is used for both.
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

// SiteArgs are a Site whose values are outputs of other resources.
type SiteArgs struct {
	// VPCID is the ID of the nodes' VPC, "vpc-…". Required.
	VPCID pulumi.StringInput `yaml:"-" pulumi:"vpcID" placeholder:"vpc-*" set:"the ID of the nodes' VPC" object:"spec.platform.aws.cloudProviderConfig.vpc"`
	// PrivateZoneID is the ID of the private hosted zone, "Z…". Required.
	PrivateZoneID pulumi.StringInput `yaml:"-" pulumi:"privateZoneID" placeholder:"Z*" set:"the ID of the private hosted zone" object:"spec.dns.privateZoneID"`
	// IssuerURL is the URL of the OIDC issuer, "https://…". Required.
	IssuerURL pulumi.StringInput `yaml:"-" pulumi:"issuerURL" placeholder:"https://*.invalid" set:"the URL of the OIDC issuer" object:"spec.issuerURL"`
	// InstanceProfile is the name of the nodes' instance profile. Required.
	InstanceProfile pulumi.StringInput `yaml:"-" pulumi:"instanceProfile" placeholder:"placeholder-*" set:"the name of the nodes' instance profile" object:"spec.platform.aws.instanceProfile"`
	// MachineCIDRs are the CIDRs of all node subnets. Required.
	MachineCIDRs []pulumi.StringInput `yaml:"-" pulumi:"machineCIDRs" placeholder:"cidr" set:"the CIDRs of the node subnets, such as the VPC's" object:"spec.networking.machineNetwork"`
	// Zones are the zones of the nodes. Required.
	Zones []SiteZoneArgs `yaml:"-" pulumi:"zones" set:"the zones of the nodes, with their subnets" object:"spec.platform.aws.cloudProviderConfig.zone=[0].name,spec.platform.aws.cloudProviderConfig.subnet.id=[0].subnetID,spec.platform.aws.subnet.id,spec.platform.aws.subnet"`
	// PublicZoneID is the ID of the public hosted zone, "Z…"; nil with endpointAccess Private. Default none.
	PublicZoneID pulumi.StringInput `yaml:"-" pulumi:"publicZoneID,optional" placeholder:"Z*" object:"spec.dns.publicZoneID"`
	// Roles maps the names of the control plane's roles to their ARNs: the seven roles of every cluster, the KMS
	// provider's with KMSKeyARN, and Karpenter's with AutoNode. Required.
	Roles map[iam.RoleName]pulumi.StringInput `yaml:"-" pulumi:"roles" placeholder:"arn:aws:iam::000000000000:role/*" object:"spec.secretEncryption.kms.aws.auth.awsKms=[kmsProvider]"`
	// SecurityGroupIDs are the IDs of further security groups of the nodes, "sg-…". Default none.
	SecurityGroupIDs []pulumi.StringInput `yaml:"-" pulumi:"securityGroupIDs,optional" placeholder:"sg-*" object:"spec.platform.aws.securityGroups"`
	// KMSKeyARN is the ARN of the KMS key that encrypts etcd; it requires the role of the KMS provider. Default none: a
	// key in a Secret encrypts etcd.
	KMSKeyARN pulumi.StringInput `yaml:"-" pulumi:"kmsKeyARN,optional" placeholder:"arn:aws:kms:us-east-1:000000000000:key/*" object:"spec.secretEncryption.kms.aws.activeKey.arn"`
	// ProxyAddress is the URL of the nodes' proxy. Default none.
	ProxyAddress pulumi.StringInput `yaml:"-" pulumi:"proxyAddress,optional" placeholder:"http://*.invalid:3128" object:"spec.configuration.proxy"`
	// HTTPSProxyAddress is the URL of the nodes' proxy for HTTPS. Default: ProxyAddress.
	HTTPSProxyAddress pulumi.StringInput `yaml:"-" pulumi:"httpsProxyAddress,optional" placeholder:"https://*.invalid:3128" object:"spec.configuration.proxy.httpsProxy"`
	// InterruptionQueueURL is the URL of the SQS queue with the spot interruptions of the nodes, "https://sqs.…". Default
	// none.
	InterruptionQueueURL pulumi.StringInput `yaml:"-" pulumi:"interruptionQueueURL,optional" placeholder:"https://sqs.us-east-1.amazonaws.com/000000000000/*" object:"spec.platform.aws.terminationHandlerQueueURL"`
	// SharedVPC has the roles in the account of a shared VPC's owner. Default none.
	SharedVPC *SharedVPCArgs `yaml:"-" pulumi:"sharedVPC,optional" object:"spec.platform.aws.sharedVPC,spec.platform.aws.sharedVPC.rolesRef"`
}

// SiteZoneArgs are the inputs of a SiteZone.
type SiteZoneArgs struct {
	// Name is the zone's name. Required.
	Name string `yaml:"-" pulumi:"name" set:"the zone's name, such as us-east-1a"`
	// SubnetID is the subnet of its nodes. Required.
	SubnetID pulumi.StringInput `yaml:"-" pulumi:"subnetID" placeholder:"subnet-*" set:"the subnet of the zone's nodes"`
}

// SharedVPCArgs are what a HostedCluster in a shared VPC needs of the account of its owner.
type SharedVPCArgs struct {
	// IngressARN is the ARN of the role for DNS records, in the VPC owner's account. Required.
	IngressARN pulumi.StringInput `yaml:"-" pulumi:"ingressARN" placeholder:"arn:aws:iam::000000000000:role/*"`
	// ControlPlaneARN is the ARN of the role for the VPC endpoint, in the VPC owner's account. Required.
	ControlPlaneARN pulumi.StringInput `yaml:"-" pulumi:"controlPlaneARN" placeholder:"arn:aws:iam::000000000000:role/*"`
	// LocalZoneID is the ID of the hosted zone <name>.hypershift.local, "Z…". Required.
	LocalZoneID pulumi.StringInput `yaml:"-" pulumi:"localZoneID" placeholder:"Z*"`
}

// validate returns a fault for each value that is missing, and for each machine network that is not an IPv4 CIDR.
func (a *SiteArgs) validate() error {
	var faults fault.Faults
	faults.Join("", input.Required(a))
	for _, name := range iam.ControlPlaneRoleNames() {
		if !input.IsSet(a.Roles[name]) {
			faults.Add(fmt.Sprintf("roles[%s]", name), nil, "is missing", "set the ARN of the role")
		}
	}
	for i, cidr := range a.MachineCIDRs {
		faults.Join(fmt.Sprintf("machineCIDRs[%d]", i), input.IfPlain(cidr, validateMachineCIDR))
	}
	var all fault.Faults
	all.Join("site", faults.Err())
	return all.Err()
}

func validateMachineCIDR(cidr string) error {
	prefix, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil || !prefix.Addr().Is4():
		return &fault.Fault{
			Value:   cidr,
			Problem: "is not an IPv4 CIDR",
			Remedy:  "use an address and a length, such as 10.0.0.0/16",
		}
	case prefix.Masked() != prefix:
		return &fault.Fault{Value: cidr, Problem: "is not a network address", Remedy: "use " + prefix.Masked().String()}
	}
	return nil
}
