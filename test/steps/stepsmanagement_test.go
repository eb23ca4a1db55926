package steps

import (
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// managementSteps returns the steps of a management stack, which has what hosted clusters share: the bucket of their
// issuers and their public zone. Its resources are not protected: otherwise the engine refuses some of the steps before
// the guard, in its own words.
func managementSteps() stepsTable {
	base := stackfile.Management(stackfile.Managements()["zone"] + "    registryBucketName: demo-registry\n    interruptionQueueName: demo-interruptions\n")
	return stepsTable{base, config.ManagementKey, stacks.ManagementType, []step{
		{name: "other tags of a management stack", edit: stackfile.Replaced("team: platform", "team: network"), always: true},
		{
			name: "a bucket more",
			edit: stackfile.Replaced("    registryBucketName:",
				"    backups: {bucketName: demo-backups}\n    registryBucketName:"),
		},
		{name: "another queue of interruptions", edit: stackfile.Replaced("demo-interruptions", "other-interruptions")},
	}, []step{
		{name: "bucket of the issuers replaced", rule: awstype.Bucket,
			edit:    stackfile.Replaced("name: demo-oidc", "name: other-oidc"),
			refusal: []string{"S3 bucket prerequisites-oidc-bucket would be replaced"}, always: true},
		{name: "bucket deleted", rule: awstype.Bucket,
			edit:    stackfile.Replaced("    registryBucketName: demo-registry\n", ""),
			refusal: []string{"S3 bucket prerequisites-registry-bucket would be deleted"}},
		{name: "public zone replaced", rule: awstype.HostedZone,
			edit:    stackfile.Replaced("domain: clusters.example.com", "domain: other.example.com"),
			refusal: []string{"hosted zone prerequisites-zone would be replaced"}},
		{name: "public zone deleted", rule: awstype.HostedZone, edit: stackfile.Replaced("    zone: {", "    # {"),
			refusal: []string{"hosted zone prerequisites-zone would be deleted"}},
		{name: "delegation deleted", rule: awstype.Record, edit: stackfile.Replaced(", parentZone: example.com", ""),
			refusal: []string{"DNS record prerequisites-delegation would be deleted"}, always: true},
	}}
}
