package account

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// Policies are the policies of a role: those that give permissions, and its permissions boundary, nil for none.
type Policies struct {
	Documents []policy.Document
	Boundary  *policy.Document
}

// Allow reports whether a call of an action can be allowed: on some resource, under some condition. Service control
// policies and policies of resources are not considered.
func (p Policies) Allow(action string) bool {
	request := policy.Request{Action: action, Partial: true}
	return policy.Evaluate(request, p.Documents...) == policy.Allowed &&
		(p.Boundary == nil || policy.Evaluate(request, *p.Boundary) == policy.Allowed)
}

// Add adds a policy's text.
func (p *Policies) Add(text string) error {
	parsed, err := policy.Parse(text)
	if err != nil {
		return fmt.Errorf("reading a policy: %w", err)
	}
	p.Documents = append(p.Documents, parsed)
	return nil
}

// Limit sets the boundary by its text.
func (p *Policies) Limit(text string) error {
	parsed, err := policy.Parse(text)
	if err != nil {
		return fmt.Errorf("reading a permissions boundary: %w", err)
	}
	p.Boundary = &parsed
	return nil
}

// PoliciesOf implements Facts.
func (a *realAccount) PoliciesOf(ctx context.Context, role string) (Policies, error) {
	var all Policies
	c, err := a.clients(ctx)
	if err != nil {
		return all, err
	}
	described, err := c.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: &role})
	if err != nil {
		return all, err
	}
	names, err := rolePolicies(ctx, c, role)
	if err != nil {
		return all, err
	}
	for _, name := range names {
		out, err := c.iam.GetRolePolicy(ctx, &iam.GetRolePolicyInput{RoleName: &role, PolicyName: &name})
		if err != nil {
			return all, err
		}
		if err := all.Add(document(out.PolicyDocument)); err != nil {
			return all, err
		}
	}
	arns, err := attachedPolicies(ctx, c, role)
	if err != nil {
		return all, err
	}
	for _, arn := range arns {
		text, err := policyText(ctx, c, arn)
		if err != nil {
			return all, err
		}
		if err := all.Add(text); err != nil {
			return all, err
		}
	}
	if boundary := described.Role.PermissionsBoundary; boundary != nil {
		text, err := policyText(ctx, c, aws.ToString(boundary.PermissionsBoundaryArn))
		if err != nil {
			return all, err
		}
		return all, all.Limit(text)
	}
	return all, nil
}

// Policy implements Facts.
func (a *realAccount) Policy(ctx context.Context, arn string) (string, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return "", err
	}
	return policyText(ctx, c, arn)
}

// policyText returns the document of a managed policy's default version.
func policyText(ctx context.Context, c *clients, arn string) (string, error) {
	found, err := c.iam.GetPolicy(ctx, &iam.GetPolicyInput{PolicyArn: &arn})
	if err != nil {
		return "", err
	}
	version, err := c.iam.GetPolicyVersion(ctx, &iam.GetPolicyVersionInput{
		PolicyArn: &arn,
		VersionId: found.Policy.DefaultVersionId,
	})
	if err != nil {
		return "", err
	}
	return document(version.PolicyVersion.Document), nil
}
