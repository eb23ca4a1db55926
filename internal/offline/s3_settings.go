package offline

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

const (
	ownershipToken    = "aws:s3/bucketOwnershipControls:BucketOwnershipControls"
	publicAccessToken = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
	encryptionToken   = "aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2"
	versioningToken   = "aws:s3/bucketVersioningV2:BucketVersioningV2"
	lifecycleToken    = "aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2"
	bucketPolicyToken = "aws:s3/bucketPolicy:BucketPolicy"
)

// bucketSettingKinds are what a bucket has one of each, under the bucket's name.
func bucketSettingKinds() []*kind {
	settings := []*kind{
		{
			token: ownershipToken, args: s3.BucketOwnershipControlsArgs{}, state: s3.BucketOwnershipControlsState{},
			noun: "Bucket Ownership Controls", required: []string{"rule"}, rules: []rule{ownershipKnown},
		},
		{
			token: publicAccessToken, args: s3.BucketPublicAccessBlockArgs{}, state: s3.BucketPublicAccessBlockState{},
			noun: "Bucket Public Access Block", calls: calls{"PutPublicAccessBlock", "PutPublicAccessBlock", "DeletePublicAccessBlock"},
			defaults: props{"blockPublicAcls": false, "blockPublicPolicy": false, "ignorePublicAcls": false, "restrictPublicBuckets": false},
		},
		{
			token: encryptionToken, args: s3.BucketServerSideEncryptionConfigurationV2Args{},
			state: s3.BucketServerSideEncryptionConfigurationV2State{}, noun: "Bucket Encryption",
			required: []string{"rules"}, forms: map[string]form{"rules": asSet}, rules: []rule{encryptionKnown},
		},
		{
			token: versioningToken, args: s3.BucketVersioningV2Args{}, state: s3.BucketVersioningV2State{},
			noun: "Bucket Versioning", required: []string{"versioningConfiguration"}, rules: []rule{versioningKnown},
		},
		{
			token: lifecycleToken, args: s3.BucketLifecycleConfigurationV2Args{}, state: s3.BucketLifecycleConfigurationV2State{},
			noun: "Bucket Lifecycle Configuration", computed: []string{"transitionDefaultMinimumObjectSize"},
			fixed: props{"transitionDefaultMinimumObjectSize": "all_storage_classes_128K"}, rules: []rule{lifecycleRulesSaySomething},
		},
		{
			token: bucketPolicyToken, args: s3.BucketPolicyArgs{}, state: s3.BucketPolicyState{},
			noun: "Bucket Policy", required: []string{"policy"}, forms: map[string]form{"policy": asDocument},
			valid: map[string]func(string) string{"policy": jsonFault},
			rules: []rule{bucketPolicyWell, publicPolicyAllowed},
		},
	}
	for _, k := range settings {
		k.service = "S3"
		if k.calls == (calls{}) {
			noun := spaceless(k.noun)
			k.calls = calls{"Put" + noun, "Put" + noun, "Delete" + noun}
		}
		k.required = append(k.required, "bucket")
		k.replaces = append(k.replaces, "bucket")
		if _, owned := shapeOf(k.args)["expectedBucketOwner"]; owned {
			k.replaces = append(k.replaces, "expectedBucketOwner")
		}
		k.unique = []string{"bucket"}
		k.refs = []ref{{"bucket", bucketToken, "", part}}
		k.missing = answer{"NoSuch" + spaceless(k.noun), "The bucket %s has none."}
		k.make = func(c *call) error {
			c.rec.ID = c.in().text("bucket")
			return nil
		}
	}
	return settings
}

// setting is a bucket's setting of a type, nil where it has none.
func (c *call) setting(token, bucket string) props {
	if rec := c.find(token, bucket); rec != nil {
		return rec.State
	}
	return nil
}

func malformedXML() error {
	return refuse("MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
}

// ownershipKnown: an object's owner is one of three.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketOwnershipControls.html
func ownershipKnown(c *call) error {
	switch c.in().object("rule").text("objectOwnership") {
	case "BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter":
		return nil
	}
	return malformedXML()
}

// encryptionKnown: a bucket is encrypted by S3 or by KMS.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketEncryption.html
func encryptionKnown(c *call) error {
	for _, r := range c.in().objects("rules") {
		switch by := r.object("applyServerSideEncryptionByDefault"); by.text("sseAlgorithm") {
		case "AES256":
			if by.has("kmsMasterKeyId") {
				return refuse("InvalidArgument", "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms")
			}
		case "aws:kms", "aws:kms:dsse":
		default:
			return malformedXML()
		}
	}
	return nil
}

// versioningKnown: a bucket keeps versions or does not.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketVersioning.html
func versioningKnown(c *call) error {
	switch c.in().object("versioningConfiguration").text("status") {
	case "Enabled", "Suspended", "Disabled":
		return nil
	}
	return malformedXML()
}

// lifecycleRulesSaySomething: a rule is on or off, and does at least one thing.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html
func lifecycleRulesSaySomething(c *call) error {
	for _, r := range c.in().objects("rules") {
		if status := r.text("status"); status != "Enabled" && status != "Disabled" {
			return malformedXML()
		}
		if len(given(r, []string{"abortIncompleteMultipartUpload", "expiration", "noncurrentVersionExpiration",
			"noncurrentVersionTransitions", "transitions"})) == 0 {
			return refuse("InvalidRequest", "At least one action needs to be specified in a rule")
		}
	}
	return nil
}

// bucketPolicyWell: a bucket's policy names principals, and resources of its own.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
func bucketPolicyWell(c *call) error {
	text := c.in().text("policy")
	if fault := policyFault(text); fault != "" {
		return refuse("MalformedPolicy", "%s", fault)
	}
	arn := c.bucketARN(c.in().text("bucket"))
	for _, s := range statementsOf(text) {
		if !hasPrincipal(s) {
			return refuse("MalformedPolicy", "Missing required field Principal")
		}
		for _, resource := range s.Resource {
			if resource != arn && !strings.HasPrefix(resource, arn+"/") {
				return refuse("MalformedPolicy", "Policy has invalid resource")
			}
		}
	}
	return nil
}

// publicPolicyAllowed: a policy that lets everyone in is refused where public policies are blocked, as they are in every
// bucket that says nothing else.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
func publicPolicyAllowed(c *call) error {
	block := c.setting(publicAccessToken, c.in().text("bucket"))
	if !isPublic(c.in().text("policy")) || block != nil && !block.yes("blockPublicPolicy") {
		return nil
	}
	return refuse("AccessDenied", "User: %s is not authorized to perform: s3:PutBucketPolicy on resource: %q because public policies "+
		"are prevented by the BlockPublicPolicy setting in S3 Block Public Access.",
		c.globalARN("iam", "user/offline"), c.bucketARN(c.in().text("bucket")))
}

// isPublic says whether a policy allows something to everyone, without a condition.
func isPublic(text string) bool {
	return slices.ContainsFunc(statementsOf(text), func(s policy.Statement) bool {
		return s.Effect == policy.Allow && len(s.Condition) == 0 && s.Principal != nil &&
			(s.Principal.Anyone || slices.Contains(s.Principal.AWS, "*"))
	})
}
