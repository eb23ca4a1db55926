package management

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// registryBucket creates the private bucket of a registry for operator catalogues. The IAM policies of its users decide who may read and
// write it.
func (b *builder) registryBucket() error {
	name := b.args.RegistryBucketName
	if name == "" {
		return nil
	}
	part, err := b.bucket("registryBucketName", b.child("registry-bucket"), name, false)
	if err != nil {
		return err
	}
	b.made.RegistryBucketName = part.bucket.Bucket
	return b.policy(part, pulumi.String(policy.New(bucketTLSOnly(bucketARN(b.place, name))).JSON()))
}
