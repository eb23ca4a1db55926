package management

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// OperatorArgs configure how HyperShift's operator and external-dns authenticate to AWS.
type OperatorArgs struct {
	// Identity is how the operator and external-dns authenticate to AWS: with tokens of their service accounts
	// (WebIdentity), with the role of the management cluster's nodes (InstanceRole), or with access keys of IAM users
	// (AccessKeys). Default WebIdentity.
	Identity OperatorIdentity `yaml:"identity" pulumi:"identity,optional"`
	// FormerIdentity keeps the users or roles of the previous identity, so that the operator keeps working until it uses
	// the new one. Default none: an update that changes identity deletes them.
	FormerIdentity OperatorIdentity `yaml:"formerIdentity" pulumi:"formerIdentity,optional"`
	// IssuerURL is the issuer of the management cluster's service account tokens: spec.serviceAccountIssuer of the
	// cluster's Authentication. The account must have an OIDC provider for it with client ID "openshift". Required with
	// identity WebIdentity.
	IssuerURL pulumi.StringInput `yaml:"issuerURL" pulumi:"issuerURL,optional"`
	// InstanceRoleARN is the ARN of the role of the management cluster's nodes. Required with identity InstanceRole.
	InstanceRoleARN pulumi.StringInput `yaml:"instanceRoleARN" pulumi:"instanceRoleARN,optional"`
	// NamePrefix is the prefix of the names of the operator's roles or users. It must be unique for each management
	// cluster in an account. At most 47 characters. Default "hypershift". Changing it replaces the roles or users.
	NamePrefix string `yaml:"namePrefix" pulumi:"namePrefix,optional"`
	// Namespace is the namespace of the operator. Default "hypershift".
	Namespace string `yaml:"namespace" pulumi:"namespace,optional"`
	// ExistingNamespace is true if something else creates the namespace, such as an administrator who also creates roles
	// in it. The stack sets only its labels and annotation, and does not delete it. Default false: with a kubeconfig the
	// stack creates and deletes it. Change it before the first up only.
	ExistingNamespace bool `yaml:"existingNamespace" pulumi:"existingNamespace,optional"`
	// InfraID is the management cluster's infrastructure name, which is in the tag of the endpoint services that the
	// operator creates. If it is set, the operator may change only those. Default none: it may change all endpoint
	// services of the account and region.
	InfraID string `yaml:"infraID" pulumi:"infraID,optional"`
	// ScaleFromZero lets the operator look up instance types, without which a NodePool with autoScaling.min 0 keeps one
	// node. Default false.
	ScaleFromZero bool `yaml:"scaleFromZero" pulumi:"scaleFromZero,optional"`
	// ExtraArgs are additional flags of `hypershift install`, "--<flag>=<value>", for the output installArgs. Default
	// none.
	ExtraArgs []string `yaml:"extraArgs" pulumi:"extraArgs,optional"`
	// Install applies HyperShift's own render of the operator and external-dns to the management cluster of kubeconfig.
	// Default none: they are installed with the output installArgs.
	Install *InstallArgs `yaml:"install"`
}

// OperatorIdentity is how the operator authenticates to AWS.
type OperatorIdentity string

const (
	// WebIdentity roles are assumed with tokens of the operator's service accounts. It is the default.
	WebIdentity OperatorIdentity = "WebIdentity"
	// InstanceRole roles are assumed from the role of the nodes, on clusters whose tokens IAM cannot verify.
	InstanceRole OperatorIdentity = "InstanceRole"
	// AccessKeys are access keys of IAM users, which do not expire. They are in the stack's state, as secrets.
	AccessKeys OperatorIdentity = "AccessKeys"
)

// OrDefault returns i, or WebIdentity for the zero value.
func (i OperatorIdentity) OrDefault() OperatorIdentity { return cmp.Or(i, WebIdentity) }

// Validate returns a fault for an unknown value.
func (i OperatorIdentity) Validate() error {
	return enum.Validate(i, "is not an identity of the operator", WebIdentity, InstanceRole, AccessKeys)
}

// keeps reports whether the operator has an identity, or had it until now.
func (args OperatorArgs) keeps(identity OperatorIdentity) bool {
	return args.Identity.OrDefault() == identity || args.FormerIdentity == identity
}

// validateFormer returns a fault if a former identity has the same users or roles as the present one.
func (args OperatorArgs) validateFormer() error {
	if err := args.FormerIdentity.Validate(); err != nil || args.FormerIdentity == "" {
		return err
	}
	if (args.FormerIdentity == AccessKeys) == (args.Identity.OrDefault() == AccessKeys) {
		return &fault.Fault{
			Value: string(args.FormerIdentity), Problem: fmt.Sprintf("keeps nothing: an update from it to identity %s deletes no user and no role", args.Identity.OrDefault()),
			Remedy: "leave it out",
		}
	}
	return nil
}

// The defaults of HyperShift's CLI.
const (
	defaultNamePrefix = "hypershift"
	defaultNamespace  = "hypershift"
)

// TXTOwnerID returns the ID with which external-dns marks its records. It is unique to the management cluster in the
// zone's account.
func (args OperatorArgs) TXTOwnerID() string { return args.namePrefix() }

