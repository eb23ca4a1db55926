package orphan

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// setting lists a setting of a bucket if the bucket has it.
func setting(has func(ctx context.Context, c *clients, bucket *string) (bool, error)) lister {
	return func(ctx context.Context, _ *listedAccount, c *clients, q Query) ([]Resource, error) {
		name := q.Text("bucket")
		found, err := has(ctx, c, &name)
		if err != nil || !found {
			return nil, err
		}
		return []Resource{resource(Leftover{Found: Found{ID: name}}, map[string]any{"bucket": name})}, nil
	}
}

// bucketListers list the settings of buckets.
func bucketListers() map[string]lister {
	return map[string]lister{
		"aws:s3/bucketPolicy:BucketPolicy": setting(func(ctx context.Context, c *clients, bucket *string) (bool, error) {
			_, err := c.s3.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: bucket})
			return err == nil, err
		}),
		"aws:s3/bucketOwnershipControls:BucketOwnershipControls": setting(func(ctx context.Context, c *clients, bucket *string) (bool, error) {
			_, err := c.s3.GetBucketOwnershipControls(ctx, &s3.GetBucketOwnershipControlsInput{Bucket: bucket})
			return err == nil, err
		}),
		"aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": setting(func(ctx context.Context, c *clients, bucket *string) (bool, error) {
			_, err := c.s3.GetPublicAccessBlock(ctx, &s3.GetPublicAccessBlockInput{Bucket: bucket})
			return err == nil, err
		}),
		"aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2": setting(
			func(ctx context.Context, c *clients, bucket *string) (bool, error) {
				_, err := c.s3.GetBucketEncryption(ctx, &s3.GetBucketEncryptionInput{Bucket: bucket})
				return err == nil, err
			}),
		"aws:s3/bucketVersioningV2:BucketVersioningV2": setting(func(ctx context.Context, c *clients, bucket *string) (bool, error) {
			out, err := c.s3.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: bucket})
			return err == nil && out.Status != "", err // without versioning there is nothing to import
		}),
		"aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2": setting(
			func(ctx context.Context, c *clients, bucket *string) (bool, error) {
				_, err := c.s3.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: bucket})
				return err == nil, err
			}),
	}
}

// otherListers list aliases of keys, buckets, and tagged resources of other services.
func otherListers() map[string]lister {
	byTags := func(ctx context.Context, a *listedAccount, _ *clients, q Query) (found []Resource, err error) {
		if len(q.Owner()) == 0 {
			return nil, ErrNotListed
		}
		cfg, err := a.load(ctx)
		if err != nil {
			return nil, err
		}
		record, _ := awstype.Of(q.Type)
		tagged, err := findARNs(ctx, a.tagging(cfg, record.Find.Tags.Region), []awstype.Type{record}, q.Owner())
		for _, f := range tagged {
			found = append(found, Resource{Found: f, Properties: map[string]any{"arn": f.ARN}})
		}
		return found, err
	}
	return map[string]lister{
		awstype.KMSAlias: func(ctx context.Context, a *listedAccount, _ *clients, _ Query) (found []Resource, err error) {
			cfg, err := a.load(ctx)
			if err != nil {
				return nil, err
			}
			client := kms.NewFromConfig(cfg, func(o *kms.Options) { a.settings.SetEndpoint("kms", &o.BaseEndpoint) })
			request := &kms.ListAliasesInput{}
			for {
				page, err := client.ListAliases(ctx, request)
				if err != nil {
					return nil, err
				}
				for _, alias := range page.Aliases {
					found = append(found, resource(Leftover{Found: Found{ID: aws.ToString(alias.AliasName)}}, map[string]any{
						"name": alias.AliasName, "targetKeyId": alias.TargetKeyId}))
				}
				if !page.Truncated {
					return found, nil
				}
				request.Marker = page.NextMarker
			}
		},
		awstype.Bucket: func(ctx context.Context, _ *listedAccount, c *clients, q Query) ([]Resource, error) {
			name := q.Text("bucket")
			_, err := c.s3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &name})
			var api smithy.APIError
			if errors.As(err, &api) && (api.ErrorCode() == "NotFound" || api.ErrorCode() == "NoSuchBucket") {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return []Resource{resource(Leftover{Found: Found{ID: name}}, map[string]any{"bucket": name})}, nil
		},
		awstype.KMSKey: byTags,
		"aws:cloudfront/distribution:Distribution":          byTags,
		"aws:ram/resourceShare:ResourceShare":               byTags,
		"aws:ram/resourceAssociation:ResourceAssociation":   assumed,
		"aws:ram/principalAssociation:PrincipalAssociation": assumed,
	}
}

// assumed returns a part of a resource that exists, and therefore exists too.
func assumed(_ context.Context, _ *listedAccount, _ *clients, q Query) ([]Resource, error) {
	return []Resource{{Properties: q.Inputs}}, nil
}
