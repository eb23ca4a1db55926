package preflight

import (
	"testing"

	"github.com/blang/semver"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// may returns policies that allow some actions.
func may(t *testing.T, texts ...string) account.Policies {
	t.Helper()
	var p account.Policies
	for _, text := range texts {
		require.NoError(t, p.Add(text))
	}
	return p
}

const (
	allowed = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["ec2:Run*","s3:PutObject"],"Resource":"arn:aws:ec2:*:*:instance/x","Condition":{"StringEquals":{"aws:RequestedRegion":"us-east-1"}}}]}`
	denied  = `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"s3:PutObject","Resource":"*"}]}`
)

func TestAnExistingRoleIsComparedWithWhatItsOperatorsCall(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:iam::111111111111:role/team/given"
	plan := Plan{Own: here, Given: &ExistingParts{Place: here, Release: semver.MustParse("4.20.1"), Parts: []config.Existing{{Kind: config.ExistingRole, Name: arn}}, Roles: []iam.ExistingRole{{
		Name: iam.RoleNodePoolManagement, ARN: arn, Breaks: "machines cannot be started or stopped",
		Needs: []iam.Need{
			{Action: "ec2:RunInstances", Why: "capa calls it", Vital: true},
			{Action: "iam:PassRole", Why: "capa calls it", Vital: true},
			{Action: "s3:PutObject", Why: "the registry calls it"},
			{Action: "ec2:DescribeInstanceTypes", Why: "capa calls it", Vital: true, Since: "4.22"},
		},
	}}}}
	found := checkExisting(t.Context(), plan, Accounts{
		here: fake{policies: map[string]account.Policies{"given": may(t, allowed, denied)}},
	}, true)
	verdicts := map[string]finding.Severity{}
	for _, f := range found {
		require.Equal(t, "role given (nodePoolManagement)", f.Subject)
		require.Len(t, f.Actions, 1)
		verdicts[f.Actions[0]] = f.Severity
	}
	require.Equal(t, map[string]finding.Severity{
		"iam:PassRole":              finding.Error,
		"s3:PutObject":              finding.Warning,
		"ec2:DescribeInstanceTypes": finding.Warning,
	}, verdicts,
		"a narrower resource or condition counts as allowed, a denial does not, and a later release is a warning")
	require.Equal(t, "role given (nodePoolManagement) (111111111111): lacks iam:PassRole: capa calls it; without it machines cannot be started or stopped; "+
		"ask its owner to allow it", found[0].String())
	require.Equal(t, "lacks ec2:DescribeInstanceTypes, which releases from 4.22 on need: capa calls it", found[2].Problem)

	plan.Given.Release = semver.MustParse("4.22.0")
	found = checkExisting(t.Context(), plan, Accounts{
		here: fake{policies: map[string]account.Policies{"given": may(t, allowed, denied)}},
	}, true)
	require.Equal(t, finding.Error, found[2].Severity, "the upgrade to the release that needs it")
}

func TestAnExistingRolesBoundaryLimitsItAndMorePermissionsAreNoFinding(t *testing.T) {
	t.Parallel()
	const everything = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`
	const arn = "arn:aws:iam::111111111111:role/given"
	plan := Plan{Own: here, Given: &ExistingParts{Place: here,
		Parts: []config.Existing{{Kind: config.ExistingRole, Name: arn}},
		Roles: []iam.ExistingRole{{
			Name: iam.RoleStorage, ARN: arn, Breaks: "b", Needs: []iam.Need{{Action: "ec2:AttachVolume", Why: "w"}},
		}}}}
	all := may(t, everything)
	found := checkExisting(t.Context(), plan, Accounts{
		here: fake{policies: map[string]account.Policies{"given": all}},
	}, true)
	require.Len(t, found, 1)
	require.Equal(t, finding.Passed, found[0].Severity)

	require.NoError(t, all.Limit(allowed))
	found = checkExisting(t.Context(), plan, Accounts{
		here: fake{policies: map[string]account.Policies{"given": all}},
	}, true)
	require.Len(t, found, 1)
	require.Equal(t, finding.Warning, found[0].Severity)

	found = checkExisting(t.Context(), plan, Accounts{
		here: fake{denied: map[string]error{"PoliciesOf": accessDenied("IAM", "ListRolePolicies")}},
	}, true)
	require.Equal(t, []string{"iam:ListRolePolicies"}, found[0].Actions)
	require.Contains(t, found[0].Problem, "not checked")
}
