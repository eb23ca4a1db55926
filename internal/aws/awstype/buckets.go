package awstype

// Bucket is the token of S3's buckets. Their settings are resources of their own.
const (
	Bucket             = "aws:s3/bucketV2:BucketV2"
	bucketARN          = "arn:{partition}:s3:::{bucket}"
	BucketPolicy       = "aws:s3/bucketPolicy:BucketPolicy"
	BucketObject       = "aws:s3/bucketObjectv2:BucketObjectv2"
	BucketOwnership    = "aws:s3/bucketOwnershipControls:BucketOwnershipControls"
	BucketPublicAccess = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
	BucketEncryption   = "aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2"
	BucketVersioning   = "aws:s3/bucketVersioningV2:BucketVersioningV2"
	BucketLifecycle    = "aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2"
)

func bucketTypes() []Type {
	bucket := Scope{ARNs: []string{bucketARN}, Owner: Bucket, Input: "bucket", Key: "bucket"}
	objects := Scope{ARNs: []string{bucketARN + "/*"}, Owner: Bucket, Input: "bucket", Key: "bucket"}
	// setting is a part of a bucket that creation only sets, and that is deleted with it.
	setting := func(token, label string, put, get string) Type {
		return Type{
			Token: token, Label: label, Guard: Guard{Unneeded: "it is a setting of a bucket, which is guarded"},
			Permissions: Permissions{Create: []string{put}, Read: []string{get}, On: bucket},
			Reads:       Reads{Named: []string{get}},
			Find:        Find{Replaceable: true}, Price: Free, Adopt: adoptedBySearch("bucket"),
		}
	}
	policy := setting(BucketPolicy, "bucket policy", "s3:PutBucketPolicy", "s3:GetBucketPolicy")
	policy.Permissions.Delete = []string{"s3:DeleteBucketPolicy"}
	policy.Guard = Guard{
		Needed: "AWS reads the keys of clusters' issuers by it", Fixed: []string{"bucket"}, Within: []string{"bucket"},
		Losses:    policyLosses("policy", "be read by"),
		InputKeys: map[string]string{"policy": "oidcBucket.access"}, Keys: "oidcBucket.access",
	}
	access := setting(BucketPublicAccess, "bucket public access block",
		"s3:PutBucketPublicAccessBlock", "s3:GetBucketPublicAccessBlock")
	access.Guard = Guard{
		Needed: "everyone may read the keys of clusters' issuers as it is", Fixed: []string{"bucket"},
		Within: []string{"bucket"},
		Losses: publicReadLosses, Keys: "oidcBucket.access", InputKeys: map[string]string{
			"blockPublicPolicy": "oidcBucket.access", "restrictPublicBuckets": "oidcBucket.access",
		},
	}
	return []Type{
		{
			Token: Bucket, Label: "S3 bucket", Tagged: true,
			Guard: Guard{
				Needed:    "it has data of clusters, such as the keys that verify their tokens",
				Fixed:     []string{"bucket"},
				Protected: ForUsers,
			},
			Permissions: Permissions{
				Create: []string{"s3:CreateBucket", "s3:PutBucketTagging"},
				Read: []string{
					"s3:ListBucket", "s3:GetBucketAcl", "s3:GetBucketCORS", "s3:GetBucketLogging",
					"s3:GetBucketObjectLockConfiguration", "s3:GetBucketPolicy", "s3:GetBucketRequestPayment", "s3:GetBucketTagging",
					"s3:GetBucketVersioning", "s3:GetBucketWebsite", "s3:GetAccelerateConfiguration", "s3:GetEncryptionConfiguration",
					"s3:GetLifecycleConfiguration", "s3:GetReplicationConfiguration",
				},
				Delete: []string{"s3:DeleteBucket", "s3:ListBucketVersions"},
				On:     on(bucketARN),
				// A bucket with forceDestroy is deleted with its objects.
				Others: []Grant{{Actions: []string{"s3:DeleteObject", "s3:DeleteObjectVersion"}, On: objects}},
			},
			Reads: Reads{
				List: []string{"s3:ListAllMyBuckets", "tag:GetResources"}, Complete: []string{"s3:GetBucketTagging"},
				Named: []string{"s3:ListBucket"},
			},
			Sweep: Sweep{
				Operators: true, Data: true,
				Delete: []string{"s3:ListBucketVersions", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:DeleteBucket"},
				Note:   "with all versions",
			},
			Find: Find{ImportID: []string{"{bucket}"}, TaggedLater: true}, Deletion: Deletion{Rank: 98}, Price: "bucket",
			Adopt: adoptedByImportID("bucket").must("oidcBucket.name"),
		},
		{
			Token: BucketObject, Label: "S3 object",
			Guard: Guard{Unneeded: "it is a setting of a bucket, which is guarded"},
			Reads: Reads{Named: []string{"s3:ListBucket"}},
			Permissions: Permissions{
				Create: []string{"s3:PutObject", "s3:PutObjectTagging"},
				Read:   []string{"s3:GetObject", "s3:GetObjectTagging"},
				Delete: []string{"s3:DeleteObject", "s3:DeleteObjectVersion"},
				On:     objects,
				Others: []Grant{{Actions: []string{"s3:ListBucket", "s3:ListBucketVersions"}, On: bucket}},
			},
			Find: Find{Replaceable: true}, Price: Free,
			Adopt: adoptedBySetting("creation overwrites the object"),
		},
		policy,
		setting(BucketOwnership, "bucket ownership controls",
			"s3:PutBucketOwnershipControls", "s3:GetBucketOwnershipControls"),
		access,
		setting(BucketEncryption, "bucket encryption",
			"s3:PutEncryptionConfiguration", "s3:GetEncryptionConfiguration"),
		setting(BucketVersioning, "bucket versioning", "s3:PutBucketVersioning", "s3:GetBucketVersioning"),
		setting(BucketLifecycle, "bucket lifecycle configuration",
			"s3:PutLifecycleConfiguration", "s3:GetLifecycleConfiguration"),
	}
}
