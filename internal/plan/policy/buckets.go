package policy

import (
	"fmt"
	"slices"
	"strings"

	iampolicy "github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

func bucketRules() []Rule {
	return []Rule{{
		ID:     "bucket-public-write",
		Title:  "A bucket does not allow anonymous writes.",
		Remedy: "allow only anonymous reads, or name the principals that write",
		Checks: []string{"checkov CKV_AWS_57", "checkov CKV_AWS_70", "prowler s3_bucket_policy_public_write_access",
			"cfn-nag F16", "CIS AWS 3.0 2.1.4"},
		types: []string{awstype.BucketPolicy},
		broken: func(r props.Resource) []string {
			return eachStatement(r, "policy", func(s iampolicy.Statement) string {
				if action := slices.IndexFunc(s.Action, writes); toAnyone(s) && len(s.Condition) == 0 && action >= 0 {
					return "the bucket's policy allows " + s.Action[action] + " to everybody"
				}
				return ""
			})
		},
	}, {
		ID:     "bucket-public-read",
		Title:  "A bucket allows anonymous reads only of an OIDC issuer's discovery documents.",
		Remedy: "allow s3:GetObject only on */.well-known/openid-configuration and */openid/v1/jwks, or keep the bucket private behind CloudFront",
		Checks: []string{"checkov CKV_AWS_53", "checkov CKV_AWS_54", "checkov CKV_AWS_55", "checkov CKV_AWS_56",
			"checkov CKV2_AWS_6",
			"trivy AWS-0086", "trivy AWS-0087", "trivy AWS-0091", "trivy AWS-0093", "prowler s3_bucket_public_access"},
		types: []string{awstype.BucketPolicy},
		broken: func(r props.Resource) []string {
			return eachStatement(r, "policy", func(s iampolicy.Statement) string {
				if !toAnyone(s) || len(s.Condition) > 0 {
					return ""
				}
				for _, action := range s.Action {
					if writes(action) {
						continue // the other rule checks it
					}
					for _, resource := range s.Resource {
						if action != "s3:GetObject" || !discovery(resource) {
							return fmt.Sprintf("the bucket's policy allows %s on %s to everybody", action, resource)
						}
					}
				}
				return ""
			})
		},
	}}
}

// writes reports whether an S3 action changes something.
func writes(action string) bool {
	name, s3 := strings.CutPrefix(action, "s3:")
	return action == "*" || s3 && !strings.HasPrefix(name, "Get") && !strings.HasPrefix(name, "List")
}

// discovery reports whether an object is a document that an OIDC issuer must publish.
func discovery(resource string) bool {
	return strings.HasSuffix(resource, "/.well-known/openid-configuration") ||
		strings.HasSuffix(resource, "/openid/v1/jwks")
}
