package iam

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

func TestAnOperatorLimitedToAVPCHasItsPermissionsOnlyThere(t *testing.T) {
	t.Parallel()
	s := scope{
		Location:     location.Location{Partition: "aws", Account: "111111111111"},
		localZoneARN: "arn:aws:route53:::hostedzone/Z1",
	}
	anywhere := controlPlaneOperatorPolicy(s)
	s.infraID, s.vpcID, s.Region = "demo-x1", "vpc-1", "us-east-1"
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

func TestTheARNsOfASharedVPCHaveItsOwnersAccount(t *testing.T) {
	t.Parallel()
	document := controlPlaneOperatorPolicy(scope{Location: location.Location{
		Partition: "aws",
		Account:   "111111111111",
		Region:    "us-east-1",
	}, vpcAccount: "222222222222",
		infraID: "demo-x1", vpcID: "vpc-1"})
	const vpc = "arn:aws:ec2:us-east-1:222222222222:vpc/vpc-1"
	var resources []string
	for _, statement := range document.Statement {
		resources = append(resources, statement.Resource...)
		if arns, held := statement.Condition["ArnEquals"]["ec2:Vpc"]; held {
			require.Equal(t, policy.Values{vpc}, arns)
		}
	}
	slices.Sort(resources)
	require.Equal(t, []string{"*",
		"arn:aws:ec2:us-east-1:111111111111:security-group/*", "arn:aws:ec2:us-east-1:111111111111:vpc-endpoint/*",
		"arn:aws:ec2:us-east-1:222222222222:subnet/*", vpc}, slices.Compact(resources))
}

// TestTheOperatorTagsTheClustersSecurityGroupsLater: HyperShift's control plane operator applies a change of
// resourceTags to the default security group, not only at its creation.
func TestTheOperatorTagsTheClustersSecurityGroupsLater(t *testing.T) {
	t.Parallel()
	document := controlPlaneOperatorPolicy(scope{Location: location.Location{
		Partition: "aws",
		Account:   "111111111111",
		Region:    "us-east-1",
	},
		infraID: "demo-x1", vpcID: "vpc-1"})
	for owner, want := range map[string]bool{"demo-x1": true, "other-x2": false} {
		decision := policy.Evaluate(policy.Request{
			Action: "ec2:CreateTags", Resource: "arn:aws:ec2:us-east-1:111111111111:security-group/sg-1",
			Context: map[string][]string{"aws:ResourceTag/kubernetes.io/cluster/" + owner: {"owned"}},
		}, document)
		require.Equal(t, want, decision == policy.Allowed, "a security group of %s", owner)
	}
}
