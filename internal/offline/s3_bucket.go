package offline

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
)

const (
	bucketToken = "aws:s3/bucketV2:BucketV2"
	objectToken = "aws:s3/bucketObjectv2:BucketObjectv2"
)

func bucketKinds() []*kind {
	return []*kind{
		{
			token: bucketToken, args: s3.BucketV2Args{}, state: s3.BucketV2State{},
			service: "S3", noun: "Bucket", calls: calls{update: "PutBucketTagging"},
			named: "bucket",
			apart: [][]string{{"bucket", "bucketPrefix"}},
			// These have resources of their own, and show here what those set.
			computed: []string{"accelerationStatus", "acl", "bucket", "bucketPrefix", "corsRules", "grants", "lifecycleRules",
				"loggings", "objectLockConfiguration", "objectLockEnabled", "policy", "replicationConfigurations",
				"requestPayer", "serverSideEncryptionConfigurations", "versionings", "websites"},
			defaults: props{"forceDestroy": false},
			fixed:    props{"objectLockEnabled": false, "requestPayer": "BucketOwner"},
			valid:    map[string]func(string) string{"bucket": bucketNameFault},
			forms:    map[string]form{"policy": asDocument},
			replaces: []string{"bucket", "bucketPrefix", "objectLockEnabled"},
			unique:   []string{"bucket"},
			missing:  answer{"NoSuchBucket", "The specified bucket does not exist: %s"},
			inUse:    answer{"BucketNotEmpty", "The bucket you tried to delete is not empty (%s)"},
			rules:    []rule{bucketNameFree},
			leaving:  []rule{bucketIsEmpty},
			make:     makeBucket,
			view: func(c *call, out props) {
				if policy := c.setting(bucketPolicyToken, c.rec.ID); policy != nil {
					out["policy"] = policy.text("policy")
				}
			},
		},
		{
			token: objectToken, args: s3.BucketObjectv2Args{}, state: s3.BucketObjectv2State{},
			service: "S3", noun: "Object", calls: calls{"PutObject", "PutObject", "DeleteObject"},
			required: []string{"bucket"},
			apart:    [][]string{{"content", "contentBase64", "source"}},
			computed: []string{"acl", "bucketKeyEnabled", "checksumAlgorithm", "contentType", "etag", "key", "kmsKeyId",
				"serverSideEncryption", "storageClass"},
			defaults: props{"forceDestroy": false},
			replaces: []string{"bucket", "key"},
			unique:   []string{"bucket", "key"},
			refs:     []ref{{"bucket", bucketToken, "", part}},
			missing:  answer{"NoSuchKey", "The specified key does not exist: %s"},
			make: func(c *call) error {
				s := c.rec.State
				c.rec.ID = s.text("bucket") + "/" + s.text("key")
				s["arn"] = c.bucketARN(s.text("bucket")) + "/" + s.text("key")
				s["versionId"] = randomOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 32)
				return nil
			},
		},
	}
}

func makeBucket(c *call) error {
	s := c.rec.State
	if !s.has("bucket") {
		s["bucket"] = s.text("bucketPrefix") + randomOf("0123456789", 26)
	}
	name := s.text("bucket")
	c.rec.ID = name
	s["arn"] = c.bucketARN(name)
	s["region"] = c.region
	s["bucketDomainName"] = name + ".s3." + c.dnsSuffix
	s["bucketRegionalDomainName"] = fmt.Sprintf("%s.s3.%s.%s", name, c.region, c.dnsSuffix)
	s["hostedZoneId"] = stableCode("Z", "s3", c.region)
	s["serverSideEncryptionConfigurations"] = []any{map[string]any{"rules": []any{map[string]any{
		"applyServerSideEncryptionByDefaults": []any{map[string]any{"sseAlgorithm": "AES256"}}}}}}
	return nil
}

func (s site) bucketARN(name string) string { return fmt.Sprintf("arn:%s:s3:::%s", s.partition, name) }

var (
	bucketNameGrammar = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	dottedNumbers     = regexp.MustCompile(`^[0-9]+(\.[0-9]+){3}$`)
)

// bucketNameFault holds a name against S3's grammar, which allows dots.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
func bucketNameFault(name string) string {
	reserved := slices.ContainsFunc([]string{"xn--", "sthree-", "amzn-s3-demo-"}, func(start string) bool {
		return strings.HasPrefix(name, start)
	}) || slices.ContainsFunc([]string{"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
	if !bucketNameGrammar.MatchString(name) || strings.Contains(name, "..") || dottedNumbers.MatchString(name) || reserved {
		return fmt.Sprintf("invalid bucket name %q: only lowercase alphanumeric characters, dots and hyphens, 3 to 63 of them, "+
			"and none of the beginnings and ends that S3 reserves", name)
	}
	return ""
}

// bucketNameFree: a bucket's name is taken once in all accounts and regions of a partition.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
func bucketNameFree(c *call) error {
	if c.was != nil {
		return nil
	}
	name := c.in().text("bucket")
	for of := range c.store.records {
		if of.token == bucketToken && c.record(key{of.scope, bucketToken, name}) != nil {
			return refuse("BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded and you already own it.")
		}
	}
	if c.bucketAbroad(name) {
		return refuse("BucketAlreadyExists", "The requested bucket name is not available. The bucket namespace is shared by all "+
			"users of the system. Please select a different name and try again.")
	}
	return nil
}

// bucketAbroad says whether another account has a bucket of that name. It looks without that account's lock: a file is
// there or not.
func (c *call) bucketAbroad(name string) bool {
	return slices.ContainsFunc(c.abroad("*", bucketToken, name), func(path string) bool {
		rec, err := readRecord(path)
		return err == nil && strings.HasPrefix(rec.State.text("arn"), "arn:"+c.partition+":")
	})
}

// abroad are the files of the other accounts that hold a resource.
func (c *call) abroad(scope, token, id string) []string {
	accounts, own := filepath.Dir(c.store.dir), c.store.dir+string(filepath.Separator)
	paths, _ := filepath.Glob(filepath.Join(accounts, "*", key{scope, token, id}.path()))
	return slices.DeleteFunc(paths, func(path string) bool { return strings.HasPrefix(path, own) })
}

// bucketIsEmpty: a bucket goes when it holds nothing. With forceDestroy the provider sees to that itself.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html
func bucketIsEmpty(c *call) error {
	if c.in().yes("forceDestroy") {
		return nil
	}
	for _, rec := range c.all(objectToken) {
		if rec.State.text("bucket") == c.rec.ID {
			return c.kind.inUse.about(c.rec.ID)
		}
	}
	return nil
}
