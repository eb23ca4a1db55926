package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Another permissions boundary is judged by what the role's policies allow until now. One that cannot be read, or is
// not understood, needs a consent.
func TestABoundaryIsJudgedByWhatItTakesFromTheRole(t *testing.T) {
	t.Parallel()
	const first, second, attached = "arn:aws:iam::123456789012:policy/a", "arn:aws:iam::123456789012:policy/b",
		"arn:aws:iam::123456789012:policy/c"
	all := allows("*", nil, "*")
	denied := func(action string, condition map[string]any) map[string]any {
		statement := allows(action, condition, "*")
		statement["Effect"] = "Deny"
		return statement
	}
	others := allows("*", nil, "*")
	others["NotAction"] = []string{"iam:*"}
	delete(others, "Action")
	for name, c := range map[string]struct {
		own      []map[string]any // the role's policy
		until    any              // the boundary until now
		policies map[string]string
		because  string // "" if it passes
	}{
		"all is allowed": {[]map[string]any{allows("ec2:RunInstances", nil, "*")}, nil,
			map[string]string{second: policyText(t, all)}, ""},
		"an action less": {[]map[string]any{allows("ec2:RunInstances", nil, "*"), allows("ec2:CreateTags", nil, "*")}, nil,
			map[string]string{second: policyText(t, allows("ec2:Create*", nil, "*"))},
			"does not allow ec2:RunInstances, which it may call now"},
		"a resource less": {[]map[string]any{allows("s3:PutObject", nil, "arn:aws:s3:::one/*", "arn:aws:s3:::two/*")}, nil,
			map[string]string{second: policyText(t, allows("s3:*", nil, "arn:aws:s3:::one/*"))}, "does not allow s3:PutObject"},
		"what the boundary until now did not allow either": {
			[]map[string]any{allows("ec2:RunInstances", nil, "*"), allows("sqs:SendMessage", nil, "*")}, first,
			map[string]string{first: policyText(t, allows("ec2:*", nil, "*")), second: policyText(t, allows("ec2:*", nil, "*"))},
			""},
		"a boundary until now that cannot be read": {[]map[string]any{allows("sqs:SendMessage", nil, "*")}, first,
			map[string]string{second: policyText(t, allows("ec2:*", nil, "*"))}, "does not allow sqs:SendMessage"},
		"a denial of other actions": {[]map[string]any{allows("ec2:RunInstances", nil, "*")}, nil,
			map[string]string{second: policyText(t, all, denied("iam:*", nil))}, ""},
		"a denial of a part of a pattern": {[]map[string]any{allows("ec2:*", nil, "*")}, nil,
			map[string]string{second: policyText(t, all, denied("ec2:TerminateInstances", nil))}, "does not allow ec2:*"},
		"a denial under a condition": {[]map[string]any{allows("ec2:RunInstances", nil, "*")}, nil,
			map[string]string{second: policyText(t, all, denied("ec2:RunInstances", ownedBy("a")))}, "ec2:RunInstances"},
		"the same denial as until now": {[]map[string]any{allows("ec2:RunInstances", nil, "*")}, first,
			map[string]string{first: policyText(t, all, denied("ec2:RunInstances", ownedBy("a"))),
				second: policyText(t, all, denied("ec2:RunInstances", ownedBy("a")))}, ""},
		"a policy that is not understood": {[]map[string]any{others}, nil,
			map[string]string{second: policyText(t, all)}, "what policy " + second + " does not allow"},
		"not read": {[]map[string]any{allows("ec2:RunInstances", nil,
			"*")}, nil, nil, "what policy " + second + " does not allow"},
		"of a role none of whose policies is known": {nil, nil, map[string]string{second: policyText(t, all)},
			"what policy " + second + " does not allow"},
		"without the attached policy": {nil, nil, map[string]string{second: policyText(t, all), attached: ""},
			"what policy " + second + " does not allow"},
		"with the attached policy": {nil, nil, map[string]string{second: policyText(t, all),
			attached: policyText(t, allows("ec2:RunInstances", nil, "*"))}, ""},
	} {
		step := func(token, name string, change changes.Change, before, after map[string]any) *changes.Step {
			return &changes.Step{URN: "urn:pulumi:dev::p::" + token + "::" + name, Name: name, Type: token, ID: name,
				Change: change, Custom: true, Old: before, New: after}
		}
		plan := &changes.Plan{Policies: c.policies, Steps: []*changes.Step{
			step(awstype.Role, "role", changes.Update, map[string]any{"permissionsBoundary": c.until},
				map[string]any{"permissionsBoundary": second}),
			step(awstype.RolePolicy, "other", changes.Same, map[string]any{"role": "other", "policy": "unread"}, nil),
		}}
		if c.own != nil {
			own := map[string]any{"role": "role", "policy": policyText(t, c.own...)}
			plan.Steps = append(plan.Steps, step(awstype.RolePolicy, "own", changes.Same, own, own))
		}
		if _, attaches := c.policies[attached]; attaches {
			of := map[string]any{"role": "role", "policyArn": attached}
			plan.Steps = append(plan.Steps, step(awstype.RolePolicyAttachment, "attached", changes.Same, of, of))
		}
		require.Contains(t, ToRead(plan)[plan.Steps[0].URN], second, name)
		err := Guard(plan, "dev", nil, nil)
		if c.because == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.because, name)
	}
}

// An interrupted replacement leaves an old resource to delete. Where the new one has its ID, that is the living one.
func TestAnOldResourceWithTheIDOfTheLivingOneIsRefused(t *testing.T) {
	t.Parallel()
	step := func(id string, change changes.Change, leftover bool) *changes.Step {
		return &changes.Step{URN: "urn:pulumi:dev::p::" + awstype.RolePolicy + "::it", Name: "it", Type: awstype.RolePolicy,
			ID: id, Change: change, Leftover: leftover, Custom: true, Old: map[string]any{"role": "role"}}
	}
	for name, c := range map[string]struct {
		steps   []*changes.Step
		refused bool
	}{
		"the ID of the one that stays": {[]*changes.Step{step("role:it", changes.Same,
			false), step("role:it", changes.Delete, true)}, true},
		"an ID of its own": {[]*changes.Step{step("role:new", changes.Same,
			false), step("role:it", changes.Delete, true)}, false},
		"no other": {[]*changes.Step{step("role:it", changes.Delete, true)}, false},
	} {
		err := Guard(&changes.Plan{Steps: c.steps}, "dev", nil, nil)
		require.Equal(t, c.refused, err != nil, name)
		if c.refused {
			require.ErrorContains(t, err, "role policy it would be deleted")
			require.ErrorContains(t, err, "the state has it twice")
		}
	}
}
