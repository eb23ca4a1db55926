package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// ToRead returns the ARNs of the managed policies without which the guard cannot judge another permissions boundary, by
// the URN of the role or user that gets it: see changes.Plan.Policies.
func ToRead(plan *changes.Plan) map[string][]string {
	read := map[string][]string{}
	for _, step := range plan.Steps {
		lost := slices.ContainsFunc(recordedLosses(step), func(l awstype.Loss) bool { return l.Input == awstype.Boundary })
		if !lost {
			continue
		}
		_, arns := policiesOf(plan, step)
		for _, of := range []map[string]any{step.New, step.Old} {
			if arn := props.Map(of).String(awstype.Boundary); arn != "" {
				arns = append(arns, arn)
			}
		}
		read[step.URN] = arns
	}
	return read
}

// policiesOf returns the texts of the policies that a role or user has before the plan, and the ARNs of those that are
// attached to it.
func policiesOf(plan *changes.Plan, identity *changes.Step) (texts, attached []string) {
	for _, step := range plan.Steps {
		of := props.Map(step.Old)
		if !slices.Contains([]string{of.String("role"), of.String("user")}, identity.ID) {
			continue
		}
		switch step.Type {
		case awstype.RolePolicy, awstype.UserPolicy:
			texts = append(texts, of.String("policy"))
		case awstype.RolePolicyAttachment:
			attached = append(attached, of.String("policyArn"))
		}
	}
	return texts, attached
}

// boundaryLosses returns what another permissions boundary takes from the identity of a step, none if it allows all
// that the identity may do. It reports false if a policy was not read, or is not understood, or if the plan knows none.
func boundaryLosses(plan *changes.Plan, step *changes.Step) (lost []awstype.Loss, known bool) {
	document := func(text string) *policy.Document {
		parsed, err := policy.Parse(text)
		if err != nil {
			return nil
		}
		return &parsed
	}
	arn := props.Map(step.New).String(awstype.Boundary)
	boundary := document(plan.Policies[arn])
	if boundary == nil {
		return nil, false
	}
	until := document(plan.Policies[props.Map(step.Old).String(awstype.Boundary)]) // nil, as if there were none, if unread
	texts, attached := policiesOf(plan, step)
	for _, arn := range attached {
		texts = append(texts, plan.Policies[arn])
	}
	var policies []policy.Document
	for _, text := range texts {
		parsed := document(text)
		if parsed == nil {
			return nil, false
		}
		policies = append(policies, *parsed)
	}
	actions, known := awstype.BoundaryLosses(policies, until, *boundary)
	if !known || len(actions) == 0 {
		return nil, known && len(policies) > 0
	}
	const most = 5
	named := strings.Join(actions[:min(most, len(actions))], ", ")
	if more := len(actions) - most; more > 0 {
		named += " and " + report.Number(more, "more action")
	}
	return []awstype.Loss{{
		Input: awstype.Boundary, What: fmt.Sprintf("policy %s does not allow %s, which it may call now", arn, named),
	}}, true
}
