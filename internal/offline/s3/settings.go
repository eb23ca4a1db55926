package s3

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// bucketSettingKinds returns the settings that a bucket has at most once. The bucket's name is their ID.
func bucketSettingKinds() []*aws.Kind {
	settings := []*aws.Kind{
		{
			Token: awstype.BucketOwnership, Args: s3.BucketOwnershipControlsArgs{}, State: s3.BucketOwnershipControlsState{},
			Noun: "Bucket Ownership Controls", Rules: []aws.Rule{ownershipKnown},
		},
		{
			Token: awstype.BucketPublicAccess, Args: s3.BucketPublicAccessBlockArgs{}, State: s3.BucketPublicAccessBlockState{},
			Noun: "Bucket Public Access Block", Calls: aws.Calls{
				Create: "PutPublicAccessBlock",
				Update: "PutPublicAccessBlock",
				Remove: "DeletePublicAccessBlock",
			},
		},
		{
			Token: awstype.BucketEncryption, Args: s3.BucketServerSideEncryptionConfigurationV2Args{},
			State: s3.BucketServerSideEncryptionConfigurationV2State{}, Noun: "Bucket Encryption",
			Rules: []aws.Rule{encryptionKnown},
		},
		{
			Token: awstype.BucketVersioning, Args: s3.BucketVersioningV2Args{}, State: s3.BucketVersioningV2State{},
			Noun: "Bucket Versioning", Rules: []aws.Rule{versioningKnown},
		},
		{
			Token: awstype.BucketLifecycle, Args: s3.BucketLifecycleConfigurationV2Args{},
			State:     s3.BucketLifecycleConfigurationV2State{},
			Noun:      "Bucket Lifecycle Configuration",
			Constants: props.Map{"transitionDefaultMinimumObjectSize": "all_storage_classes_128K"},
			Rules:     []aws.Rule{lifecycleRuleHasAction},
		},
		{
			Token: awstype.BucketPolicy, Args: s3.BucketPolicyArgs{}, State: s3.BucketPolicyState{},
			Noun:         "Bucket Policy",
			ValidateFunc: map[string]func(string) string{"policy": iampolicy.JSONFault},
			Rules:        []aws.Rule{bucketPolicyValid, publicPolicyAllowed},
		},
	}
	for _, k := range settings {
		k.Service = "S3"
		if k.Calls == (aws.Calls{}) {
			noun := aws.WithoutSpaces(k.Noun)
			k.Calls = aws.Calls{Create: "Put" + noun, Update: "Put" + noun, Remove: "Delete" + noun}
		}
		k.UniqueBy = []string{"bucket"}
		k.References = []aws.Reference{{Input: "bucket", Type: awstype.Bucket, Dependency: aws.DeletedWith}}
		k.NotFound = awserr.Template{Code: "NoSuch" + aws.WithoutSpaces(k.Noun), Text: "The bucket %s has none."}
		k.ID = aws.Joined("", "bucket")
	}
	return settings
}

// setting returns a bucket's setting of a type, or nil if there is none.
func setting(c *aws.Call, token, bucket string) props.Map {
	if rec := c.Find(token, bucket); rec != nil {
		return rec.State
	}
	return nil
}

func malformedXML() error {
	return awserr.Errorf("MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
}

// ownershipKnown: object ownership is one of three values.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketOwnershipControls.html
func ownershipKnown(c *aws.Call) error {
	switch c.State().Object("rule").String("objectOwnership") {
	case "BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter":
		return nil
	}
	return malformedXML()
}

// encryptionKnown: a bucket is encrypted with SSE-S3 or with KMS.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketEncryption.html
func encryptionKnown(c *aws.Call) error {
	for _, r := range c.State().Objects("rules") {
		switch by := r.Object("applyServerSideEncryptionByDefault"); by.String("sseAlgorithm") {
		case "AES256":
			if by.Has("kmsMasterKeyId") {
				return awserr.Errorf("InvalidArgument",
					"a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms")
			}
		case "aws:kms", "aws:kms:dsse":
		default:
			return malformedXML()
		}
	}
	return nil
}

// versioningKnown: versioning is enabled, suspended or disabled.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketVersioning.html
func versioningKnown(c *aws.Call) error {
	switch c.State().Object("versioningConfiguration").String("status") {
	case "Enabled", "Suspended", "Disabled":
		return nil
	}
	return malformedXML()
}

// lifecycleRuleHasAction: a rule is enabled or disabled, and has at least one action.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html
func lifecycleRuleHasAction(c *aws.Call) error {
	for _, r := range c.State().Objects("rules") {
		if status := r.String("status"); status != "Enabled" && status != "Disabled" {
			return malformedXML()
		}
		if len(aws.Present(r, []string{"abortIncompleteMultipartUpload", "expiration", "noncurrentVersionExpiration",
			"noncurrentVersionTransitions", "transitions"})) == 0 {
			return awserr.Errorf("InvalidRequest", "At least one action needs to be specified in a rule")
		}
	}
	return nil
}

// bucketPolicyValid: a bucket's policy has principals, and its resources belong to the bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
func bucketPolicyValid(c *aws.Call) error {
	text := c.State().String("policy")
	if fault := iampolicy.PolicyFault(text); fault != "" {
		return awserr.Errorf("MalformedPolicy", "%s", fault)
	}
	arn := bucketARN(c.Site, c.State().String("bucket"))
	for _, s := range iampolicy.StatementsOf(text) {
		if !iampolicy.HasPrincipal(s) {
			return awserr.Errorf("MalformedPolicy", "Missing required field Principal")
		}
		for _, resource := range s.Resource {
			if resource != arn && !strings.HasPrefix(resource, arn+"/") {
				return awserr.Errorf("MalformedPolicy", "Policy has invalid resource")
			}
		}
	}
	return nil
}

// accountPublicAccessBlock is the type of S3's Block Public Access of the account, which no stack sets.
const accountPublicAccessBlock = "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock"

// publicPolicyAllowed: a public policy is refused while the bucket blocks public policies, which is the default.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
func publicPolicyAllowed(c *aws.Call) error {
	block := setting(c, awstype.BucketPublicAccess, c.State().String("bucket"))
	allowed := block != nil && !block.Bool("blockPublicPolicy")
	for _, account := range c.All(accountPublicAccessBlock) { // the stricter one counts
		allowed = allowed && !account.State.Bool("blockPublicPolicy")
	}
	if !isPublic(c.State().String("policy")) || allowed {
		return nil
	}
	return awserr.Errorf("AccessDenied", "User: %s is not authorized to perform: s3:PutBucketPolicy on resource: %q because public policies "+
		"are prevented by the BlockPublicPolicy setting in S3 Block Public Access.",
		c.GlobalARN("iam", "user/offline"), bucketARN(c.Site, c.State().String("bucket")))
}

// isPublic reports whether a policy allows an action to everyone, without a condition.
func isPublic(text string) bool {
	return slices.ContainsFunc(iampolicy.StatementsOf(text), func(s policy.Statement) bool {
		return s.Effect == policy.Allow && len(s.Condition) == 0 && s.Principal != nil &&
			(s.Principal.Anyone || slices.Contains(s.Principal.AWS, "*"))
	})
}
