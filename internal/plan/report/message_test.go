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
		"resource \"urn:pulumi:dev::p::aws:s3/bucketV2:BucketV2::oidc\" cannot be deleted\nbecause it is protected. To unprotect the resource, either remove the `protect` flag": "S3 bucket oidc is protected, and was not deleted" + protectedRemedy("urn:pulumi:dev::p::aws:s3/bucketV2:BucketV2::oidc"),
		"unable to replace resource \"urn:pulumi:dev::p::aws:ec2/vpc:Vpc::vpc\" as part of replacing \"urn:pulumi:dev::p::aws:ec2/vpc:Vpc::other\" as it is currently marked for protection. To unprotect the resource, remove": "VPC vpc is protected, and cannot be replaced" + protectedRemedy("urn:pulumi:dev::p::aws:ec2/vpc:Vpc::vpc"),
		`resource "clusters/demo" was not successfully created by the Kubernetes API server: secrets "demo" already exists`:                                                                                                     `resource "clusters/demo" was not successfully created by the Kubernetes API server: secrets "demo" already exists` + existingRemedy,
		"creating EC2 NAT Gateway: operation error EC2: CreateNATGateway, api error Resource.AlreadyAssociated: Elastic IP address [eipalloc-1] is already associated\n\nmore":                                                  "creating EC2 NAT Gateway: operation error EC2: CreateNATGateway, api error Resource.AlreadyAssociated: Elastic IP address [eipalloc-1] is already associated" + existingRemedy,
		"creating EC2 Subnet: operation error EC2: CreateSubnet, api error InvalidSubnet.Conflict: The CIDR '10.0.128.0/20' conflicts with another subnet":                                                                      "creating EC2 Subnet: operation error EC2: CreateSubnet, api error InvalidSubnet.Conflict: The CIDR '10.0.128.0/20' conflicts with another subnet" + existingRemedy,
		"api error RouteAlreadyExists: The route identified by 0.0.0.0/0 already exists.":                                                                                                                                       "api error RouteAlreadyExists: The route identified by 0.0.0.0/0 already exists" + existingRemedy,
		"creating IAM Role: operation error IAM: CreateRole, api error EntityAlreadyExists: Role with name x already exists.":                                                                                                   "creating IAM Role: operation error IAM: CreateRole, api error EntityAlreadyExists: Role with name x already exists" + existingRemedy,
		"the zone's name: an unhandled error occurred: this is not at the message's beginning":                                                                                                                                  "the zone's name: an unhandled error occurred: this is not at the message's beginning",
	} {
		assert.Equal(t, want, OwnWords(message))
	}
}

// TestNoMessageTellsHowToUnprotectWhatMayBeAlive: it says what would happen, and what to restore.
func TestNoMessageTellsHowToUnprotectWhatMayBeAlive(t *testing.T) {
	t.Parallel()
	for of, want := range map[string][]string{
		"kubernetes:hypershift.openshift.io/v1beta1:HostedCluster::demo": {"would be deleted with its nodes and its etcd",
			"its name, its namespace"},
		"kubernetes:cluster.x-k8s.io/v1beta1:Cluster::demo": {"would be deleted with its nodes and its etcd"},
		"kubernetes:core/v1:Secret::demo-etcd-encryption-key": {"could not be read again",
			"`hypershift-aws refresh`, then `adopt`, then `up`"},
		"aws:s3/bucketV2:BucketV2::oidc": {"what uses it would be lost",
			"restore its values"},
	} {
		of = "urn:pulumi:dev::p::" + of
		for _, message := range []string{
			"resource \"" + of + "\" cannot be deleted\nbecause it is protected. To unprotect the resource, use `pulumi state unprotect`",
			"unable to replace resource \"" + of + "\" as it is currently marked for protection. To unprotect the resource, use `pulumi state unprotect`",
		} {
			words := OwnWords(message)
			assert.NotContains(t, words, "state unprotect")
			for _, part := range append(want, "once no cluster that needs it is alive", "only where no cluster is alive") {
				assert.Contains(t, words, part)
			}
		}
	}
}

// TestTheProvidersAdviceToForgetLivingObjectsIsNotPassedOn: the setting drops the objects of a cluster that is only
// unreachable from the state.
func TestTheProvidersAdviceToForgetLivingObjectsIsNotPassedOn(t *testing.T) {
	t.Parallel()
	const advice = "If the cluster was deleted, you can remove this resource from Pulumi state by rerunning the operation with the " +
		"PULUMI_K8S_DELETE_UNREACHABLE environment variable set to \"true\""
	for _, problem := range []string{"failed to read resource state due to unreachable cluster",
		"configured Kubernetes cluster is unreachable"} {
		words := OwnWords(problem + ". " + advice)
		assert.True(t, strings.HasPrefix(words, problem+"; nothing was changed there"), words)
		assert.NotContains(t, words, "PULUMI_K8S_DELETE_UNREACHABLE")
	}
}

// The engine writes the values of inputs, also of secrets, when an update differs from the plan that it is bound to.
func TestAViolatedPlanIsToldWithoutValues(t *testing.T) {
	t.Parallel()
	const of = "urn:pulumi:dev::p::kubernetes:core/v1:Secret::hosted-cluster-demo-etcd-encryption-key"
	for message, want := range map[string]string{
		"resource " + of + ` violates plan: properties changed: ++data[{map[key:{&{{Y2FuYXJ5}}}]}!={&{{canary}}}], =~stringData[{canary}]`: "secret hosted-cluster-demo-etcd-encryption-key differs from the plan that was shown, in data, stringData; it was not changed",
		"resource " + of + ` violates plan: dependencies changed: added urn:pulumi:dev::p::aws:ec2/vpc:Vpc::canary`:                        "secret hosted-cluster-demo-etcd-encryption-key differs from the plan that was shown; it was not changed",
		"delete is not allowed by the plan: no steps were expected for this resource":                                                      "a resource differs from the plan that was shown, which has no step delete for it; it was not changed",
		"expected resource operations for " + of + " but none were seen":                                                                   "secret hosted-cluster-demo-etcd-encryption-key differs from the plan that was shown; it was not changed",
		"Resource 'urn:pulumi:dev::p::aws:ec2/vpc:Vpc::vpc' will be destroyed but was not specified in --target list.\n" +
			"Either include resource in --target list or pass --target-dependents to proceed.": "differs from the plan that was shown, " +
			"which does not have it: another run has added it since; it was not deleted",
	} {
		words := OwnWords(message)
		assert.Equal(t, want, words)
		assert.True(t, Violates(words))
		assert.NotContains(t, words, "canary")
	}
}
