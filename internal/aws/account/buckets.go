package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	taggingtypes "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// setting lists a setting of a bucket if the bucket has it. read returns properties of the setting besides the bucket.
func setting(
	read func(ctx context.Context, c *clients, bucket *string) (has bool, properties map[string]any, err error),
) lister {
	return lister{list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
		name := q.Text("bucket")
		has, properties, err := read(ctx, c, &name)
		if err != nil || !has {
			return nil, err
		}
		r := named(name, properties)
		r.Properties["bucket"] = name
		return []inventory.Resource{r}, nil
	}}
}

// bucketListers list buckets and their settings.
func bucketListers() map[string]lister {
	return map[string]lister{
		awstype.Bucket: {brief: true, dated: true, list: listBuckets, remove: deleteBucket,
			created: func(ctx context.Context, c *clients, id string) (*time.Time, error) {
				created, err := bucketTimes(ctx, c)
				if at, exists := created[id]; exists {
					return &at, err
				}
				return nil, err
			}},
		awstype.BucketObject: {list: firstObject},
		awstype.BucketPolicy: setting(func(ctx context.Context, c *clients, bucket *string) (bool, map[string]any, error) {
			got, err := c.s3.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: bucket})
			if err != nil {
				return false, nil, err
			}
			return true, map[string]any{"policy": got.Policy}, nil
		}),
		awstype.BucketOwnership: setting(func(ctx context.Context, c *clients, bucket *string) (bool, map[string]any, error) {
			return true, nil, send(ctx, c.s3.GetBucketOwnershipControls, &s3.GetBucketOwnershipControlsInput{Bucket: bucket})
		}),
		awstype.BucketPublicAccess: setting(func(
			ctx context.Context,
			c *clients,
			bucket *string,
		) (bool, map[string]any, error) {
			return true, nil, send(ctx, c.s3.GetPublicAccessBlock, &s3.GetPublicAccessBlockInput{Bucket: bucket})
		}),
		awstype.BucketEncryption: setting(func(
			ctx context.Context,
			c *clients,
			bucket *string,
		) (bool, map[string]any, error) {
			return true, nil, send(ctx, c.s3.GetBucketEncryption, &s3.GetBucketEncryptionInput{Bucket: bucket})
		}),
		awstype.BucketVersioning: setting(func(
			ctx context.Context,
			c *clients,
			bucket *string,
		) (bool, map[string]any, error) {
			out, err := c.s3.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: bucket})
			return err == nil && out.Status != "", nil, err // without versioning there is nothing to import
		}),
		awstype.BucketLifecycle: setting(func(ctx context.Context, c *clients, bucket *string) (bool, map[string]any, error) {
			return true, nil, send(ctx, c.s3.GetBucketLifecycleConfiguration,
				&s3.GetBucketLifecycleConfigurationInput{Bucket: bucket})
		}),
	}
}

// listBuckets lists the bucket with the query's name or ID, or the region's buckets that have tags: the tagging API
// needs no request per bucket.
func listBuckets(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
	if name := q.Text("bucket"); name != "" {
		if err := send(ctx, c.s3.HeadBucket, &s3.HeadBucketInput{Bucket: &name}); err != nil {
			return nil, err
		}
		return []inventory.Resource{named(name, map[string]any{"bucket": name})}, nil
	}
	if len(q.IDs) > 0 {
		out, err := c.s3.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: &q.IDs[0]})
		if err != nil {
			return nil, err // also NoSuchTagSet: without tags it belongs to no cluster
		}
		return []inventory.Resource{one(&q.IDs[0], out.TagSet, func(t s3types.Tag) (*string, *string) {
			return t.Key, t.Value
		}, map[string]any{"bucket": q.IDs[0]})}, nil
	}
	found, err := each(ctx, c.tagging("").GetResources, &tagging.GetResourcesInput{ResourceTypeFilters: []string{"s3"}},
		func(p *tagging.GetResourcesOutput) []taggingtypes.ResourceTagMapping { return p.ResourceTagMappingList },
		func(m taggingtypes.ResourceTagMapping) inventory.Resource {
			_, name, isBucket := strings.Cut(aws.ToString(m.ResourceARN), ":s3:::")
			if !isBucket || strings.Contains(name, "/") {
				return inventory.Resource{}
			}
			r := one(&name, m.Tags, taggingPair, map[string]any{"bucket": name})
			r.ARN = aws.ToString(m.ResourceARN)
			return r
		})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	created, err := bucketTimes(ctx, c)
	for i := range found {
		found[i].Created = created[found[i].ID]
	}
	return found, err
}

// firstObject lists the object with the query's ID, or one object of the query's bucket, if there is any.
func firstObject(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
	bucket, key := q.Text("bucket"), ""
	if len(q.IDs) > 0 {
		bucket, key, _ = strings.Cut(q.IDs[0], "/")
	}
	out, err := c.s3.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: &bucket, Prefix: &key, MaxKeys: aws.Int32(1), ExpectedBucketOwner: aws.String(c.place.Account)})
	if err != nil {
		return nil, err
	}
	var found []inventory.Resource
	for _, object := range out.Contents {
		found = append(found, named(bucket+"/"+aws.ToString(object.Key), map[string]any{"bucket": bucket, "key": object.Key}))
	}
	return found, nil
}

// bucketTimes returns when the account's buckets were created, by name.
func bucketTimes(ctx context.Context, c *clients) (map[string]time.Time, error) {
	created := map[string]time.Time{}
	err := eachPage(ctx, NewPages(c.s3.ListBuckets, &s3.ListBucketsInput{}), func(page *s3.ListBucketsOutput) {
		for _, b := range page.Buckets {
			created[aws.ToString(b.Name)] = aws.ToTime(b.CreationDate)
		}
	})
	return created, err
}

// objectsAtOnce is how many objects one request deletes.
const objectsAtOnce = 1000

// deleteBucket deletes all versions of all objects, then the bucket.
func deleteBucket(ctx context.Context, c *clients, r inventory.Resource) error {
	owner := aws.String(c.place.Account)
	pages := NewPages(c.s3.ListObjectVersions, &s3.ListObjectVersionsInput{Bucket: &r.ID, ExpectedBucketOwner: owner})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		var objects []s3types.ObjectIdentifier
		for _, v := range page.Versions {
			objects = append(objects, s3types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
		}
		for _, m := range page.DeleteMarkers {
			objects = append(objects, s3types.ObjectIdentifier{Key: m.Key, VersionId: m.VersionId})
		}
		for some := range slices.Chunk(objects, objectsAtOnce) {
			out, err := c.s3.DeleteObjects(ctx, &s3.DeleteObjectsInput{
				Bucket: &r.ID, ExpectedBucketOwner: owner, Delete: &s3types.Delete{Objects: some, Quiet: aws.Bool(true)}})
			if err != nil {
				return err
			}
			var errs []error
			for _, refused := range out.Errors {
				errs = append(errs, fmt.Errorf("object %s: %s: %s", aws.ToString(refused.Key), aws.ToString(refused.Code), aws.ToString(refused.Message)))
			}
			if err := errors.Join(errs...); err != nil {
				return err
			}
		}
	}
	return send(ctx, c.s3.DeleteBucket, &s3.DeleteBucketInput{Bucket: &r.ID, ExpectedBucketOwner: owner})
}
