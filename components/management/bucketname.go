package management

import (
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// takenElsewhere matches the error of a lookup of a bucket that is in another account or region.
var takenElsewhere = regexp.MustCompile(`StatusCode: (403|301)\b|api error (Forbidden|MovedPermanently)\b`)

// checkBucketNames returns a fault for each bucket name that is taken by another account or in another region. A bucket of this
// account and region may be the stack's own: refuseExisting checks that.
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
		if _, err := s3.LookupBucket(b.ctx, &s3.LookupBucketArgs{Bucket: bucket.name}, b.parent()); err != nil && takenElsewhere.MatchString(err.Error()) {
			faults.Add(bucket.path, bucket.name, "is taken by another account or in another region", "use a unique name")
		}
	}
	return faults.Err()
}

// refuseExisting returns a hook that refuses to create a bucket that exists in this account and region. The engine calls it, also in a
// preview, only if the stack does not have the bucket yet.
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
