package awsrequest

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/iam"
)

// ListAttachedRolePolicies is the request of this name as a paginator's client.
type ListAttachedRolePolicies request[iam.ListAttachedRolePoliciesInput, iam.Options, iam.ListAttachedRolePoliciesOutput]

// ListAttachedRolePolicies sends the request.
func (r ListAttachedRolePolicies) ListAttachedRolePolicies(ctx context.Context, in *iam.ListAttachedRolePoliciesInput, options ...func(*iam.Options)) (*iam.ListAttachedRolePoliciesOutput, error) {
	return r(ctx, in, options...)
}

// ListInstanceProfiles is the request of this name as a paginator's client.
type ListInstanceProfiles request[iam.ListInstanceProfilesInput, iam.Options, iam.ListInstanceProfilesOutput]

// ListInstanceProfiles sends the request.
func (r ListInstanceProfiles) ListInstanceProfiles(ctx context.Context, in *iam.ListInstanceProfilesInput, options ...func(*iam.Options)) (*iam.ListInstanceProfilesOutput, error) {
	return r(ctx, in, options...)
}

// ListInstanceProfilesForRole is the request of this name as a paginator's client.
type ListInstanceProfilesForRole request[iam.ListInstanceProfilesForRoleInput, iam.Options, iam.ListInstanceProfilesForRoleOutput]

// ListInstanceProfilesForRole sends the request.
func (r ListInstanceProfilesForRole) ListInstanceProfilesForRole(ctx context.Context, in *iam.ListInstanceProfilesForRoleInput, options ...func(*iam.Options)) (*iam.ListInstanceProfilesForRoleOutput, error) {
	return r(ctx, in, options...)
}

// ListPolicies is the request of this name as a paginator's client.
type ListPolicies request[iam.ListPoliciesInput, iam.Options, iam.ListPoliciesOutput]

// ListPolicies sends the request.
func (r ListPolicies) ListPolicies(ctx context.Context, in *iam.ListPoliciesInput, options ...func(*iam.Options)) (*iam.ListPoliciesOutput, error) {
	return r(ctx, in, options...)
}

// ListRolePolicies is the request of this name as a paginator's client.
type ListRolePolicies request[iam.ListRolePoliciesInput, iam.Options, iam.ListRolePoliciesOutput]

// ListRolePolicies sends the request.
func (r ListRolePolicies) ListRolePolicies(ctx context.Context, in *iam.ListRolePoliciesInput, options ...func(*iam.Options)) (*iam.ListRolePoliciesOutput, error) {
	return r(ctx, in, options...)
}

// ListRoleTags is the request of this name as a paginator's client.
type ListRoleTags request[iam.ListRoleTagsInput, iam.Options, iam.ListRoleTagsOutput]

// ListRoleTags sends the request.
func (r ListRoleTags) ListRoleTags(ctx context.Context, in *iam.ListRoleTagsInput, options ...func(*iam.Options)) (*iam.ListRoleTagsOutput, error) {
	return r(ctx, in, options...)
}

// ListRoles is the request of this name as a paginator's client.
type ListRoles request[iam.ListRolesInput, iam.Options, iam.ListRolesOutput]

// ListRoles sends the request.
func (r ListRoles) ListRoles(ctx context.Context, in *iam.ListRolesInput, options ...func(*iam.Options)) (*iam.ListRolesOutput, error) {
	return r(ctx, in, options...)
}

// SimulatePrincipalPolicy is the request of this name as a paginator's client.
type SimulatePrincipalPolicy request[iam.SimulatePrincipalPolicyInput, iam.Options, iam.SimulatePrincipalPolicyOutput]

// SimulatePrincipalPolicy sends the request.
func (r SimulatePrincipalPolicy) SimulatePrincipalPolicy(ctx context.Context, in *iam.SimulatePrincipalPolicyInput, options ...func(*iam.Options)) (*iam.SimulatePrincipalPolicyOutput, error) {
	return r(ctx, in, options...)
}
