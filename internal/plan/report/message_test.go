package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheEnginesWrappingIsLeftOut(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"an unhandled error occurred: 1 error occurred:\n\t* Pulumi.dev.yaml:9: it is wrong":                                                                                     "Pulumi.dev.yaml:9: it is wrong",
		"an unhandled error occurred: program exited with 1":                                                                                                                     "program exited with 1",
		`Preview failed: before hook "bucket-is-new" failed: oidcBucket.name: "x" is taken`:                                                                                      `oidcBucket.name: "x" is taken`,
		`before hook "bucket-is-new" failed: oidcBucket.name: "x" is taken`:                                                                                                      `oidcBucket.name: "x" is taken`,
		"resource \"urn:pulumi:dev::p::aws:s3/bucketV2:BucketV2::oidc\" cannot be deleted\nbecause it is protected. To unprotect the resource, either remove the `protect` flag": "S3 bucket oidc is protected, and was not deleted" + unprotectRemedy("urn:pulumi:dev::p::aws:s3/bucketV2:BucketV2::oidc"),
		"unable to replace resource \"urn:pulumi:dev::p::aws:ec2/vpc:Vpc::vpc\" as part of replacing \"urn:pulumi:dev::p::aws:ec2/vpc:Vpc::other\" as it is currently marked for protection. To unprotect the resource, remove": "VPC vpc is protected, and cannot be replaced" + unprotectRemedy("urn:pulumi:dev::p::aws:ec2/vpc:Vpc::vpc"),
		`resource "clusters/demo" was not successfully created by the Kubernetes API server: secrets "demo" already exists`:                                                                                                     `resource "clusters/demo" was not successfully created by the Kubernetes API server: secrets "demo" already exists` + existingRemedy,
		"creating IAM Role: operation error IAM: CreateRole, api error EntityAlreadyExists: Role with name x already exists.":                                                                                                   "creating IAM Role: operation error IAM: CreateRole, api error EntityAlreadyExists: Role with name x already exists" + existingRemedy,
		"the zone's name: an unhandled error occurred: this is not at the message's beginning":                                                                                                                                  "the zone's name: an unhandled error occurred: this is not at the message's beginning",
	} {
		assert.Equal(t, want, OwnWords(message))
	}
}

// TestTheRemedyForAProtectedResourceUnprotectsNothingElse: the key unprotected removes more than the protection of one resource, which is said.
func TestTheRemedyForAProtectedResourceUnprotectsNothingElse(t *testing.T) {
	t.Parallel()
	const urn = "urn:pulumi:dev::p::aws:s3/bucketV2:BucketV2::oidc"
	remedy := OwnWords("resource \"" + urn + "\" cannot be deleted\nbecause it is protected. To unprotect the resource, remove the flag")
	first, rest, more := strings.Cut(remedy, "The key unprotected: true")
	assert.True(t, more)
	assert.Contains(t, first, "`pulumi state unprotect '"+urn+"'`")
	for _, removed := range []string{"the key that encrypts etcd", "the OIDC bucket and the zone with their content"} {
		assert.Contains(t, rest, removed)
	}
}

// TestTheProvidersAdviceToForgetLivingObjectsIsNotPassedOn: the setting drops the objects of a cluster that is only unreachable from the state.
func TestTheProvidersAdviceToForgetLivingObjectsIsNotPassedOn(t *testing.T) {
	t.Parallel()
	const advice = "If the cluster was deleted, you can remove this resource from Pulumi state by rerunning the operation with the " +
		"PULUMI_K8S_DELETE_UNREACHABLE environment variable set to \"true\""
	for _, problem := range []string{"failed to read resource state due to unreachable cluster", "configured Kubernetes cluster is unreachable"} {
		words := OwnWords(problem + ". " + advice)
		assert.True(t, strings.HasPrefix(words, problem+"; nothing was changed there"), words)
		assert.NotContains(t, words, "PULUMI_K8S_DELETE_UNREACHABLE")
	}
}
