package stacks

import (
	"path/filepath"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/management"
)

// ManagementConfig is hypershift-aws:management: what the management account has before HyperShift's
// operator is installed.
type ManagementConfig struct {
	// OIDCBucket is the bucket of the hosted clusters' OIDC documents. Required.
	OIDCBucket OIDCBucketConfig `yaml:"oidcBucket"`
	// Zone is the public zone of the hosted clusters' names. Default none, and then no external-dns.
	Zone *ManagementZoneConfig `yaml:"zone"`
	// Operator says how HyperShift's operator comes by its permissions. Required.
	Operator OperatorConfig `yaml:"operator"`
	// RegistryBucketName is a private bucket for operator catalogues. Default none.
	RegistryBucketName string `yaml:"registryBucketName"`
	// EtcdKey is a key that encrypts the etcd of hosted clusters. Default none.
	EtcdKey *EtcdKeyConfig `yaml:"etcdKey"`
	// InterruptionQueueName is a queue of spot interruptions. Default none.
	InterruptionQueueName string `yaml:"interruptionQueueName"`
	// Unprotected lets the buckets, the zone, the distribution and the key be deleted. Default false.
	Unprotected bool `yaml:"unprotected"`
	// Tags are set on every resource that takes tags.
	Tags map[string]string `yaml:"tags"`
	// Kubeconfig leads to the management cluster. Default none, and then nothing is made in it.
	Kubeconfig *KubeconfigConfig `yaml:"kubeconfig"`
}

// KubeconfigConfig is hypershift-aws:management.kubeconfig and hypershift-aws:cluster.hostedCluster.kubeconfig.
type KubeconfigConfig struct {
	// File is the kubeconfig's absolute path, or one that begins with ~/. Default: that of KUBECONFIG, else
	// ~/.kube/config.
	File string `yaml:"file"`
	// Context is one of its contexts. Default: its current one.
	Context string `yaml:"context"`
}

func (c *KubeconfigConfig) validate() error {
	if c == nil || c.File == "" || strings.HasPrefix(c.File, "~/") || filepath.IsAbs(c.File) {
		return nil
	}
	return &fault.Fault{
		Path: "file", Value: c.File, Problem: "is relative, and the engine runs in folders of its own",
		Remedy: "give an absolute path, or one that begins with ~/",
	}
}

// OIDCBucketConfig is hypershift-aws:management.oidcBucket.
type OIDCBucketConfig struct {
	// Name is the bucket's name, without dots. Required.
	Name string `yaml:"name"`
	// Access is PublicRead (default) or ThroughCloudFront.
	Access management.DocumentAccess `yaml:"access"`
	// Distribution gives the distribution a domain of one's own. Default CloudFront's.
	Distribution DistributionConfig `yaml:"distribution"`
}

// DistributionConfig is hypershift-aws:management.oidcBucket.distribution.
type DistributionConfig struct {
	// Domain is the host in the clusters' issuers.
	Domain string `yaml:"domain"`
	// CertificateARN is its certificate, of us-east-1.
	CertificateARN string `yaml:"certificateARN"`
}

// ManagementZoneConfig is hypershift-aws:management.zone.
type ManagementZoneConfig struct {
	// Domain is the zone's name. Required.
	Domain string `yaml:"domain"`
	// Existing says that the account has the zone. Default false: it is made.
	Existing bool `yaml:"existing"`
	// ParentZone is a public zone of the account that the zone is delegated from. Default none.
	ParentZone string `yaml:"parentZone"`
}

// OperatorConfig is hypershift-aws:management.operator.
type OperatorConfig struct {
	// Identity is WebIdentity (default), InstanceRole or AccessKeys.
	Identity management.OperatorIdentity `yaml:"identity"`
	// IssuerURL is the management cluster's own issuer. Required with WebIdentity.
	IssuerURL string `yaml:"issuerURL"`
	// InstanceRoleARN is the role of the management cluster's nodes. Required with InstanceRole.
	InstanceRoleARN string `yaml:"instanceRoleARN"`
	// NamePrefix stands before the names of the roles or users. Default hypershift.
	NamePrefix string `yaml:"namePrefix"`
	// Namespace is where the operator is installed. Default hypershift.
	Namespace string `yaml:"namespace"`
	// InfraID is the management cluster's infrastructure name. Default none.
	InfraID string `yaml:"infraID"`
}

// EtcdKeyConfig is hypershift-aws:management.etcdKey.
type EtcdKeyConfig struct {
	// Alias is the key's name, without alias/. Required.
	Alias string `yaml:"alias"`
	// Accounts are the other accounts whose hosted clusters use the key. Default none.
	Accounts []string `yaml:"accounts"`
}

var _ section = (*ManagementConfig)(nil)

// readFiles has nothing to read.
func (c *ManagementConfig) readFiles(string) error { return nil }

// complete has nothing to fill in: the components know their defaults.
func (c *ManagementConfig) complete(string, string) {}

// validate returns every fault in the config, by its paths, which are those of the component's args.
func (c *ManagementConfig) validate(string) error {
	var faults fault.Faults
	faults.Join("", c.prerequisitesArgs().Validate())
	faults.Join("kubeconfig", c.Kubeconfig.validate())
	return faults.Err()
}

func (c *ManagementConfig) prerequisitesArgs() *management.PrerequisitesArgs {
	args := &management.PrerequisitesArgs{
		OIDCBucket: management.OIDCBucketArgs{
			Name: c.OIDCBucket.Name, Access: c.OIDCBucket.Access,
			Distribution: management.DistributionArgs(c.OIDCBucket.Distribution),
		},
		Operator:              management.OperatorArgs(c.Operator),
		RegistryBucketName:    c.RegistryBucketName,
		InterruptionQueueName: c.InterruptionQueueName,
		RefuseStandingBuckets: true,
		Unprotected:           c.Unprotected,
		Tags:                  c.Tags,
	}
	if c.Zone != nil {
		args.Zone = &management.ZoneArgs{Domain: c.Zone.Domain, Existing: c.Zone.Existing, ParentZone: c.Zone.ParentZone}
	}
	if c.EtcdKey != nil {
		args.EtcdKey = &management.EtcdKeyArgs{Alias: c.EtcdKey.Alias, Accounts: c.EtcdKey.Accounts}
	}
	return args
}

// existing lists what the config refers to as existing, a zone before those that lie in it.
func (c *ManagementConfig) existing() []Existing {
	var existing []Existing
	if c.Zone != nil && c.Zone.ParentZone != "" {
		existing = append(existing, Existing{Kind: ExistingPublicZone, Name: c.Zone.ParentZone})
	}
	if c.Zone != nil && c.Zone.Existing {
		existing = append(existing, Existing{Kind: ExistingPublicZone, Name: c.Zone.Domain})
	}
	if c.Operator.IssuerURL != "" {
		existing = append(existing, Existing{Kind: ExistingOIDCProvider, Name: c.Operator.IssuerURL})
	}
	return existing
}
