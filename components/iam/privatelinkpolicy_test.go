package iam

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

func TestAnOperatorHeldToAVPCMayDoWhatItNeedsAndThereAlone(t *testing.T) {
	t.Parallel()
	s := scope{partition: "aws", account: "111111111111", localZoneARN: "arn:aws:route53:::hostedzone/Z1"}
	anywhere := controlPlaneOperatorPolicy(s)
	s.infraID, s.vpcID, s.region = "demo-x1", "vpc-1", "us-east-1"
	held := controlPlaneOperatorPolicy(s)

	actions := func(d policy.Document) []string {
		var all []string
		for _, statement := range d.Statement {
			all = append(all, statement.Action...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	require.Equal(t, actions(anywhere), actions(held))
	for _, statement := range held.Statement {
		for _, action := range statement.Action {
			if !slices.Contains(statement.Resource, everything) {
				continue
			}
			require.Regexp(t, `:(Describe|List)`, action, "on any resource")
		}
		for _, resource := range statement.Resource {
			if resource != everything && resource[len(resource)-1] == '*' {
				require.NotEmpty(t, statement.Condition, "%v on %s", statement.Action, resource)
			}
		}
	}
}
