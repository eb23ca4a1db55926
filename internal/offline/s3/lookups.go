package s3

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// getBucket distinguishes a bucket of the account from one of another account, whose name is taken.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
func getBucket(c *aws.Call, args s3.LookupBucketArgs) (*s3.LookupBucketResult, error) {
	rec := c.Find(awstype.Bucket, args.Bucket)
	switch {
	case rec != nil:
	case bucketInOtherAccount(c, args.Bucket):
		return nil, fmt.Errorf("reading S3 Bucket (%s): operation error S3: HeadBucket, api error %w", args.Bucket,
			awserr.Errorf("Forbidden", "Forbidden"))
	default:
		return nil, fmt.Errorf("reading S3 Bucket (%s): %w", args.Bucket, errors.New("couldn't find resource"))
	}
	return aws.Describe[s3.LookupBucketResult](c, rec, props.Map{"bucket": rec.ID})
}

// Functions returns the functions that look up buckets.
func Functions() []*aws.Function {
	return []*aws.Function{
		aws.NewFunction("aws:s3/getBucket:getBucket", getBucket),
	}
}
