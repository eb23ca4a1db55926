// Package s3 declares the resource types and functions of S3 for the offline account.
package s3

import (
	"cmp"
	"crypto/md5" //nolint:gosec // S3's entity tag
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func bucketKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.Bucket, Args: s3.BucketV2Args{}, State: s3.BucketV2State{},
			Service: "S3", Noun: "Bucket", Calls: aws.Calls{Update: "PutBucketTagging"},
			AutoName: "bucket",
			Unread:   []string{"forceDestroy"},
			// These settings are separate resources, and appear here as outputs.
			Constants:    props.Map{"objectLockEnabled": false, "requestPayer": "BucketOwner"},
			ValidateFunc: map[string]func(string) string{"bucket": bucketNameFault},
			UniqueBy:     []string{"bucket"},
			NotFound:     awserr.Template{Code: "NoSuchBucket", Text: "The specified bucket does not exist: %s"},
			InUse:        awserr.Template{Code: "BucketNotEmpty", Text: "The bucket you tried to delete is not empty (%s)"},
			Rules:        []aws.Rule{bucketNameFree},
			DeleteRules:  []aws.Rule{bucketIsEmpty},
			ID:           aws.Joined("", "bucket"),
			OnCreate:     completeBucket,
			OnRead: func(c *aws.Call, out props.Map) {
				if policy := setting(c, awstype.BucketPolicy, c.Resource.ID); policy != nil {
					out["policy"] = policy.String("policy")
				}
			},
		},
		{
			Token: awstype.BucketObject, Args: s3.BucketObjectv2Args{}, State: s3.BucketObjectv2State{},
			Service: "S3", Noun: "Object", Calls: aws.Calls{Create: "PutObject", Update: "PutObject", Remove: "DeleteObject"},
			ConflictsWith: [][]string{{"content", "contentBase64", "source"}},
			UniqueBy:      []string{"bucket", "key"},
			References:    []aws.Reference{{Input: "bucket", Type: awstype.Bucket, Dependency: aws.DeletedWith}},
			NotFound:      awserr.Template{Code: "NoSuchKey", Text: "The specified key does not exist: %s"},
			ID:            aws.Joined("/", "bucket", "key"),
			OnCreate:      storeObject,
			OnUpdate:      storeObject,
		},
	}
}

func completeBucket(c *aws.Call) error {
	s, name := c.Resource.State, c.Resource.ID
	s["region"] = c.Region
	s["bucketDomainName"] = name + ".s3." + c.DNSSuffix
	s["bucketRegionalDomainName"] = fmt.Sprintf("%s.s3.%s.%s", name, c.Region, c.DNSSuffix)
	s["hostedZoneId"] = ids.StableCode("Z", "s3", c.Region)
	s["serverSideEncryptionConfigurations"] = []any{map[string]any{"rules": []any{map[string]any{
		"applyServerSideEncryptionByDefaults": []any{map[string]any{"sseAlgorithm": "AES256"}}}}}}
	return nil
}

// storeObject sets what S3 returns of an object that was written. Only a bucket with versioning has versions.
func storeObject(c *aws.Call) error {
	s := c.State()
	sum := md5.Sum([]byte(s.String("content"))) //nolint:gosec // S3's entity tag
	s["etag"], s["storageClass"] = hex.EncodeToString(sum[:]), cmp.Or(s.String("storageClass"), "STANDARD")
	delete(s, "versionId")
	if versioning := setting(c, awstype.BucketVersioning, s.String("bucket")); versioning != nil &&
		versioning.String("versioningConfiguration", "status") == "Enabled" {
		s["versionId"] = ids.RandomOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 32)
	}
	return nil
}

func bucketARN(s aws.Site, name string) string { return s.PartitionARN("s3", name) }

var (
	bucketNameGrammar = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	dottedNumbers     = regexp.MustCompile(`^[0-9]+(\.[0-9]+){3}$`)
)

// bucketNameFault checks a name against S3's grammar, which allows dots.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
func bucketNameFault(name string) string {
	reserved := slices.ContainsFunc([]string{"xn--", "sthree-", "amzn-s3-demo-"}, func(start string) bool {
		return strings.HasPrefix(name, start)
	}) || slices.ContainsFunc([]string{"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
	if !bucketNameGrammar.MatchString(name) || strings.Contains(name, "..") || dottedNumbers.MatchString(name) ||
		reserved {
		return fmt.Sprintf("invalid bucket name %q: only lowercase alphanumeric characters, dots and hyphens, 3 to 63 of them, "+
			"and none of the beginnings and ends that S3 reserves", name)
	}
	return ""
}

// bucketNameFree: a bucket's name is unique in all accounts and regions of a partition.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
func bucketNameFree(c *aws.Call) error {
	if c.Old != nil {
		return nil
	}
	name := c.State().String("bucket")
	for key := range c.Store.Records {
		if key.Token == awstype.Bucket && c.Get(store.Key{Scope: key.Scope, Token: awstype.Bucket, ID: name}) != nil {
			return awserr.Errorf("BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded and you already own it.")
		}
	}
	if bucketInOtherAccount(c, name) {
		return awserr.Errorf("BucketAlreadyExists", "The requested bucket name is not available. The bucket namespace is shared by all "+
			"users of the system. Please select a different name and try again.")
	}
	return nil
}

// bucketInOtherAccount reports whether another account has a bucket of that name.
func bucketInOtherAccount(c *aws.Call, name string) bool {
	others, _ := c.InOtherAccounts("*", awstype.Bucket, name) // a file that cannot be read is not a bucket
	return slices.ContainsFunc(others, func(f aws.Foreign) bool {
		return strings.HasPrefix(f.State.String("arn"), "arn:"+c.Partition+":")
	})
}

// bucketIsEmpty: a bucket can be deleted only when it is empty. With forceDestroy the provider empties it.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html
func bucketIsEmpty(c *aws.Call) error {
	if !c.State().Bool("forceDestroy") && len(c.Where(awstype.BucketObject, "bucket", c.Resource.ID)) > 0 {
		return c.Kind.InUse.For(c.Resource.ID)
	}
	return nil
}

// Kinds returns the resource types of S3.
func Kinds() []*aws.Kind {
	return slices.Concat(bucketKinds(), bucketSettingKinds())
}

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
