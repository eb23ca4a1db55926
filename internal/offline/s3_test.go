package offline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestABucketHasTheARNAndDomainOfItsPartition(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	id, bucket := attach(t, server, props.Map{"region": "cn-north-1"}).create(awstype.Bucket,
		props.Map{"bucket": "demo-oidc"})
	require.Equal(t, "demo-oidc", id)
	require.Equal(t, "arn:aws-cn:s3:::demo-oidc", bucket["arn"])
	require.Equal(t, "demo-oidc.s3.cn-north-1.amazonaws.com.cn", bucket["bucketRegionalDomainName"])
}

func TestABucketsNameIsUniqueInAPartition(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	at := func(region, account string) *engine {
		return attach(t, server, props.Map{"region": region, "allowedAccountIds": `["` + account + `"]`})
	}
	at("us-east-1", "111111111111").id(awstype.Bucket, props.Map{"bucket": "taken"})
	_, _, err := at("us-east-1", "111111111111").try(awstype.Bucket, props.Map{"bucket": "taken"}, false)
	refused(t, err, "BucketAlreadyOwnedByYou")
	_, _, err = at("eu-west-1", "111111111111").try(awstype.Bucket, props.Map{"bucket": "taken"}, false)
	refused(t, err, "BucketAlreadyOwnedByYou")
	_, _, err = at("eu-west-1", "222222222222").try(awstype.Bucket, props.Map{"bucket": "taken"}, false)
	refused(t, err, "BucketAlreadyExists")
	at("cn-north-1", "222222222222").id(awstype.Bucket, props.Map{"bucket": "taken"})

	_, err = at("us-east-1", "222222222222").invoke("aws:s3/getBucket:getBucket", props.Map{"bucket": "taken"})
	refused(t, err, "Forbidden")
	_, err = at("us-east-1", "222222222222").invoke("aws:s3/getBucket:getBucket", props.Map{"bucket": "free"})
	require.ErrorContains(t, err, "couldn't find resource")
	found, err := at("us-east-1", "111111111111").invoke("aws:s3/getBucket:getBucket", props.Map{"bucket": "taken"})
	require.NoError(t, err)
	require.Equal(t, "arn:aws:s3:::taken", found["arn"])
}

func TestBucketNamesFollowS3sGrammar(t *testing.T) {
	t.Parallel()
	e := start(t)
	for name, good := range map[string]bool{
		"demo-oidc": true, "demo.oidc": true, "Demo": false, "ab": false, strings.Repeat("a", 64): false, "-demo": false,
		"demo..oidc": false, "192.0.2.1": false, "xn--demo": false, "demo-s3alias": false,
	} {
		_, failures := e.check(awstype.Bucket, props.Map{"bucket": name})
		require.Equal(t, good, len(failures) == 0, name)
	}
}

func TestABucketIsDeletedWhenItIsEmpty(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, force := range []bool{false, true} {
		bucket := e.id(awstype.Bucket, props.Map{"bucket": "demo-oidc", "forceDestroy": force})
		object := e.id(awstype.BucketObject, props.Map{"bucket": bucket, "key": "x/openid/v1/jwks"})
		if !force {
			refused(t, e.delete(awstype.Bucket, bucket), "BucketNotEmpty")
			require.NoError(t, e.delete(awstype.BucketObject, object))
		}
		require.NoError(t, e.delete(awstype.Bucket, bucket))
		found, _, _ := e.read(awstype.BucketObject, object, nil)
		require.Empty(t, found)
	}
}

func TestAPublicPolicyIsRefusedWherePublicPoliciesAreBlocked(t *testing.T) {
	t.Parallel()
	e := start(t)
	bucket := e.id(awstype.Bucket, props.Map{"bucket": "demo-oidc"})
	policy := props.Map{"bucket": bucket, "policy": publicRead}
	_, _, err := e.try(awstype.BucketPolicy, policy, false)
	refused(t, err, "AccessDenied") // as in every new bucket
	block := e.id(awstype.BucketPublicAccess, props.Map{"bucket": bucket, "blockPublicPolicy": true})
	_, _, err = e.try(awstype.BucketPolicy, policy, false)
	refused(t, err, "AccessDenied")
	_, err = e.update(awstype.BucketPublicAccess, block, props.Map{
		"bucket":            bucket,
		"blockPublicPolicy": true,
	}, props.Map{"bucket": bucket})
	require.NoError(t, err)
	e.id(awstype.BucketPolicy, policy)
}

func TestS3Refuses(t *testing.T) {
	t.Parallel()
	e := start(t)
	bucket := e.id(awstype.Bucket, props.Map{"bucket": "demo-oidc"})
	e.id(awstype.BucketPublicAccess, props.Map{"bucket": bucket})
	rules := func(rule map[string]any) []any { return []any{rule} }
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		code        string
	}{
		{"a setting of no bucket", awstype.BucketVersioning, props.Map{
			"bucket":                  "none",
			"versioningConfiguration": map[string]any{"status": "Enabled"},
		}, "NoSuchBucket"},
		{"an unknown owner", awstype.BucketOwnership, props.Map{
			"bucket": bucket,
			"rule":   map[string]any{"objectOwnership": "Nobody"},
		}, "MalformedXML"},
		{"an unknown versioning", awstype.BucketVersioning, props.Map{
			"bucket":                  bucket,
			"versioningConfiguration": map[string]any{"status": "On"},
		}, "MalformedXML"},
		{"an unknown encryption", awstype.BucketEncryption, props.Map{"bucket": bucket, "rules": rules(map[string]any{
			"applyServerSideEncryptionByDefault": map[string]any{"sseAlgorithm": "ROT13"}})}, "MalformedXML"},
		{"a key for S3's own encryption", awstype.BucketEncryption, props.Map{"bucket": bucket, "rules": rules(map[string]any{
			"applyServerSideEncryptionByDefault": map[string]any{"sseAlgorithm": "AES256", "kmsMasterKeyId": "x"}})},
			"InvalidArgument"},
		{"a rule that does nothing", awstype.BucketLifecycle, props.Map{
			"bucket": bucket,
			"rules":  rules(map[string]any{"id": "x", "status": "Enabled"}),
		}, "InvalidRequest"},
		{"a rule neither on nor off", awstype.BucketLifecycle,
			props.Map{"bucket": bucket, "rules": rules(map[string]any{"id": "x", "status": "Yes",
				"expiration": map[string]any{"days": 1.0}})}, "MalformedXML"},
		{"a policy without a principal", awstype.BucketPolicy, props.Map{
			"bucket": bucket,
			"policy": policyText,
		}, "MalformedPolicy"},
		{"a policy of another bucket", awstype.BucketPolicy, props.Map{"bucket": bucket,
			"policy": strings.Replace(publicRead, "demo-oidc", "other", 1)}, "MalformedPolicy"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
}
