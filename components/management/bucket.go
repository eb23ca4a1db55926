package management

import (
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// Lifetimes of unreferenced objects in a bucket, in days.
const (
	oldVersionDays       = 30
	unfinishedUploadDays = 7
)

// bucketPart is a bucket with the settings that are created before its policy.
type bucketPart struct {
	// child is the resources' name.
	child  string
	bucket *s3.BucketV2
	// settled is the last of the settings, on which the policy depends.
	settled pulumi.Resource
}

// bucket creates a bucket with enforced ownership, encryption, and old versions that expire. path is the arg that names
// it; publicPolicy allows a public bucket policy. The encryption is SSE-S3, since an anonymous reader could not decrypt
// with a KMS key. The settings depend on each other, because S3 refuses concurrent changes of one bucket. They are
// protected like the bucket: otherwise an update without a preview could delete them, and then the bucket could not be
// read.
func (b *builder) bucket(path, child, name string, publicPolicy bool) (*bucketPart, error) {
	opts := []pulumi.ResourceOption{b.parent(), b.protect()}
	if b.args.RefuseExistingBuckets {
		refuse, err := b.refuseExisting(path, child, name)
		if err != nil {
			return nil, err
		}
		opts = append(opts, refuse)
	}
	bucket, err := s3.NewBucketV2(b.ctx, child, &s3.BucketV2Args{
		Bucket:       pulumi.String(name),
		ForceDestroy: pulumi.Bool(b.args.Unprotected),
		Tags:         pulumi.ToStringMap(b.tags()),
	}, opts...)
	if err != nil {
		return nil, err
	}
	ownership, err := s3.NewBucketOwnershipControls(b.ctx, child, &s3.BucketOwnershipControlsArgs{
		Bucket: bucket.ID(),
		Rule:   s3.BucketOwnershipControlsRuleArgs{ObjectOwnership: pulumi.String("BucketOwnerEnforced")},
	}, b.parent(), b.protect())
	if err != nil {
		return nil, err
	}
	block, err := s3.NewBucketPublicAccessBlock(b.ctx, child, &s3.BucketPublicAccessBlockArgs{
		Bucket:                bucket.ID(),
		BlockPublicAcls:       pulumi.Bool(true),
		IgnorePublicAcls:      pulumi.Bool(true),
		BlockPublicPolicy:     pulumi.Bool(!publicPolicy),
		RestrictPublicBuckets: pulumi.Bool(!publicPolicy),
	}, b.parent(), b.protect(), pulumi.DependsOn([]pulumi.Resource{ownership}))
	if err != nil {
		return nil, err
	}
	encryption, err := s3.NewBucketServerSideEncryptionConfigurationV2(b.ctx, child,
		&s3.BucketServerSideEncryptionConfigurationV2Args{
			Bucket: bucket.ID(),
			Rules: s3.BucketServerSideEncryptionConfigurationV2RuleArray{s3.BucketServerSideEncryptionConfigurationV2RuleArgs{
				//nolint:lll // the name of the provider
				ApplyServerSideEncryptionByDefault: s3.BucketServerSideEncryptionConfigurationV2RuleApplyServerSideEncryptionByDefaultArgs{
					SseAlgorithm: pulumi.String("AES256"),
				},
			}},
		}, b.parent(), b.protect(), pulumi.DependsOn([]pulumi.Resource{block}))
	if err != nil {
		return nil, err
	}
	settled, err := b.versions(child, bucket, encryption)
	if err != nil {
		return nil, err
	}
	return &bucketPart{child: child, bucket: bucket, settled: settled}, nil
}

// versions turns on versioning, and expires old versions.
func (b *builder) versions(child string, bucket *s3.BucketV2, after pulumi.Resource) (pulumi.Resource, error) {
	versioning, err := s3.NewBucketVersioningV2(b.ctx, child, &s3.BucketVersioningV2Args{
		Bucket: bucket.ID(),
		VersioningConfiguration: s3.BucketVersioningV2VersioningConfigurationArgs{
			Status: pulumi.String("Enabled"),
		},
	}, b.parent(), b.protect(), pulumi.DependsOn([]pulumi.Resource{after}))
	if err != nil {
		return nil, err
	}
	return s3.NewBucketLifecycleConfigurationV2(b.ctx, child, &s3.BucketLifecycleConfigurationV2Args{
		Bucket: bucket.ID(),
		Rules: s3.BucketLifecycleConfigurationV2RuleArray{s3.BucketLifecycleConfigurationV2RuleArgs{
			Id:     pulumi.String("expire-what-is-not-current"),
			Status: pulumi.String("Enabled"),
			Filter: s3.BucketLifecycleConfigurationV2RuleFilterArgs{},
			Expiration: s3.BucketLifecycleConfigurationV2RuleExpirationArgs{
				ExpiredObjectDeleteMarker: pulumi.Bool(true),
			},
			NoncurrentVersionExpiration: s3.BucketLifecycleConfigurationV2RuleNoncurrentVersionExpirationArgs{
				NoncurrentDays: pulumi.Int(oldVersionDays),
			},
			AbortIncompleteMultipartUpload: s3.BucketLifecycleConfigurationV2RuleAbortIncompleteMultipartUploadArgs{
				DaysAfterInitiation: pulumi.Int(unfinishedUploadDays),
			},
		}},
	}, b.parent(), b.protect(), pulumi.DependsOn([]pulumi.Resource{versioning}))
}

// policy creates the bucket policy after the settings, because S3 refuses a public policy before.
func (b *builder) policy(part *bucketPart, policy pulumi.StringInput) error {
	_, err := s3.NewBucketPolicy(b.ctx, part.child, &s3.BucketPolicyArgs{
		Bucket: part.bucket.ID(),
		Policy: policy,
	}, b.parent(), b.protect(), pulumi.DependsOn([]pulumi.Resource{part.settled}))
	return err
}

// bucketARN returns the ARN of a bucket, which need not exist yet.
func bucketARN(in location.Location, name string) string { return in.PartitionARN("s3", name) }

// bucketTLSOnly denies requests to a bucket without TLS.
func bucketTLSOnly(arn string) policy.Statement {
	return policy.Statement{
		Effect:    policy.Deny,
		Principal: &policy.Principal{AWS: policy.Names{"*"}},
		Action:    []string{"s3:*"},
		Resource:  []string{arn, arn + "/*"},
		Condition: policy.Condition{"Bool": {"aws:SecureTransport": {"false"}}},
	}
}

// takenElsewhere matches the error of a lookup of a bucket that is in another account or region.
var takenElsewhere = regexp.MustCompile(`StatusCode: (403|301)\b|api error (Forbidden|MovedPermanently)\b`)

// checkBucketNames returns a fault for each bucket name that is taken by another account or in another region. A bucket
// of this account and region may be the stack's own: refuseExisting checks that.
func (b *builder) checkBucketNames() error {
	var faults fault.Faults
	type named struct{ path, name string }
	buckets := []named{{"oidcBucket.name", b.args.OIDCBucket.Name}, {"registryBucketName", b.args.RegistryBucketName}}
	if b.args.Backups != nil {
		buckets = append(buckets, named{backupBucketNameField, b.args.Backups.BucketName})
	}
	for _, bucket := range buckets {
		if bucket.name == "" {
			continue
		}
		// The lookup of a free name fails too, with another error.
		if _, err := s3.LookupBucket(b.ctx, &s3.LookupBucketArgs{Bucket: bucket.name},
			b.parent()); err != nil && takenElsewhere.MatchString(err.Error()) {
			faults.Add(bucket.path, bucket.name, "is taken by another account or in another region", "use a unique name")
		}
	}
	return faults.Err()
}

// refuseExisting returns a hook that refuses to create a bucket that exists in this account and region. The engine
// calls it, also in a preview, only if the stack does not have the bucket yet.
func (b *builder) refuseExisting(path, child, name string) (pulumi.ResourceOption, error) {
	hook, err := b.ctx.RegisterResourceHook(child+"-is-new", func(*pulumi.ResourceHookArgs) error {
		if _, err := s3.LookupBucket(b.ctx, &s3.LookupBucketArgs{Bucket: name}, b.parent()); err != nil {
			return nil //nolint:nilerr // the bucket does not exist, or its creation will fail with AWS's error
		}
		return &fault.Fault{
			Path: path, Value: name, Problem: "is an existing bucket of this account that the stack does not manage",
			Remedy: "use a unique name, or import the bucket into the stack",
		}
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	if err != nil {
		return nil, err
	}
	return pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeCreate: []*pulumi.ResourceHook{hook}}), nil
}

// registryBucket creates the private bucket of a registry for operator catalogues. The IAM policies of its users decide
// who may read and write it.
func (b *builder) registryBucket() error {
	name := b.args.RegistryBucketName
	if name == "" {
		return nil
	}
	part, err := b.bucket("registryBucketName", b.child("registry-bucket"), name, false)
	if err != nil {
		return err
	}
	b.made.RegistryBucketName = part.bucket.Bucket
	return b.policy(part, pulumi.String(policy.New(bucketTLSOnly(bucketARN(b.place, name))).JSON()))
}
