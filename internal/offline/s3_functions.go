package offline

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
)

// getBucket tells a bucket of the account from one that another account has, whose name is taken.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
func getBucket(c *call, args s3.LookupBucketArgs) (*s3.LookupBucketResult, error) {
	rec := c.find(bucketToken, args.Bucket)
	switch {
	case rec != nil:
	case c.bucketAbroad(args.Bucket):
		return nil, fmt.Errorf("reading S3 Bucket (%s): operation error S3: HeadBucket, api error %w", args.Bucket,
			refuse("Forbidden", "Forbidden"))
	default:
		return nil, fmt.Errorf("reading S3 Bucket (%s): %w", args.Bucket, errors.New("couldn't find resource"))
	}
	s := rec.State
	return &s3.LookupBucketResult{Id: rec.ID, Bucket: rec.ID, Arn: s.text("arn"), Region: s.text("region"),
		BucketDomainName: s.text("bucketDomainName"), BucketRegionalDomainName: s.text("bucketRegionalDomainName"),
		HostedZoneId: s.text("hostedZoneId")}, nil
}

// bucketFunctions are the functions that look up buckets.
func bucketFunctions() []*function {
	return []*function{
		answering("aws:s3/getBucket:getBucket", getBucket),
	}
}
