package iam

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const oidcProviderType = "hypershift-aws:iam:OIDCProvider"

// OIDCProvider allows the hosted cluster's service accounts to assume roles in the account.
type OIDCProvider struct {
	pulumi.ResourceState

	// ARN is the provider's ARN, "arn:…:oidc-provider/<issuer>".
	ARN pulumi.StringOutput `pulumi:"arn"`
	// IssuerURL is the issuer of the cluster's tokens, "https://…", the HostedCluster's spec.issuerURL.
	IssuerURL pulumi.StringOutput `pulumi:"issuerURL"`
}

// OIDCProviderArgs are the inputs of an OIDCProvider: the issuer is a URL, or a bucket that HyperShift's operator
// writes the OIDC documents to.
type OIDCProviderArgs struct {
	// Cluster names and tags the provider. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// BucketName is the name of the management account's bucket in which HyperShift's operator stores the OIDC documents.
	// The issuer is then https://<bucket>.s3.<region>.amazonaws.com/<infraID>. Required unless issuerURL is given.
	BucketName pulumi.StringInput `yaml:"bucketName" pulumi:"bucketName,optional"`
	// BucketRegion is the region of the bucket. Default: the stack's region (a Go program must give it with bucketName).
	BucketRegion pulumi.StringInput `yaml:"bucketRegion" pulumi:"bucketRegion,optional"`
	// IssuerURL is the URL of the issuer, "https://…", instead of a bucket. A stack uses the OIDC provider that the
	// account has for it. Required unless bucketName is given.
	IssuerURL pulumi.StringInput `yaml:"issuerURL" pulumi:"issuerURL,optional"`
	// Existing is true if the account has an OIDC provider for IssuerURL, which is then looked up and checked, and not
	// changed. Default false: it is created.
	Existing bool `yaml:"-" pulumi:"existing,optional"`
}

