package config

import (
	"crypto/sha256"
	"encoding/base32"
	"maps"
	"reflect"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Cluster is hypershift-aws:cluster: the AWS resources of one hosted cluster.
type Cluster struct {
	hypershift.Cluster `yaml:",inline"`
	// BaseDomain is the domain of the cluster's DNS names. Its public hosted zone must be in the cluster's account unless
	// endpointAccess is Private or network.publicZone creates it. Required. Changing it replaces the hosted zones and
	// their records.
	BaseDomain string `yaml:"baseDomain" pulumi:"baseDomain"`
	// BaseDomainPrefix is the label before baseDomain in the name of the private hosted zone, or "none" for no prefix.
	// Default: the cluster's name. Changing it replaces the private hosted zone.
	BaseDomainPrefix string `yaml:"baseDomainPrefix" pulumi:"baseDomainPrefix,optional"`
	// EndpointAccess is where the control plane can be reached from: the internet (Public), the internet and, for nodes,
	// PrivateLink (PublicAndPrivate), or PrivateLink only (Private). Default Public. Changing it replaces nothing.
	EndpointAccess hypershift.EndpointAccess `yaml:"endpointAccess" pulumi:"endpointAccess,optional"`
	// Network is the network of the nodes. Default: a new VPC in the region's first availability zone.
	Network network.GuestNetworkArgs `yaml:"network" pulumi:"network,optional"`
	// OIDC is the OIDC issuer of the cluster's service account tokens. Required unless management is set.
	OIDC OIDC `yaml:"oidc" pulumi:"oidc,optional"`
	// KMSKeyARN is the ARN of a symmetric KMS key in the stack's region that encrypts etcd, or "none". Another key
	// replaces it in stages; a change from or to "none" is refused. Default: the key that the management stack has at the
	// cluster's first up, if it has one then.
	KMSKeyARN pulumi.StringInput `yaml:"kmsKeyARN" pulumi:"kmsKeyARN,optional"`
	// IAM configures the cluster's IAM roles and the nodes' instance profile. Default: HyperShift's names and policies.
	IAM iam.RoleOptions `yaml:"iam" pulumi:"iam,optional"`
	// Management is the name of a stack of kind management. The cluster uses that stack's OIDC issuer, KMS key, and hosted
	// zone for external-dns, unless this section sets them. The first up decides: what the stack gets later isn't used.
	// Default none.
	Management string `yaml:"management" pulumi:"management,optional"`
	// NetworkStack is the name of a stack of kind network, whose network and hosted zones the cluster uses, in place of
	// network. Default none.
	NetworkStack string `yaml:"networkStack" pulumi:"networkStack,optional"`
	// IAMStack is the name of a stack of kind iam, whose issuer, roles and instance profile the cluster uses, in place of
	// oidc and iam. It needs networkStack. Default none.
	IAMStack string `yaml:"iamStack" pulumi:"iamStack,optional"`
	// Accounts are the AWS accounts other than the stack's own. Default none.
	Accounts Accounts `yaml:"accounts" pulumi:"accounts,optional"`
	// PrivateLink determines who creates the endpoint service and the endpoint of a private control plane. Default:
	// HyperShift's operators create them, and the stack does not check them.
	PrivateLink *PrivateLink `yaml:"privateLink" pulumi:"privateLink,optional"`
	// APIAccess limits who may connect to the control plane over the internet. Default: everybody.
	APIAccess hostedcluster.APIAccess `yaml:"apiAccess" pulumi:"apiAccess,optional"`
	// InterruptionQueue creates an SQS queue with EC2's warnings that a spot instance is about to be reclaimed,
	// <infraID>-interruptions, in the account of the nodes. The HostedCluster gets its URL, so that nodes are drained in
	// the remaining two minutes. The roles for node pools and for Karpenter may read from no other queue. Setting it for
	// an existing cluster rolls out its control plane again. Default false.
	InterruptionQueue bool `yaml:"interruptionQueue" pulumi:"interruptionQueue,optional"`
	// HostedCluster describes the HostedCluster and its NodePools, objects in the management cluster. Default: none are
	// created.
	HostedCluster *HostedCluster `yaml:"hostedCluster" pulumi:"hostedCluster,optional"`
	// Unprotected turns off every protection in the stack's state, so that `pulumi destroy` deletes everything, even what
	// a running cluster depends on. hostedCluster.unprotected means the same. Default false.
	Unprotected bool `yaml:"unprotected" pulumi:"unprotected,optional"`

	// givenInfraID is the infra ID as the file has it; ownNetwork, ownIssuer and ownIAM are true if the file has these
	// sections.
	givenInfraID                  string
	ownNetwork, ownIssuer, ownIAM bool
	// updated is true if the stack has had an update, which decided apiServerRoute.
	updated, apiServerRoute bool
}

var _ Section = (*Cluster)(nil)

// NoKMSKey is the kmsKeyARN for no key, even if the management stack has one.
const NoKMSKey = "none"

// Resolve implements Section.
func (c *Cluster) Resolve(from Source) {
	c.givenInfraID, c.ownIssuer = c.InfraID, input.IsSet(c.OIDC.IssuerURL)
	ofNetwork := c.Network
	ofNetwork.Proxy = nil // it is for the cluster's objects
	c.ownNetwork, c.ownIAM = !reflect.ValueOf(ofNetwork).IsZero(), !reflect.ValueOf(c.IAM).IsZero()
	if !input.IsSet(c.OIDC.BucketName) && !input.IsSet(c.OIDC.IssuerURL) && from.IssuerURL != "" {
		c.OIDC.IssuerURL = pulumi.String(from.IssuerURL)
	}
	if c.HostedCluster != nil {
		c.Unprotected = c.Unprotected || c.HostedCluster.Unprotected
		c.HostedCluster.Unprotected = c.Unprotected
	}
	if c.InfraID == "" {
		c.InfraID = defaultInfraID(c.Name, from.Stack)
	}
	c.EndpointAccess = c.EndpointAccess.OrDefault()
	c.Tags = c.tagsWithPolicies()
	c.Network = c.network()
	c.OIDC.Cluster, c.OIDC.Existing = c.Cluster, input.IsSet(c.OIDC.IssuerURL)
	if input.IsSet(c.OIDC.BucketName) && !input.IsSet(c.OIDC.BucketRegion) && from.Region != "" {
		c.OIDC.BucketRegion = pulumi.String(from.Region)
	}
}

// ManagementCluster implements Section.
func (c *Cluster) ManagementCluster() *Kubeconfig {
	if c.HostedCluster == nil {
		return nil
	}
	return c.HostedCluster.Kubeconfig
}

// tagsWithPolicies returns the user's tags and, as HyperShift's CLI, the tags of ROSA's managed policies.
func (c *Cluster) tagsWithPolicies() map[string]string {
	if !c.IAM.ManagedPolicies {
		return c.Tags
	}
	tags := iam.ManagedPoliciesTags()
	maps.Copy(tags, c.Tags)
	return tags
}

// suffixLength is the number of characters that an infra ID has after the cluster's name.
const suffixLength = 5

// NewInfraID returns an infra ID for a new cluster, as HyperShift's CLI chooses it: the cluster's name, shortened if
// necessary, and five random characters. A new stack's file contains it, so that equal names of stacks in two projects
// do not lead to equal infra IDs.
func NewInfraID(name string) string { return infraID(name, rand.String(suffixLength)) }

// defaultInfraID returns the infra ID of a file without one: the cluster's name, shortened if necessary, and five
// characters derived from the stack's name. The same stack always has the same ID. The ID is valid for any name, so
// that an invalid name is reported only once.
func defaultInfraID(name, stack string) string {
	sum := sha256.Sum256([]byte(stack))
	return infraID(name, strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:suffixLength])
}

