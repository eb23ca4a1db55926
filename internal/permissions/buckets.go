package permissions

const (
	bucketToken = "aws:s3/bucketV2:BucketV2"
	bucketARN   = "arn:{partition}:s3:::{bucket}"
)

// bucketEntries are S3's buckets, with their settings, each a resource of its own.
func bucketEntries() []entry {
	bucket := of(bucketToken, "bucket", "bucket", bucketARN)
	objects := of(bucketToken, "bucket", "bucket", bucketARN+"/*")
	return []entry{
		{
			token:  bucketToken,
			create: []string{"s3:CreateBucket", "s3:PutBucketTagging"},
			read: []string{
				"s3:ListBucket", "s3:GetBucketLocation", "s3:GetBucketAcl", "s3:GetBucketCORS", "s3:GetBucketLogging",
				"s3:GetBucketObjectLockConfiguration", "s3:GetBucketPolicy", "s3:GetBucketRequestPayment", "s3:GetBucketTagging",
				"s3:GetBucketVersioning", "s3:GetBucketWebsite", "s3:GetAccelerateConfiguration", "s3:GetEncryptionConfiguration",
				"s3:GetLifecycleConfiguration", "s3:GetReplicationConfiguration",
			},
			remove: []string{"s3:DeleteBucket", "s3:ListBucketVersions"},
			on:     arn(bucketARN),
			besides: []grant{{
				actions: []string{"s3:DeleteObject", "s3:DeleteObjectVersion"},
				on:      objects, // where the bucket goes with what is in it
			}},
		},
		{token: "aws:s3/getBucket:getBucket", read: []string{"s3:ListBucket", "s3:GetBucketLocation"}, on: arn(bucketARN)},
		{
			token:  "aws:s3/bucketObjectv2:BucketObjectv2",
			create: []string{"s3:PutObject", "s3:PutObjectTagging"},
			read:   []string{"s3:GetObject", "s3:GetObjectTagging"},
			remove: []string{"s3:DeleteObject", "s3:DeleteObjectVersion"},
			on:     objects,
			besides: []grant{{
				actions: []string{"s3:ListBucket", "s3:ListBucketVersions"}, on: bucket,
			}},
		},
		{
			token:  "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
			create: []string{"s3:PutBucketOwnershipControls"},
			read:   []string{"s3:GetBucketOwnershipControls"},
			on:     bucket,
		},
		{
			token:  "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
			create: []string{"s3:PutBucketPublicAccessBlock"},
			read:   []string{"s3:GetBucketPublicAccessBlock"},
			on:     bucket,
		},
		{
			token:  "aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2",
			create: []string{"s3:PutEncryptionConfiguration"},
			read:   []string{"s3:GetEncryptionConfiguration"},
			on:     bucket,
		},
		{
			token:  "aws:s3/bucketVersioningV2:BucketVersioningV2",
			create: []string{"s3:PutBucketVersioning"},
			read:   []string{"s3:GetBucketVersioning"},
			on:     bucket,
		},
		{
			token:  "aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2",
			create: []string{"s3:PutLifecycleConfiguration"},
			read:   []string{"s3:GetLifecycleConfiguration"},
			on:     bucket,
		},
		{
			token:  "aws:s3/bucketPolicy:BucketPolicy",
			create: []string{"s3:PutBucketPolicy"},
			read:   []string{"s3:GetBucketPolicy"},
			remove: []string{"s3:DeleteBucketPolicy"},
			on:     bucket,
		},
	}
}