var regionPattern = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]+$`)

// Validate returns every fault in args.
func (args *OIDCProviderArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	switch {
	case !input.IsSet(args.BucketName) && !input.IsSet(args.IssuerURL):
		faults.Add("bucketName", nil, "is missing, and so is issuerURL",
			"set the OIDC bucket of the management account, or the issuer's URL")
	case input.IsSet(args.BucketName) && input.IsSet(args.IssuerURL):
		faults.Add("issuerURL", input.Value(args.IssuerURL), "conflicts with bucketName", "set only one of the two")
	case input.IsSet(args.IssuerURL):
		faults.Join("issuerURL", input.IfPlain(args.IssuerURL, hypershift.ValidateIssuer))
	default:
		faults.Join("bucketName", input.IfPlain(args.BucketName, hypershift.ValidateBucketName))
		faults.Join("bucketRegion", input.IfPlain(args.BucketRegion, validateRegion))
	}
	if args.Existing && !input.IsSet(args.IssuerURL) {
		faults.Add("issuerURL", nil, "is missing", "an existing provider is looked up by its issuer: set it")
	}
	return faults.Err()
}

func validateRegion(region string) error {
	if regionPattern.MatchString(region) {
		return nil
	}
	return &fault.Fault{Value: region, Problem: "is not a region", Remedy: "use the bucket's region, such as us-east-1"}
}

// Issuer returns the URL of the issuer: plain text if the args are, otherwise an output that fails if one of them is
// invalid.
func (args *OIDCProviderArgs) Issuer() pulumi.StringInput {
	if input.IsSet(args.IssuerURL) {
		// Validate has the faults of plain text
		issuer, _ := input.Check("issuerURL", args.IssuerURL, hypershift.ValidateIssuer)
		return issuer
	}
	url := func(bucket, region string) string {
		return fmt.Sprintf("https://%s.s3.%s.%s/%s", bucket, region, hypershift.DNSSuffix(hypershift.Partition(region)), args.Cluster.InfraID)
	}
	if input.ArePlain(args.BucketName, args.BucketRegion) {
		return pulumi.String(url(input.Text(args.BucketName), input.Text(args.BucketRegion)))
	}
	return input.All([]pulumi.StringInput{args.BucketName,
		args.BucketRegion}).ApplyT(func(values []string) (string, error) {
		var faults fault.Faults
		faults.Join("bucketName", hypershift.ValidateBucketName(values[0]))
		faults.Join("bucketRegion", validateRegion(values[1]))
		return url(values[0], values[1]), faults.Err()
	}).(pulumi.StringOutput)
}

// audiences returns the audiences in a role's trust policy: HyperShift issues tokens for the first, and AWS's SDKs
// request the second.
func audiences() []string { return []string{"openshift", "sts.amazonaws.com"} }

// ClientID is a client ID of the OIDC provider of a cluster.
type ClientID struct {
	// Name is the audience of tokens.
	Name string
	// Breaks says what does not work without it.
	Breaks string
	// Vital is true if the cluster does not work without it.
	Vital bool
}

// ClientIDs returns the client IDs of the provider that a cluster's stack creates.
func ClientIDs() []ClientID {
	breaks := []string{"the control plane's components cannot assume their roles",
		"pods cannot assume roles of their own with the tokens of AWS's SDKs"}
	list := make([]ClientID, len(breaks))
	for i, name := range audiences() {
		list[i] = ClientID{Name: name, Breaks: breaks[i], Vital: i == 0}
	}
	return list
}

// thumbprint is the thumbprint that HyperShift registers, in lower case. IAM ignores it for issuers on S3, but its API
// requires one. An existing provider keeps its own: HyperShift's CLI writes it in capital letters, and an update would
// change only the case.
const thumbprint = "a9d53002e97e00e043244f3d170d6f4c414104fd"

// NewOIDCProvider registers the provider or looks up an existing one. The error lists every fault in
// args. It also fails if an existing provider does not have the audience of the cluster's tokens.
func NewOIDCProvider(
	ctx *pulumi.Context,
	name string,
	args *OIDCProviderArgs,
	opts ...pulumi.ResourceOption,
) (*OIDCProvider, error) {
	return component.New(ctx, oidcProviderType, "OIDC provider", name, args, opts,
		func(p *OIDCProvider, args *OIDCProviderArgs) error {
			issuer := args.Issuer()
			p.IssuerURL = issuer.ToStringOutput()
			if args.Existing {
				return p.lookUp(ctx, issuer)
			}
			created, err := iam.NewOpenIdConnectProvider(ctx, name+"-provider", &iam.OpenIdConnectProviderArgs{
				Url:             issuer, // plain text if the args are, so that a guard can compare it
				ClientIdLists:   pulumi.ToStringArray(audiences()),
				ThumbprintLists: pulumi.ToStringArray([]string{thumbprint}),
				Tags:            pulumi.ToStringMap(args.Cluster.IAMTags()),
			}, pulumi.Parent(p), pulumi.IgnoreChanges([]string{"thumbprintLists"}))
			if err != nil {
				return err
			}
			p.ARN = created.Arn
			return nil
		})
}

// lookUp looks up the existing provider of an issuer.
func (p *OIDCProvider) lookUp(ctx *pulumi.Context, issuer pulumi.StringInput) error {
	if url, plain := input.Plain(issuer); plain {
		found, err := lookUpProvider(ctx, url, pulumi.Parent(p))
		p.ARN = pulumi.String(found).ToStringOutput()
		return err
	}
	p.ARN = issuer.ToStringOutput().ApplyT(func(url string) (string, error) {
		return lookUpProvider(ctx, url, pulumi.Parent(p))
	}).(pulumi.StringOutput)
	return nil
}

func lookUpProvider(ctx *pulumi.Context, issuer string, opts ...pulumi.InvokeOption) (arn string, err error) {
	found, err := iam.LookupOpenIdConnectProvider(ctx, &iam.LookupOpenIdConnectProviderArgs{Url: &issuer}, opts...)
	if err != nil {
		return "", &fault.Fault{Path: "issuerURL", Value: issuer,
			Problem: fmt.Sprintf("cannot be used, because looking up its OIDC provider failed: %s", awsprovider.Cause(err)),
			Remedy:  awsprovider.Remedy(err, "create it in this account, or set bucketName instead")}
	}
	var faults fault.Faults
	faults.Join("issuerURL", CheckClientIDs(issuer, found.Arn, found.ClientIdLists, ClientIDs()[:1]))
	return found.Arn, faults.Err()
}

// CheckClientIDs returns a fault for each needed client ID that the existing OIDC provider of an issuer does not have.
func CheckClientIDs(issuer, arn string, has []string, needed []ClientID) error {
	var faults fault.Faults
	for _, id := range needed {
		if !slices.Contains(has, id.Name) {
			faults.Add("", issuer, fmt.Sprintf("has the provider %s without the client ID %q, so %s", arn, id.Name, id.Breaks),
				"add it: aws iam add-client-id-to-open-id-connect-provider --open-id-connect-provider-arn "+arn+" --client-id "+id.Name)
		}
	}
	return faults.Err()
}