func infraID(name, suffix string) string {
	base := strings.Trim(notInInfraID.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if longest := hypershift.MaxInfraIDLength - suffixLength - 1; len(base) > longest {
		base = strings.TrimRight(base[:longest], "-")
	}
	if base == "" {
		return suffix
	}
	return base + "-" + suffix
}

var notInInfraID = regexp.MustCompile(`[^a-z0-9]+`)

// Placeholders for values that are not known before the stack runs. They are valid, and only used for validation.
const (
	placeholderRegion = "us-east-1"
	placeholderZone   = "us-east-1a"
	placeholderKey    = "arn:aws:kms:us-east-1:123456789012:key/placeholder"
	placeholder       = pulumi.String("placeholder")
)

// Validate implements Section. What depends on the region is checked when the stack runs, if only AWS's SDK can
// determine the region.
func (c *Cluster) Validate(region string) error {
	var faults fault.Faults
	faults = append(faults, c.validateNetwork(region)...)
	faults = append(faults, c.validateParts()...)
	faults = append(faults, c.validateOIDC(region)...)
	faults = append(faults, c.validateIAM()...)
	faults.Join("accounts", c.Accounts.validate(region))
	faults.Join("accounts.further", c.validateFurther())
	faults.Join("accounts", validateParentAccount(parentZoneKey, hasParent(c.Network.PublicZone), c.Accounts.ParentZone))
	if c.Accounts.VPCOwner != nil && c.Network.Shared == nil && c.NetworkStack == "" {
		faults.Add("accounts.vpcOwner", nil, "is not used: only network.shared creates anything in that account",
			"leave it out; for an existing VPC of another account set network.existing.sharedVPC")
	}
	if c.HostedCluster != nil {
		faults = append(faults, c.validateHostedCluster(region, apiOf(c.HostedCluster.Kubeconfig))...)
	}
	faults.Join("", c.validatePoolSubnets())
	faults.Join("interruptionQueue", c.validateInterruptionQueue(region))
	if c.hasKMSKey() {
		faults.Join("kmsKeyARN", input.IfPlain(c.KMSKeyARN, func(arn string) error { return iam.ValidateKMSKeyARN(arn, region) }))
	}
	faults = append(faults, c.validatePrivateLink(region)...)
	return distinct(faults).Err()
}

// hasKMSKey reports whether the config has a key that encrypts etcd.
func (c *Cluster) hasKMSKey() bool {
	return input.IsSet(c.KMSKeyARN) && input.Text(c.KMSKeyARN) != NoKMSKey
}

func validateKMSKey(arn string) error { return iam.ValidateKMSKeyARN(arn, "") }

func (c *Cluster) validateOIDC(region string) fault.Faults {
	faults := c.validateSigningKey()
	if c.takesIssuer() || c.IAMStack != "" {
		return faults
	}
	args := c.OIDC.OIDCProviderArgs
	if !input.IsSet(args.BucketRegion) && region == "" {
		args.BucketRegion = pulumi.String(placeholderRegion)
	}
	return append(faults, claim("oidc", args.Validate())...)
}

// takesIssuer reports whether the issuer is the management stack's.
func (c *Cluster) takesIssuer() bool {
	return c.IAMStack == "" && c.Management != "" && !input.IsSet(c.OIDC.BucketName) && !input.IsSet(c.OIDC.IssuerURL)
}

// OIDCProvider returns the args of the component for the cluster's issuer, which may be the management stack's.
func (c *Cluster) OIDCProvider(m ManagementOutputs) *iam.OIDCProviderArgs {
	args := c.OIDC.OIDCProviderArgs
	if c.takesIssuer() {
		args = iam.OIDCProviderArgs{Cluster: c.Cluster, IssuerURL: pulumi.String(m.IssuerBaseURL + "/" + c.InfraID)}
	}
	return &args
}
