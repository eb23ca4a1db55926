package management

import (
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// takenElsewhere matches S3's answer to a question about a bucket that another account or region has.
var takenElsewhere = regexp.MustCompile(`StatusCode: (403|301)\b|api error (Forbidden|MovedPermanently)\b`)

// checkBucketNames returns a fault for each bucket whose name another account has, or this one in another
// region. A bucket of this account and region may be the one that was made here: refuseExisting tells.
func (b *builder) checkBucketNames() error {
	var faults fault.Faults
	for _, bucket := range []struct{ path, name string }{
		{"oidcBucket.name", b.args.OIDCBucket.Name},
		{"registryBucketName", b.args.RegistryBucketName},
	} {
		if bucket.name == "" {
			continue
		}
		// A name that nobody has is an error too, and the one that is hoped for.
		if _, err := s3.LookupBucket(b.ctx, &s3.LookupBucketArgs{Bucket: bucket.name}, b.parent()); err != nil && takenElsewhere.MatchString(err.Error()) {
			faults.Add(bucket.path, bucket.name, "is taken by another account or in another region", "give a unique name")
		}
	}
	return faults.Err()
}

// refuseExisting is the hook that refuses to make a bucket which this account and region have. It is called,
// in a preview as well, only where the stack has yet to make the bucket.
func (b *builder) refuseExisting(path, child, name string) (pulumi.ResourceOption, error) {
	hook, err := b.ctx.RegisterResourceHook(child+"-is-new", func(*pulumi.ResourceHookArgs) error {
		if _, err := s3.LookupBucket(b.ctx, &s3.LookupBucketArgs{Bucket: name}, b.parent()); err != nil {
			return nil //nolint:nilerr // there is none, or AWS will say why it cannot be made
		}
		return &fault.Fault{
			Path: path, Value: name, Problem: "is an existing bucket of this account that the stack does not manage",
			Remedy: "give a unique name, or import the bucket into the stack",
		}
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	if err != nil {
		return nil, err
	}
	return pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeCreate: []*pulumi.ResourceHook{hook}}), nil
}