func (args OperatorArgs) namePrefix() string {
	if args.NamePrefix == "" {
		return defaultNamePrefix
	}
	return args.NamePrefix
}

// NamespaceOrDefault returns where the operator is installed.
func (args OperatorArgs) NamespaceOrDefault() string {
	if args.Namespace == "" {
		return defaultNamespace
	}
	return args.Namespace
}

// maxNamePrefixLength is the 64 characters of an IAM name without the longest suffix, "-operator-oidc-s3".
const maxNamePrefixLength = 47

var instanceRolePattern = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9_+=,.@/-]+$`)

// Validate returns every fault in args that can be found without calling AWS.
func (args OperatorArgs) Validate() error {
	var faults fault.Faults
	if err := args.Identity.Validate(); err != nil {
		faults.Join("identity", err)
	} else if err := args.validateFormer(); err != nil {
		faults.Join("formerIdentity", err)
	} else {
		faults.Join("", args.validateIdentity())
	}
	switch {
	case len(args.NamePrefix) > maxNamePrefixLength:
		faults.Add("namePrefix", args.NamePrefix,
			fmt.Sprintf("is too long (%d characters): names built from it exceed IAM's limit of 64", len(args.NamePrefix)),
			fmt.Sprintf("use at most %d", maxNamePrefixLength))
	case !awsid.IsName(args.namePrefix()):
		faults.Add("namePrefix", args.NamePrefix, "has characters that IAM refuses in names",
			"use letters, digits and _+=,.@-")
	}
	if len(validation.IsDNS1123Label(args.NamespaceOrDefault())) > 0 {
		faults.Add("namespace", args.Namespace, "is not the name of a namespace",
			"use at most 63 of a-z, 0-9, and -, and begin and end with a letter or digit")
	}
	if args.InfraID != "" && !hypershift.IsInfraID(args.InfraID) {
		faults.Add("infraID", args.InfraID, "is not a cluster's infrastructure name",
			"set status.infrastructureName of the management cluster's Infrastructure")
	}
	faults.Join("install", args.Install.Validate())
	if args.Install != nil && len(args.ExtraArgs) > 0 {
		faults.Add("extraArgs", args.ExtraArgs[0], "is a flag of the install line, but install applies a render",
			"leave extraArgs out, and give its flags to `hypershift install render`")
	}
	for i, arg := range args.ExtraArgs {
		faults.Join(fmt.Sprintf("extraArgs[%d]", i), validateExtraArg(arg))
	}
	return faults.Err()
}

// ownFlags matches the flags of the install line that follow from other keys, as a whole or by their beginning.
var ownFlags = regexp.MustCompile(`^--(namespace|private-platform|aws-.*|oidc-storage-provider-.*|scale-from-zero-.*|` +
	`external-dns-(provider|credentials|domain-filter|role-arn|secret|txt-owner-id))(=|$)`)

// extraArgPattern matches a flag of HyperShift's CLI, with its value in the same argument.
var extraArgPattern = regexp.MustCompile(`^--[a-z][a-z0-9-]*(=.*)?$`)

func validateExtraArg(arg string) error {
	switch {
	case !extraArgPattern.MatchString(arg):
		return &fault.Fault{Value: arg, Problem: "is not a flag", Remedy: "use --<flag>=<value>, or --<flag> for a boolean"}
	case ownFlags.MatchString(arg):
		return &fault.Fault{
			Value: arg, Problem: "is a flag that follows from the management stack's other keys",
			Remedy: "leave it out, and set the key that docs/appendix/flags.md names for it",
		}
	}
	return nil
}

// validateIdentity returns a fault for each key that the identity requires or does not use.
func (args OperatorArgs) validateIdentity() error {
	var faults fault.Faults
	identity := args.Identity.OrDefault()
	for _, given := range []struct {
		path     string
		value    pulumi.StringInput
		identity OperatorIdentity
		check    func(string) error
		remedy   string
	}{
		{"issuerURL", args.IssuerURL, WebIdentity, hypershift.ValidateIssuer,
			"use the issuer of the management cluster's service account tokens, or identity InstanceRole or AccessKeys"},
		{"instanceRoleARN", args.InstanceRoleARN, InstanceRole, validateInstanceRole,
			"use the role of the management cluster's nodes"},
	} {
		switch {
		case args.keeps(given.identity) && !input.IsSet(given.value):
			faults.Add(given.path, nil, "is missing", given.remedy)
		case args.keeps(given.identity):
			faults.Join(given.path, input.IfPlain(given.value, given.check))
		case input.IsSet(given.value):
			faults.Add(given.path, input.Value(given.value),
				fmt.Sprintf("is for identity %s, but identity is %s", given.identity, identity),
				"leave it out, or correct identity")
		}
	}
	return faults.Err()
}

func validateInstanceRole(arn string) error {
	if instanceRolePattern.MatchString(arn) {
		return nil
	}
	return &fault.Fault{
		Value: arn, Problem: "is not the ARN of a role",
		Remedy: "use arn:aws:iam::<account>:role/<name>, not an instance profile",
	}
}
