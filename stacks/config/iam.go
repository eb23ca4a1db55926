package config

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// WorkerProfile returns the args of the component for the nodes' instance profile.
func (c *Cluster) WorkerProfile() *iam.WorkerProfileArgs {
	return &iam.WorkerProfileArgs{Cluster: c.Cluster, Options: &c.IAM}
}

// RoleSet returns the args of the component for the cluster's roles, without the outputs of other components.
func (c *Cluster) RoleSet(issuerURL pulumi.StringInput) *iam.RoleSetArgs {
	args := &iam.RoleSetArgs{
		Cluster: c.Cluster, EndpointAccess: c.EndpointAccess, IssuerURL: issuerURL, Options: &c.IAM,
	}
	if c.hasKMSKey() {
		args.KMSKeyARN = c.KMSKeyARN
	}
	return args
}

// KnownRoles returns the existing roles of the cluster whose ARNs are known, with what the cluster needs of them.
func (c *Cluster) KnownRoles() ([]iam.ExistingRole, error) {
	roles := c.RoleSet(placeholder)
	if c.Management != "" && !c.hasKMSKey() && c.KMSKeyARN == nil {
		roles.KMSKeyARN = pulumi.String(placeholderKey) // the management stack may have one
	}
	if c.InterruptionQueue {
		roles.InterruptionQueueARN = placeholder
	}
	if c.Network.Shared != nil {
		roles.SharedVPC = &iam.SharedVPC{}
	}
	return roles.KnownRoles()
}

// validateIAM returns every fault in the config of roles. Placeholders represent the outputs of other components and
// the management stack.
func (c *Cluster) validateIAM() fault.Faults {
	roles := c.RoleSet(placeholder)
	roles.OIDCProviderARN, roles.WorkerRoleARN = placeholder, placeholder
	roles.PublicZoneARN, roles.PrivateZoneARN, roles.LocalZoneARN, roles.EndpointVPCID = placeholder, placeholder,
		placeholder, placeholder
	switch {
	case c.Management != "" && roles.KMSKeyARN == nil:
		roles.KMSKeyARN = pulumi.String(placeholderKey)
	case roles.KMSKeyARN != nil && input.IfPlain(roles.KMSKeyARN, validateKMSKey) != nil:
		roles.KMSKeyARN = pulumi.String(placeholderKey) // an invalid value is reported separately
	}
	var faults fault.Faults
	faults.Join("", roles.Validate())
	faults.Join("", c.WorkerProfile().Validate())
	return claim("iam", faults.Err())
}

// IAM is hypershift-aws:iam: the OIDC provider, the roles and the instance profile of one hosted cluster in a separate
// stack. The cluster's stack names it, and it outlives that stack.
type IAM struct {
	hypershift.Cluster `yaml:",inline"`
	// NetworkStack is the name of the stack of kind network with the cluster's network, to whose hosted zones the roles
	// are limited. Required.
	NetworkStack string `yaml:"networkStack" pulumi:"networkStack"`
	// OIDC is the OIDC issuer of the cluster's service account tokens. Required.
	OIDC iam.OIDCProviderArgs `yaml:"oidc" pulumi:"oidc"`
	// KMSKeyARN is the ARN of the symmetric KMS key in the stack's region that encrypts etcd. Default none: there is no
	// role for it.
	KMSKeyARN pulumi.StringInput `yaml:"kmsKeyARN" pulumi:"kmsKeyARN,optional"`
	// IAM configures the roles and the nodes' instance profile. Default: HyperShift's names and policies.
	IAM iam.RoleOptions `yaml:"iam" pulumi:"iam,optional"`
	// Accounts are the AWS accounts other than the stack's own. Default none.
	Accounts IAMAccounts `yaml:"accounts" pulumi:"accounts,optional"`
	// Unprotected turns off what stops `pulumi destroy` from deleting the roles of a living cluster. Default false.
	Unprotected bool `yaml:"unprotected" pulumi:"unprotected,optional"`

	// givenInfraID is the infra ID as the file has it.
	givenInfraID string
}

var _ Section = (*IAM)(nil)

// OfCluster returns the config of a cluster with these roles, and nothing else.
func (i *IAM) OfCluster() *Cluster {
	return &Cluster{Cluster: i.Cluster, OIDC: OIDC{OIDCProviderArgs: i.OIDC}, KMSKeyARN: i.KMSKeyARN, IAM: i.IAM,
		Unprotected: i.Unprotected,
		Accounts:    Accounts{VPCOwner: i.Accounts.VPCOwner}}
}

// Resolve implements Section.
func (i *IAM) Resolve(from Source) {
	i.givenInfraID = i.InfraID
	c := i.OfCluster()
	c.Resolve(from)
	i.Cluster, i.OIDC = c.Cluster, c.OIDC.OIDCProviderArgs
}

// Validate implements Section.
func (i *IAM) Validate(region string) error {
	var faults fault.Faults
	c := i.OfCluster()
	faults.Join("", i.Cluster.Validate())
	faults.Join("infraID", requireInfraID(i.givenInfraID))
	if i.NetworkStack == "" {
		faults.Add("networkStack", nil, "is missing", "name the stack of kind network with the cluster's network")
	}
	faults.Join("accounts", c.Accounts.validate(region))
	faults = append(faults, c.validateOIDC(region)...)
	faults = append(faults, c.validateIAM()...)
	if c.hasKMSKey() {
		faults.Join("kmsKeyARN", input.IfPlain(c.KMSKeyARN, func(arn string) error { return iam.ValidateKMSKeyARN(arn, region) }))
	}
	return distinct(faults).Err()
}

