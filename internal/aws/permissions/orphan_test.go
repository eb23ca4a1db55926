package permissions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

func TestPoliciesAllowTheSearchAfterAnInterruptedRun(t *testing.T) {
	t.Parallel()
	europe := in("aws:cloudfront/distribution:Distribution", nil)
	europe.Region = "eu-west-1"
	policies := policiesOf(t, europe, in("aws:ec2/vpc:Vpc", nil),
		in("aws:route53/zone:Zone", map[string]any{"name": "x.example.com"}))
	for _, action := range []string{"ec2:DescribeTags", "tag:GetResources", "route53:ListHostedZonesByName"} {
		require.Contains(t, resourcesOf(policies, action), "*", action)
	}
	for _, s := range policies[0].Document.Statement {
		if s.Action[0] == "tag:GetResources" {
			require.Equal(t, policy.Condition{
				"StringEquals": {"aws:RequestedRegion": {"us-east-1"}},
			}, s.Condition, "CloudFront's region")
		}
	}
}
