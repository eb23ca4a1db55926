package management

import (
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// installArgs returns the command line that installs HyperShift's operator with the prerequisites. The roles are
// separate flags, so that no file is needed; access keys are read from the Secrets of Credentials. Source: the flags of
// HyperShift's cmd/install/install.go.
func (b *builder) installArgs() pulumi.StringArrayOutput {
	operator := b.args.Operator
	line := pulumi.StringArray{
		pulumi.String("hypershift"), pulumi.String("install"),
		installFlag("namespace", pulumi.String(operator.NamespaceOrDefault())),
		installFlag("oidc-storage-provider-s3-bucket-name", b.made.BucketName),
		installFlag("oidc-storage-provider-s3-region", pulumi.String(b.place.Region)),
		installFlag("private-platform", pulumi.String("AWS")),
		installFlag("aws-private-region", pulumi.String(b.place.Region)),
	}
	if b.args.Zone != nil {
		line = append(line,
			installFlag("external-dns-provider", pulumi.String("aws")),
			installFlag("external-dns-domain-filter", b.made.Zone.Domain),
			// Without this flag, each install generates another ID, and external-dns does not recognize its own records any
			// more.
			installFlag("external-dns-txt-owner-id", pulumi.String(operator.TXTOwnerID())),
		)
	}
	line = append(line, b.installCredentials()...)
	if operator.ScaleFromZero {
		// Each identity's credentials are in this Secret, and its role or user may describe instance types.
		line = append(line, installFlag("scale-from-zero-provider", pulumi.String("aws")),
			installFlag("scale-from-zero-secret", pulumi.String(EC2Secret)))
	}
	line = append(line, pulumi.ToStringArray(operator.ExtraArgs)...)
	return line.ToStringArrayOutput()
}

// installCredentials returns the flags for the credentials of the operator and external-dns.
func (b *builder) installCredentials() pulumi.StringArray {
	var line pulumi.StringArray
	roles := b.made.OperatorRoles
	source := "web-identity"
	switch b.args.Operator.Identity.OrDefault() {
	case AccessKeys:
		line = pulumi.StringArray{
			installFlag("aws-private-secret", pulumi.String(EC2Secret)),
			installFlag("oidc-storage-provider-s3-secret", pulumi.String(OIDCS3Secret)),
		}
		if b.args.Zone != nil {
			line = append(line, installFlag("external-dns-secret", pulumi.String(ExternalDNSSecret)))
		}
		return line
	case InstanceRole:
		source = "ec2-instance-metadata"
	case WebIdentity:
	}
	line = pulumi.StringArray{
		installFlag("aws-role-credential-source", pulumi.String(source)),
		installFlag("aws-private-role-arn", roles.EC2RoleARN),
		installFlag("oidc-storage-provider-s3-role-arn", roles.OIDCS3RoleARN),
	}
	if b.args.Zone != nil {
		line = append(line, installFlag("external-dns-role-arn", roles.ExternalDNSRoleARN))
	}
	return line
}

func installFlag(name string, value pulumi.StringInput) pulumi.StringInput {
	return pulumi.Sprintf("--%s=%s", name, value)
}

// InstallArgs select HyperShift's own description of its operator, which a stack applies to the management cluster.
type InstallArgs struct {
	// Manifests are the output of `hypershift install render` of the HyperShift version to install: a file or an https://
	// URL. A path is relative to the stack's file, absolute, or begins with ~/. YAML documents or a List in JSON,
	// compressed with gzip or not. The stack inserts its bucket, region, zone, roles, and scaleFromZero. Required.
	Manifests string `yaml:"manifests" pulumi:"manifests"`
	// Digest is the SHA-256 digest of the file, "sha256:" with 64 hexadecimal digits, which is compared, because what a
	// URL serves can change. Required with a URL.
	Digest string `yaml:"digest" pulumi:"digest,optional"`
}

var digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// IsURL reports whether the manifests are at a URL.
func (args *InstallArgs) IsURL() bool { return strings.Contains(args.Manifests, "://") }

// Validate returns every fault in args that can be found without reading the manifests.
func (args *InstallArgs) Validate() error {
	var faults fault.Faults
	if args == nil {
		return nil
	}
	switch {
	case args.Manifests == "":
		faults.Add("manifests", nil, "is missing", "set the file with the output of `hypershift install render`")
	case args.IsURL() && !strings.HasPrefix(args.Manifests, "https://"):
		faults.Add("manifests", args.Manifests, "is not an https URL", "use https://…, or a file")
	}
	switch {
	case args.Digest != "" && !digestPattern.MatchString(args.Digest):
		faults.Add("digest", args.Digest, "is not a SHA-256 digest",
			"use sha256: and the 64 digits that `sha256sum FILE` prints")
	case args.Digest == "" && args.IsURL():
		faults.Add("digest", nil, "is missing, but what a URL serves can change",
			"use sha256: and the 64 digits that `sha256sum FILE` prints for its content")
	}
	return faults.Err()
}
