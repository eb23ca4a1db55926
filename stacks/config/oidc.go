package config

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/input"
)

// OIDC is the OIDC issuer of a cluster's service account tokens.
type OIDC struct {
	iam.OIDCProviderArgs `yaml:",inline"`
	// SigningKey is an RSA private key in PEM, of at least 2048 bits, that signs the tokens of service accounts. The stack then writes the OIDC
	// documents into the bucket of the issuer, with which a restored cluster keeps its tokens. It cannot be added, removed or changed once the
	// cluster exists. Default: a key that HyperShift generates, whose documents its operator writes.
	SigningKey *SecretSource `yaml:"signingKey" pulumi:"signingKey,optional"`

	// dir is the folder to which the key's path is relative.
	dir string
}

var _ relative = (*OIDC)(nil)

func (o *OIDC) relativeTo(dir string) { o.dir = dir }

// signingKeyPath is the config key of the signing key.
const signingKeyPath = ClusterKey + ".oidc.signingKey"

// validateSigningKey returns a fault for a key whose documents the stack could not write, or that another key of the config replaces.
func (c *Cluster) validateSigningKey() fault.Faults {
	if c.OIDC.SigningKey == nil {
		return nil
	}
	var faults fault.Faults
	const path = "oidc.signingKey"
	faults.Join(path, c.OIDC.SigningKey.validate())
	other := "leave it out, set hostedCluster.serviceAccountSigningKey to a Secret with the key, and write the OIDC documents of the issuer yourself"
	switch {
	case c.IAMStack != "":
		faults.Add(path, nil, "conflicts with iamStack: the stack "+c.IAMStack+" has the issuer, and this one does not know its bucket", other)
	case input.IsSet(c.OIDC.IssuerURL):
		faults.Add(path, nil, "conflicts with issuerURL: the stack writes the OIDC documents into the bucket of the issuer, which is not known", "use bucketName; or "+other)
	}
	if c.HostedCluster != nil && c.HostedCluster.ServiceAccountSigningKey != "" {
		faults.Add(path, nil, "conflicts with hostedCluster.serviceAccountSigningKey", "set only one of the two")
	}
	return faults
}

// SigningKeyText reads the signing key: in PEM, of PKCS #1; "" without one, and for an output. The error is a fault at its config key.
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

// SigningKey returns the signing key as an input of a component, plain text if a file or a variable has it; nil without one.
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

// DocumentBucket returns the bucket of the issuer, with its region: that of the config, otherwise the management stack's.
func (c *Cluster) DocumentBucket(m ManagementOutputs) (name, region pulumi.StringInput) {
	if c.takesIssuer() {
		return pulumi.String(m.BucketName), pulumi.String(m.Region)
	}
	return c.OIDC.BucketName, c.OIDC.BucketRegion
}
