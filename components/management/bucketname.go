package management

import (
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// takenElsewhere matches S3's answer to a question about a bucket that another account or region has.
var takenElsewhere = regexp.MustCompile(`StatusCode: (403|301)\b|api error (Forbidden|MovedPermanently)\b`)

// checkBucketNames returns a fault for each bucket whose name another account has, or this one in another
// region. A bucket of this account and region may be the one that was made here; where it is not, AWS
// refuses to make it.
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
			faults.Add(bucket.path, bucket.name, "is taken by another account or in another region", "give a name that nobody has")
		}
	}
	return faults.Err()
}
