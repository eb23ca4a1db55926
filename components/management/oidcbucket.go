package management

import (
	"cmp"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
)

// OIDCBucketArgs configure the bucket of the hosted clusters' OIDC documents. HyperShift's operator writes two
// documents per cluster, once, under "<infraID>/".
type OIDCBucketArgs struct {
	// Name is the name of the bucket: 3 to 63 characters of a-z, 0-9 and "-". Required. Changing it replaces the bucket.
	Name string `yaml:"name" pulumi:"name"`
	// Access is how the documents are read: from the bucket itself (PublicRead), or from CloudFront (ThroughCloudFront),
	// for accounts that block public buckets. Default PublicRead.
	Access DocumentAccess `yaml:"access" pulumi:"access,optional"`
	// Distribution configures the distribution of access ThroughCloudFront. Default: CloudFront's own domain.
	Distribution *DistributionArgs `yaml:"distribution" pulumi:"distribution,optional"`
}

// distribution returns Distribution, or its zero value for nil.
func (args OIDCBucketArgs) distribution() DistributionArgs {
	if args.Distribution == nil {
		return DistributionArgs{}
	}
	return *args.Distribution
}

// DocumentAccess is how clients such as IAM read the OIDC documents.
type DocumentAccess string

const (
	// PublicRead documents are read from the bucket itself. Only they are public. It is the default. It is not possible in
	// an account or organization that blocks public buckets.
	PublicRead DocumentAccess = "PublicRead"
	// ThroughCloudFront documents are read through a CloudFront distribution, the only reader of the bucket; the issuer is
	// then the distribution. It is only available in the partition aws.
	ThroughCloudFront DocumentAccess = "ThroughCloudFront"
)

// OrDefault returns a, or PublicRead for the zero value.
func (a DocumentAccess) OrDefault() DocumentAccess { return cmp.Or(a, PublicRead) }

// Validate returns a fault for an unknown value.
func (a DocumentAccess) Validate() error {
	return enum.Validate(a, "is not an access to the documents", PublicRead, ThroughCloudFront)
}

// Validate returns every fault in args that can be found without calling AWS.
func (args OIDCBucketArgs) Validate() error {
	var faults fault.Faults
	faults.Join("name", hypershift.ValidateBucketName(args.Name))
	faults.Join("access", args.Access.Validate())
	if args.Access.OrDefault() == PublicRead && args.distribution() != (DistributionArgs{}) {
		faults.Add("distribution", nil, "is only used with access ThroughCloudFront",
			"use access ThroughCloudFront, or leave it out")
	} else {
		faults.Join("distribution", args.distribution().Validate())
	}
	return faults.Err()
}

// validateIn returns a fault for an access that the partition does not support.
func (args OIDCBucketArgs) validateIn(in location.Location) error {
	if args.Access.OrDefault() != ThroughCloudFront || in.Partition == "aws" {
		return nil
	}
	return &fault.Fault{
		Path: "access", Value: string(args.Access),
		Problem: "is not available in partition " + in.Partition,
		Remedy:  "use PublicRead",
	}
}

// oidcBucket creates the bucket and, with ThroughCloudFront, the distribution.
func (b *builder) oidcBucket() error {
	args := b.args.OIDCBucket
	public := args.Access.OrDefault() == PublicRead
	part, err := b.bucket("oidcBucket.name", b.child("oidc-bucket"), args.Name, public)
	if err != nil {
		return err
	}
	b.made.BucketName = part.bucket.Bucket
	arn := bucketARN(b.place, args.Name)
	if public {
		b.made.IssuerBaseURL = pulumi.Sprintf("https://%s.s3.%s.%s", part.bucket.Bucket, b.place.Region, b.place.DNSSuffix)
		return b.policy(part, pulumi.String(publicDocuments(arn).JSON()))
	}
	distribution, err := b.distribution(part)
	if err != nil {
		return err
	}
	b.made.DistributionDomain = distribution.DomainName
	b.made.IssuerBaseURL = pulumi.Sprintf("https://%s", distribution.DomainName)
	if domain := args.distribution().Domain; domain != "" {
		b.made.IssuerBaseURL = pulumi.String("https://" + domain).ToStringOutput()
	}
	return b.policy(part, distribution.Arn.ApplyT(func(distributionARN string) string {
		return distributedDocuments(arn, distributionARN).JSON()
	}).(pulumi.StringOutput))
}

// documentARNs returns the two documents of every cluster. Source: HyperShift, support/oidc.
func documentARNs(bucketARN string) []string {
	return []string{
		fmt.Sprintf("%s/*/.well-known/openid-configuration", bucketARN),
		fmt.Sprintf("%s/*/openid/v1/jwks", bucketARN),
	}
}

// publicDocuments allows everyone to read the documents.
func publicDocuments(bucketARN string) policy.Document {
	return policy.New(
		bucketTLSOnly(bucketARN),
		policy.Statement{
			Effect:    policy.Allow,
			Principal: &policy.Principal{AWS: policy.Names{"*"}},
			Action:    []string{"s3:GetObject"},
			Resource:  documentARNs(bucketARN),
		},
	)
}

// distributedDocuments allows only the distribution to read the documents.
func distributedDocuments(bucketARN, distributionARN string) policy.Document {
	return policy.New(
		bucketTLSOnly(bucketARN),
		policy.Statement{
			Effect:    policy.Allow,
			Principal: &policy.Principal{Service: policy.Names{"cloudfront.amazonaws.com"}},
			Action:    []string{"s3:GetObject"},
			Resource:  documentARNs(bucketARN),
			Condition: policy.Condition{"StringEquals": {"aws:SourceArn": {distributionARN}}},
		},
	)
}
