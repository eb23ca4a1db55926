package offline

import (
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// management makes one resource of each type that a management account has beside a guest's.
func (e *engine) management(add func(token string, in props.Map) string) {
	bucket := add(awstype.Bucket, props.Map{"bucket": "demo-oidc"})
	add(awstype.BucketObject, props.Map{"bucket": bucket, "key": "x/openid/v1/jwks", "content": "{}"})
	add(awstype.BucketOwnership, props.Map{
		"bucket": bucket,
		"rule":   map[string]any{"objectOwnership": "BucketOwnerEnforced"},
	})
	add(awstype.BucketPublicAccess, props.Map{"bucket": bucket, "blockPublicAcls": true})
	add(awstype.BucketEncryption, props.Map{"bucket": bucket, "rules": []any{map[string]any{
		"applyServerSideEncryptionByDefault": map[string]any{"sseAlgorithm": "AES256"}}}})
	add(awstype.BucketVersioning, props.Map{
		"bucket":                  bucket,
		"versioningConfiguration": map[string]any{"status": "Enabled"},
	})
	add(awstype.BucketLifecycle, props.Map{"bucket": bucket,
		"rules": []any{map[string]any{"id": "old", "status": "Enabled",
			"expiration": map[string]any{"days": 30.0}}}})
	add(awstype.BucketPolicy, props.Map{"bucket": bucket, "policy": publicRead})

	control := add(awstype.OriginAccessControl, accessControl("demo"))
	add(awstype.Distribution, distribution(control))

	user := add(awstype.User, props.Map{"name": "operator"})
	add(awstype.UserPolicy, props.Map{"name": "operator", "user": user, "policy": policyText})
	add(awstype.AccessKey, props.Map{"user": user})

	key := add(awstype.KMSKey, props.Map{"description": "etcd", "enableKeyRotation": true})
	add(awstype.KMSAlias, props.Map{"name": "alias/etcd", "targetKeyId": key})

	queue := add(awstype.Queue, props.Map{"name": "interruptions"})
	add(awstype.QueuePolicy, props.Map{"queueUrl": queue, "policy": queuePolicyText})
	rule := add(awstype.EventRule, props.Map{"name": "spot", "eventPattern": `{"source":["aws.ec2"]}`})
	add(awstype.EventTarget, props.Map{
		"rule":     rule,
		"targetId": "queue",
		"arn":      "arn:aws:sqs:us-east-1:123456789012:interruptions",
	})
}

const (
	publicRead = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"*"},"Action":"s3:GetObject",` +
		`"Resource":"arn:aws:s3:::demo-oidc/*/openid/v1/jwks"}]}`
	queuePolicyText = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"events.amazonaws.com"},` +
		`"Action":"sqs:SendMessage","Resource":"arn:aws:sqs:us-east-1:123456789012:interruptions"}]}`
)

// accessControl returns an origin access control that signs every request to S3.
func accessControl(name string) props.Map {
	return props.Map{
		"name":                          name,
		"originAccessControlOriginType": "s3",
		"signingBehavior":               "always",
		"signingProtocol":               "sigv4",
	}
}

// distribution returns a distribution that reads a bucket through an access control.
func distribution(control string) props.Map {
	return props.Map{"enabled": true,
		"origins": []any{map[string]any{"originId": "bucket", "domainName": "demo-oidc.s3.us-east-1.amazonaws.com",
			"originAccessControlId": control}},
		"defaultCacheBehavior": map[string]any{"targetOriginId": "bucket", "viewerProtocolPolicy": "https-only",
			"allowedMethods": props.List("GET", "HEAD"), "cachedMethods": props.List("GET", "HEAD")},
		"restrictions":      map[string]any{"geoRestriction": map[string]any{"restrictionType": "none"}},
		"viewerCertificate": map[string]any{"cloudfrontDefaultCertificate": true},
	}
}
