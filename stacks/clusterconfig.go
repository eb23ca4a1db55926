package stacks

import (
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// ClusterConfig is hypershift-aws:cluster: one hosted cluster's AWS estate.
type ClusterConfig struct {
	// Name is the HostedCluster's name. Required.
	Name string `yaml:"name"`
	// InfraID sets the cluster's resources apart. Default: the name and five characters derived from the
	// stack's name, at most 32 together.
	InfraID string `yaml:"infraID"`
	// BaseDomain is the domain under which the cluster's names lie. Required.
	BaseDomain string `yaml:"baseDomain"`
	// BaseDomainPrefix stands before BaseDomain: default the name, "none" for no prefix.
	BaseDomainPrefix string `yaml:"baseDomainPrefix"`
	// EndpointAccess is Public (default), PublicAndPrivate or Private.
	EndpointAccess hypershift.EndpointAccess `yaml:"endpointAccess"`
	// Tags are set on every resource that takes tags.
	Tags map[string]string `yaml:"tags"`
	// Network is the guest network.
	Network NetworkConfig `yaml:"network"`
	// OIDC says who issues the cluster's tokens.
	OIDC OIDCConfig `yaml:"oidc"`
	// KMSKeyARN is a key of the stack's region that encrypts etcd, or "none". Default: the management
	// stack's, else none.
	KMSKeyARN string `yaml:"kmsKeyARN"`
	// IAM is how the cluster's roles are made.
	IAM IAMConfig `yaml:"iam"`
	// Management is the stack of kind management that the cluster takes its issuer, its key and the zone of
	// its public names from, where this config does not give them. Default none.
	Management string `yaml:"management"`
	// Accounts leads to the accounts beside the stack's own.
	Accounts AccountsConfig `yaml:"accounts"`
	// PrivateLink says who makes the endpoint. Default: the operators, unseen.
	PrivateLink *PrivateLinkConfig `yaml:"privateLink"`
	// HostedCluster is the cluster itself. Default none: it is made by others.
	HostedCluster *HostedClusterConfig `yaml:"hostedCluster"`
}

var _ section = (*ClusterConfig)(nil)

// OIDCConfig is hypershift-aws:cluster.oidc: a bucket, or the issuer of a provider that exists.
type OIDCConfig struct {
	// BucketName is the management account's OIDC bucket.
	BucketName string `yaml:"bucketName"`
	// BucketRegion is the bucket's region. Default: the stack's.
	BucketRegion string `yaml:"bucketRegion"`
	// IssuerURL is the issuer of an OIDC provider that the account has.
	IssuerURL string `yaml:"issuerURL"`
}

// complete fills in the defaults that need no AWS. region is "" where it is not known yet.
func (c *ClusterConfig) complete(stack, region string) {
	if c.InfraID == "" {
		c.InfraID = defaultInfraID(c.Name, stack)
	}
	c.EndpointAccess = c.EndpointAccess.OrDefault()
	c.Network.complete()
	if c.OIDC.BucketName != "" && c.OIDC.BucketRegion == "" {
		c.OIDC.BucketRegion = region
	}
	c.IAM.complete(&c.Tags)
}

// defaultInfraID is the cluster's name, cut where needed, and five characters that the stack's name
// decides: the same stack always has the same ID. It is a valid ID for any name, so that a bad name is
// one fault and not two.
func defaultInfraID(name, stack string) string {
	const suffixLength = 5
	sum := sha256.Sum256([]byte(stack))
	suffix := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:suffixLength]
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

// validate returns every fault in a completed config, by the config's paths. region is "" where only
// AWS's SDK knows it; what depends on it is then checked when the stack runs.
func (c *ClusterConfig) validate(region string) error {
	var faults fault.Faults
	guest := c.guestNetworkArgs(c.zonesOrAny(), accounts{})
	oidc := c.oidcProviderArgs(Management{})
	if oidc.BucketRegion == "" && region == "" {
		oidc.BucketRegion = "us-east-1" // likewise
	}
	inCluster := []string{"name", "infraID", "tags", "baseDomain", "baseDomainPrefix", "endpointAccess"}
	faults = append(faults, under("", fault.In(guest.Validate()), inCluster...)...)
	faults.Join("network", c.validateNetwork(region))
	if !c.takesIssuer() {
		faults = append(faults, under("oidc", fault.In(oidc.Validate()), "bucketName", "bucketRegion", "issuerURL")...)
	}
	faults.Join("", c.validateIAM(region))
	faults.Join("accounts", c.Accounts.validate())
	faults.Join("hostedCluster", c.validateHostedCluster(region))
	if c.KMSKeyARN != "" && c.KMSKeyARN != NoKMSKey {
		faults.Join("kmsKeyARN", iam.ValidateKMSKeyARN(c.KMSKeyARN, region))
	}
	if c.PrivateLink != nil {
		faults.Join("privateLink", c.PrivateLink.validate(region))
		if c.Network.Shared != nil && c.PrivateLink.Owner == OwnerStack {
			faults.Add("privateLink.owner", OwnerStack, "is not for a shared VPC, where HyperShift's operator makes the endpoint by a role in the VPC owner's account",
				"give operator, or leave network.shared out")
		}
	}
	return c.blame(faults.Err()).Err()
}

// under picks the faults whose paths begin with one of the roots, and puts them under prefix.
func under(prefix string, faults fault.Faults, roots ...string) fault.Faults {
	var picked fault.Faults
	for _, f := range faults {
		for _, root := range roots {
			if rest, ok := strings.CutPrefix(f.Path, root); ok && (rest == "" || rest[0] == '[' || rest[0] == '.') {
				picked.Join(prefix, f)
			}
		}
	}
	return picked
}

func (c *ClusterConfig) cluster() hypershift.Cluster {
	return hypershift.Cluster{Name: c.Name, InfraID: c.InfraID, Tags: c.Tags}
}

// takesIssuer says whether the issuer is left to the management stack.
func (c *ClusterConfig) takesIssuer() bool {
	return c.Management != "" && c.OIDC.BucketName == "" && c.OIDC.IssuerURL == ""
}

func (c *ClusterConfig) oidcProviderArgs(m Management) *iam.OIDCProviderArgs {
	if c.takesIssuer() {
		return &iam.OIDCProviderArgs{Cluster: c.cluster(), IssuerURL: m.IssuerBaseURL + "/" + c.InfraID}
	}
	return &iam.OIDCProviderArgs{
		Cluster:      c.cluster(),
		BucketName:   c.OIDC.BucketName,
		BucketRegion: c.OIDC.BucketRegion,
		IssuerURL:    c.OIDC.IssuerURL,
		Existing:     c.OIDC.IssuerURL != "",
	}
}
