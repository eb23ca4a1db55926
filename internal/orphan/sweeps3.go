package orphan

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

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
)

// listBuckets lists the region's buckets that have tags, by the tagging API: it needs no request per bucket.
func listBuckets(ctx context.Context, c *clients, names []string) (found []Leftover, err error) {
	if len(names) > 0 {
		out, err := c.s3.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: &names[0]})
		if err != nil {
			return nil, err // also NoSuchTagSet: without tags it belongs to no cluster
		}
		return []Leftover{one(names[0], out.TagSet, func(t s3types.Tag) (*string, *string) { return t.Key, t.Value })}, nil
	}
	pages := tagging.NewGetResourcesPaginator(awsrequest.GetResources(c.tagging.GetResources), &tagging.GetResourcesInput{ResourceTypeFilters: []string{"s3"}})
	err = eachPage(ctx, pages, func(page *tagging.GetResourcesOutput) {
		for _, r := range page.ResourceTagMappingList {
			_, name, isBucket := strings.Cut(aws.ToString(r.ResourceARN), ":s3:::")
			if isBucket && !strings.Contains(name, "/") {
				l := one(name, r.Tags, func(t taggingtypes.Tag) (*string, *string) { return t.Key, t.Value })
				l.ARN = aws.ToString(r.ResourceARN)
				found = append(found, l)
			}
		}
	})
	if err != nil || len(found) == 0 {
		return nil, explained("buckets", err)
	}
	created := map[string]time.Time{}
	buckets := s3.NewListBucketsPaginator(awsrequest.ListBuckets(c.s3.ListBuckets), &s3.ListBucketsInput{})
	err = eachPage(ctx, buckets, func(page *s3.ListBucketsOutput) {
		for _, b := range page.Buckets {
			created[aws.ToString(b.Name)] = aws.ToTime(b.CreationDate)
		}
	})
	for i := range found {
		found[i].Created = created[found[i].ID]
	}
	return found, explained("buckets", err)
}

// objectsAtOnce is how many objects one request deletes.
const objectsAtOnce = 1000

// deleteBucket deletes all versions of all objects, then the bucket.
func deleteBucket(ctx context.Context, c *clients, l Leftover) error {
	owner := aws.String(c.place.Account)
	pages := s3.NewListObjectVersionsPaginator(awsrequest.ListObjectVersions(c.s3.ListObjectVersions), &s3.ListObjectVersionsInput{Bucket: &l.ID, ExpectedBucketOwner: owner})
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
				Bucket: &l.ID, ExpectedBucketOwner: owner, Delete: &s3types.Delete{Objects: some, Quiet: aws.Bool(true)}})
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
	return send(ctx, c.s3.DeleteBucket, &s3.DeleteBucketInput{Bucket: &l.ID, ExpectedBucketOwner: owner})
}
