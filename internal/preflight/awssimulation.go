package preflight

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/account"
)

// Simulate implements Account, by IAM's policy simulator. It evaluates the policies of the role or user, its permissions boundary and
// service control policies, but no session policies.
func (a *realAccount) Simulate(ctx context.Context, caller Identity, s policy.Statement) ([]Denial, error) {
	if strings.HasSuffix(caller.ARN, ":root") {
		return nil, nil // the root user may do everything that service control policies leave it
	}
	source, err := a.policySource(ctx, caller)
	if err != nil {
		return nil, err
	}
	client, err := a.iam(ctx)
	if err != nil {
		return nil, err
	}
	in := &iam.SimulatePrincipalPolicyInput{PolicySourceArn: &source, ActionNames: s.Action, ContextEntries: contextOf(caller, s.Condition)}
	pattern := false
	for _, resource := range s.Resource {
		if resource != "*" {
			in.ResourceArns = append(in.ResourceArns, resource)
			pattern = pattern || strings.Contains(resource, "*")
		}
	}
	pages := account.NewPages(client.SimulatePrincipalPolicy, in)
	results, err := all(ctx, pages.HasMorePages, pages.NextPage, func(p *iam.SimulatePrincipalPolicyOutput) []iamtypes.EvaluationResult { return p.EvaluationResults })
	var denials []Denial
	for _, r := range results {
		if r.EvalDecision == iamtypes.PolicyEvaluationDecisionTypeAllowed {
			continue
		}
		d := Denial{Action: aws.ToString(r.EvalActionName), By: deniedBy(r)}
		d.Unsure = r.EvalDecision == iamtypes.PolicyEvaluationDecisionTypeImplicitDeny && (pattern || len(r.MissingContextValues) > 0)
		denials = append(denials, d)
	}
	return denials, err
}

// policySource returns the ARN with the caller's policies: for a session, that of the role, whose path only IAM
// knows.
func (a *realAccount) policySource(ctx context.Context, caller Identity) (string, error) {
	_, session, assumed := strings.Cut(caller.ARN, ":assumed-role/")
	if !assumed {
		if strings.Contains(caller.ARN, ":federated-user/") {
			return "", fmt.Errorf("the policies of %s cannot be simulated: it is a federated user", caller.ARN)
		}
		return caller.ARN, nil
	}
	name, _, _ := strings.Cut(session, "/")
	client, err := a.iam(ctx)
	if err != nil {
		return "", err
	}
	return a.principal.get(func() (string, error) {
		role, err := client.GetRole(ctx, &iam.GetRoleInput{RoleName: &name})
		if err == nil && role.Role != nil {
			return aws.ToString(role.Role.Arn), nil
		}
		if deniedAction(err) == "" {
			return "", err
		}
		// Most roles have the path "/".
		return caller.globalARN("iam", "role/"+name), nil
	})
}

// contextOf returns the keys that the conditions of a statement refer to.
func contextOf(caller Identity, conditions policy.Condition) []iamtypes.ContextEntry {
	const requestedRegion = "aws:RequestedRegion"
	values := map[string][]string{requestedRegion: {caller.Region}}
	for _, keys := range conditions {
		for key, wanted := range keys {
			values[key] = wanted
		}
	}
	var entries []iamtypes.ContextEntry
	for key, wanted := range values {
		// One request has one value: that which the stack sends first.
		entries = append(entries, iamtypes.ContextEntry{
			ContextKeyName: aws.String(key), ContextKeyType: iamtypes.ContextKeyTypeEnumString, ContextKeyValues: wanted[:1],
		})
	}
	return entries
}

// deniedBy returns the reason of a denial.
func deniedBy(r iamtypes.EvaluationResult) string {
	switch {
	case r.OrganizationsDecisionDetail != nil && !r.OrganizationsDecisionDetail.AllowedByOrganizations:
		return "a service control policy of the organization denies it"
	case r.PermissionsBoundaryDecisionDetail != nil && !r.PermissionsBoundaryDecisionDetail.AllowedByPermissionsBoundary:
		return "the permissions boundary does not allow it"
	case r.EvalDecision == iamtypes.PolicyEvaluationDecisionTypeExplicitDeny:
		return "a policy denies it"
	}
	return "no policy allows it"
}
