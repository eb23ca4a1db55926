package management

import (
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/cloudfront"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// DistributionArgs set a custom domain for the distribution. Without it, CloudFront assigns a domain, which also
// accepts TLS 1.0 and 1.1; with it, TLS 1.2 is required.
type DistributionArgs struct {
	// Domain is a custom domain for the clusters' issuers. Make it a CNAME of the distribution's domain. Default: the
	// distribution's domain, <id>.cloudfront.net.
	Domain string `yaml:"domain" pulumi:"domain,optional"`
	// CertificateARN is the ARN of the domain's certificate in AWS Certificate Manager of us-east-1. Required with domain.
	CertificateARN pulumi.StringInput `yaml:"certificateARN" pulumi:"certificateARN,optional"`
}

var certificatePattern = regexp.MustCompile(`^arn:aws:acm:us-east-1:[0-9]{12}:certificate/[A-Za-z0-9-]+$`)

// Validate returns every fault in args.
func (args DistributionArgs) Validate() error {
	var faults fault.Faults
	if args.Domain != "" {
		faults.Join("domain", hypershift.ValidateDomain(args.Domain))
	}
	switch {
	case args.Domain != "" && !input.IsSet(args.CertificateARN):
		faults.Add("certificateARN", nil, "is missing, but CloudFront needs a certificate for the domain",
			"set the certificate of domain")
	case args.Domain == "" && input.IsSet(args.CertificateARN):
		faults.Add("domain", nil, "is missing, but certificateARN is set", "set the domain that the certificate is for")
	case input.IsSet(args.CertificateARN):
		faults.Join("certificateARN", input.IfPlain(args.CertificateARN, validateCertificate))
	}
	return faults.Err()
}

func validateCertificate(arn string) error {
	if certificatePattern.MatchString(arn) {
		return nil
	}
	return &fault.Fault{
		Value: arn, Problem: "is not the ARN of a certificate that CloudFront can use",
		Remedy: "use arn:aws:acm:us-east-1:<account>:certificate/<id>",
	}
}

// cachingDisabled is the ID of the AWS managed cache policy that caches nothing and forwards no cookies, headers or
// queries. A cluster that is created again with the same infra ID has new keys, and a cached old document would
// invalidate its tokens; IAM reads the documents rarely. Source: "Use managed cache policies" in the CloudFront
// developer guide.
const cachingDisabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"

// distribution creates the distribution that reads the bucket with signed requests.
func (b *builder) distribution(part *bucketPart) (*cloudfront.Distribution, error) {
	control, err := cloudfront.NewOriginAccessControl(b.ctx, part.child, &cloudfront.OriginAccessControlArgs{
		Name:                          pulumi.String(b.args.OIDCBucket.Name),
		Description:                   pulumi.String("Reads the OIDC documents of hosted clusters"),
		OriginAccessControlOriginType: pulumi.String("s3"),
		SigningBehavior:               pulumi.String("always"),
		SigningProtocol:               pulumi.String("sigv4"),
	}, b.parent(), b.protect())
	if err != nil {
		return nil, err
	}
	const origin = "oidc-bucket"
	readOnly := pulumi.ToStringArray([]string{"GET", "HEAD"})
	args := &cloudfront.DistributionArgs{
		Comment:       pulumi.String("OIDC documents of hosted clusters, from bucket " + b.args.OIDCBucket.Name),
		Enabled:       pulumi.Bool(true),
		IsIpv6Enabled: pulumi.Bool(true),
		HttpVersion:   pulumi.String("http2and3"),
		PriceClass:    pulumi.String("PriceClass_100"),
		Origins: cloudfront.DistributionOriginArray{cloudfront.DistributionOriginArgs{
			OriginId:              pulumi.String(origin),
			DomainName:            part.bucket.BucketRegionalDomainName,
			OriginAccessControlId: control.ID(),
		}},
		DefaultCacheBehavior: cloudfront.DistributionDefaultCacheBehaviorArgs{
			TargetOriginId:       pulumi.String(origin),
			ViewerProtocolPolicy: pulumi.String("https-only"),
			AllowedMethods:       readOnly,
			CachedMethods:        readOnly,
			CachePolicyId:        pulumi.String(cachingDisabled),
			Compress:             pulumi.Bool(true),
		},
		// IAM reads the documents from any location.
		Restrictions: cloudfront.DistributionRestrictionsArgs{
			GeoRestriction: cloudfront.DistributionRestrictionsGeoRestrictionArgs{RestrictionType: pulumi.String("none")},
		},
		ViewerCertificate: cloudfront.DistributionViewerCertificateArgs{CloudfrontDefaultCertificate: pulumi.Bool(true)},
		Tags:              pulumi.ToStringMap(b.tags()),
	}
	if own := b.args.OIDCBucket.distribution(); own.Domain != "" {
		certificate, err := input.Check("oidcBucket.distribution.certificateARN", own.CertificateARN, validateCertificate)
		if err != nil {
			return nil, err
		}
		args.Aliases = pulumi.ToStringArray([]string{own.Domain})
		args.ViewerCertificate = cloudfront.DistributionViewerCertificateArgs{
			AcmCertificateArn:      input.Optional(certificate),
			MinimumProtocolVersion: pulumi.String("TLSv1.2_2021"),
			SslSupportMethod:       pulumi.String("sni-only"),
		}
	}
	return cloudfront.NewDistribution(b.ctx, part.child, args, b.parent(), b.protect())
}
