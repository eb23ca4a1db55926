package offline

// management makes one resource of each type that a management account has beside a guest's.
func (e *engine) management(add func(token string, in props) string) {
	bucket := add(bucketToken, props{"bucket": "demo-oidc"})
	add(objectToken, props{"bucket": bucket, "key": "x/openid/v1/jwks", "content": "{}"})
	add(ownershipToken, props{"bucket": bucket, "rule": map[string]any{"objectOwnership": "BucketOwnerEnforced"}})
	add(publicAccessToken, props{"bucket": bucket, "blockPublicAcls": true})
	add(encryptionToken, props{"bucket": bucket, "rules": []any{map[string]any{
		"applyServerSideEncryptionByDefault": map[string]any{"sseAlgorithm": "AES256"}}}})
	add(versioningToken, props{"bucket": bucket, "versioningConfiguration": map[string]any{"status": "Enabled"}})
	add(lifecycleToken, props{"bucket": bucket, "rules": []any{map[string]any{"id": "old", "status": "Enabled",
		"expiration": map[string]any{"days": 30.0}}}})
	add(bucketPolicyToken, props{"bucket": bucket, "policy": publicRead})

	control := add(accessControlToken, accessControl("demo"))
	add(distributionToken, distribution(control))

	user := add(userToken, props{"name": "operator"})
	add(userPolicyToken, props{"name": "operator", "user": user, "policy": policyText})
	add(accessKeyToken, props{"user": user})

	key := add(keyToken, props{"description": "etcd", "enableKeyRotation": true})
	add(aliasToken, props{"name": "alias/etcd", "targetKeyId": key})

	queue := add(queueToken, props{"name": "interruptions"})
	add(queuePolicyToken, props{"queueUrl": queue, "policy": queuePolicyText})
	rule := add(eventRuleToken, props{"name": "spot", "eventPattern": `{"source":["aws.ec2"]}`})
	add(eventTargetToken, props{"rule": rule, "targetId": "queue", "arn": "arn:aws:sqs:us-east-1:123456789012:interruptions"})
}

const (
	publicRead = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"*"},"Action":"s3:GetObject",` +
		`"Resource":"arn:aws:s3:::demo-oidc/*/openid/v1/jwks"}]}`
	queuePolicyText = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"events.amazonaws.com"},` +
		`"Action":"sqs:SendMessage","Resource":"arn:aws:sqs:us-east-1:123456789012:interruptions"}]}`
)

// accessControl is one that signs every request to S3.
func accessControl(name string) props {
	return props{"name": name, "originAccessControlOriginType": "s3", "signingBehavior": "always", "signingProtocol": "sigv4"}
}

// distribution is one that reads a bucket through an access control.
func distribution(control string) props {
	return props{"enabled": true,
		"origins": []any{map[string]any{"originId": "bucket", "domainName": "demo-oidc.s3.us-east-1.amazonaws.com",
			"originAccessControlId": control}},
		"defaultCacheBehavior": map[string]any{"targetOriginId": "bucket", "viewerProtocolPolicy": "https-only",
			"allowedMethods": list("GET", "HEAD"), "cachedMethods": list("GET", "HEAD")},
		"restrictions":      map[string]any{"geoRestriction": map[string]any{"restrictionType": "none"}},
		"viewerCertificate": map[string]any{"cloudfrontDefaultCertificate": true},
	}
}