// ManagementCluster implements Section.
func (*IAM) ManagementCluster() *Kubeconfig { return nil }

// Existing implements Section.
func (i *IAM) Existing(m *ManagementOutputs) []Existing {
	c := i.OfCluster()
	var existing []Existing
	if key := input.Text(c.KMSKeyARN); c.hasKMSKey() && key != "" {
		existing = append(existing, Existing{Kind: ExistingKMSKey, Name: key})
	}
	if issuer := input.Text(c.OIDC.IssuerURL); issuer != "" {
		existing = append(existing, Existing{Kind: ExistingOIDCProvider, Name: issuer, ClientIDs: c.clientIDs()})
	}
	return append(existing, c.existingIAM(m)...)
}

// OIDC is the OIDC issuer of a cluster's service account tokens.
type OIDC struct {
	iam.OIDCProviderArgs `yaml:",inline"`
	// SigningKey is an RSA private key in PEM, of at least 2048 bits, that signs the tokens of service accounts. The stack
	// then writes the OIDC documents into the issuer's bucket, so that the tokens of a restored cluster stay valid. It
	// cannot be added, removed or changed once the cluster exists. Default: a key that HyperShift generates, whose
	// documents its operator writes.
	SigningKey *SecretSource `yaml:"signingKey" pulumi:"signingKey,optional"`

	// dir is the folder that the key's path is relative to.
	dir string
}

var _ relative = (*OIDC)(nil)

func (o *OIDC) relativeTo(dir string) { o.dir = dir }

// signingKeyPath is the config key of the signing key.
const signingKeyPath = ClusterKey + ".oidc.signingKey"

// validateSigningKey returns a fault for a key whose documents the stack could not write, or that another key of the
// config replaces.
func (c *Cluster) validateSigningKey() fault.Faults {
	if c.OIDC.SigningKey == nil {
		return nil
	}
	var faults fault.Faults
	const path = "oidc.signingKey"
	faults.Join(path, c.OIDC.SigningKey.validate())
	faults.Join(path, c.OIDC.SigningKey.check(hostedcluster.SigningKey))
	other := "leave it out, set hostedCluster.serviceAccountSigningKey to a Secret with the key, and write the OIDC documents of the issuer yourself"
	switch {
	case c.IAMStack != "":
		faults.Add(path, nil, "conflicts with iamStack: the stack "+c.IAMStack+
			" has the issuer, and this one does not know its bucket", other)
	case input.IsSet(c.OIDC.IssuerURL):
		faults.Add(path, nil, "conflicts with issuerURL: the stack writes the OIDC documents into the bucket of the issuer, which is not known", "use bucketName; or "+other)
	}
	if c.HostedCluster != nil && c.HostedCluster.ServiceAccountSigningKey != "" {
		faults.Add(path, nil, "conflicts with hostedCluster.serviceAccountSigningKey", "set only one of the two")
	}
	return faults
}

// SigningKeyText reads the signing key: in PEM, of PKCS #1; "" without one, and for an output. The error is a fault at
// its config key.
func (c *Cluster) SigningKeyText() (string, error) {
	source := c.OIDC.SigningKey
	if source == nil || source.given != nil {
		return "", nil
	}
	text, err := source.read(c.OIDC.dir)
	if err == nil {
		text, err = checkSecret(hostedcluster.SigningKey, text)
	}
	var faults fault.Faults
	faults.Join(signingKeyPath, err)
	return text, faults.Err()
}

// SigningKey returns the signing key as an input of a component, plain text if a file or a variable has it; nil without
// one.
func (c *Cluster) SigningKey() (pulumi.StringInput, error) {
	text, err := c.SigningKeyText()
	switch source := c.OIDC.SigningKey; {
	case err != nil || source == nil:
		return nil, err
	case source.given != nil:
		return pulumi.ToSecret(source.given.ToStringOutput().ApplyT(func(text string) (string, error) {
			return checkSecret(hostedcluster.SigningKey, text)
		})).(pulumi.StringOutput), nil
	}
	return pulumi.String(text), nil
}

var (
	_ ClusterMember    = (*IAM)(nil)
	_ ReferringSection = (*IAM)(nil)
	_ TaggedSection    = (*IAM)(nil)
	_ ExistingSection  = (*IAM)(nil)
	_ ProtectedSection = (*IAM)(nil)
)

// ClusterIdentity implements ClusterMember.
func (i *IAM) ClusterIdentity() ClusterIdentity {
	return ClusterIdentity{Object: hostedClusterObject, Relation: PartOfCluster, Name: i.Name, InfraID: i.InfraID}
}

// ReferredStacks implements ReferringSection.
func (i *IAM) ReferredStacks() (management string, parts []string) {
	return "", named([]string{i.NetworkStack})
}

// ResourceTags implements TaggedSection.
func (i *IAM) ResourceTags() map[string]string { return i.Tags }

// ExistingNeeds implements ExistingSection.
func (i *IAM) ExistingNeeds() (ExistingNeeds, error) { return i.OfCluster().ExistingNeeds() }

// DeletionAllowed implements ProtectedSection.
func (i *IAM) DeletionAllowed() bool { return i.Unprotected }
