package orphan

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
)

func iamPair(t iamtypes.Tag) (key, value *string) { return t.Key, t.Value }

// listRoles reads the tags of each role, because IAM's list has none. Service-linked roles are left out.
func listRoles(ctx context.Context, c *clients, names []string) (found []Leftover, err error) {
	var roles []iamtypes.Role
	if len(names) > 0 {
		out, err := c.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: &names[0]})
		if err != nil {
			return nil, err
		}
		roles = append(roles, *out.Role)
	} else {
		pages := iam.NewListRolesPaginator(awsrequest.ListRoles(c.iam.ListRoles), &iam.ListRolesInput{})
		err = eachPage(ctx, pages, func(page *iam.ListRolesOutput) { roles = append(roles, page.Roles...) })
	}
	if err != nil {
		return nil, explained("IAM roles", err)
	}
	for _, r := range roles {
		if strings.HasPrefix(aws.ToString(r.Path), "/aws-") {
			continue
		}
		tags := r.Tags
		if len(names) == 0 {
			pages := iam.NewListRoleTagsPaginator(awsrequest.ListRoleTags(c.iam.ListRoleTags), &iam.ListRoleTagsInput{RoleName: r.RoleName})
			err := eachPage(ctx, pages, func(page *iam.ListRoleTagsOutput) { tags = append(tags, page.Tags...) })
			if gone(err) {
				continue
			}
			if err != nil {
				return found, explained("the tags of IAM role "+aws.ToString(r.RoleName), err)
			}
		}
		l := one(aws.ToString(r.RoleName), tags, iamPair)
		l.ARN, l.Created = aws.ToString(r.Arn), aws.ToTime(r.CreateDate)
		found = append(found, l)
	}
	return found, nil
}

// deleteRole first removes the role's policies and instance profiles, because AWS refuses to delete it otherwise.
func deleteRole(ctx context.Context, c *clients, l Leftover) error {
	profiles := iam.NewListInstanceProfilesForRolePaginator(awsrequest.ListInstanceProfilesForRole(c.iam.ListInstanceProfilesForRole), &iam.ListInstanceProfilesForRoleInput{RoleName: &l.ID})
	var names []string
	if err := eachPage(ctx, profiles, func(page *iam.ListInstanceProfilesForRoleOutput) {
		for _, p := range page.InstanceProfiles {
			names = append(names, aws.ToString(p.InstanceProfileName))
		}
	}); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := c.iam.RemoveRoleFromInstanceProfile(ctx, &iam.RemoveRoleFromInstanceProfileInput{InstanceProfileName: &name, RoleName: &l.ID}); err != nil && !gone(err) {
			return err
		}
	}
	attached := iam.NewListAttachedRolePoliciesPaginator(awsrequest.ListAttachedRolePolicies(c.iam.ListAttachedRolePolicies), &iam.ListAttachedRolePoliciesInput{RoleName: &l.ID})
	var arns []string
	if err := eachPage(ctx, attached, func(page *iam.ListAttachedRolePoliciesOutput) {
		for _, p := range page.AttachedPolicies {
			arns = append(arns, aws.ToString(p.PolicyArn))
		}
	}); err != nil {
		return err
	}
	for _, arn := range arns {
		if _, err := c.iam.DetachRolePolicy(ctx, &iam.DetachRolePolicyInput{RoleName: &l.ID, PolicyArn: &arn}); err != nil && !gone(err) {
			return err
		}
	}
	inline := iam.NewListRolePoliciesPaginator(awsrequest.ListRolePolicies(c.iam.ListRolePolicies), &iam.ListRolePoliciesInput{RoleName: &l.ID})
	var policies []string
	if err := eachPage(ctx, inline, func(page *iam.ListRolePoliciesOutput) { policies = append(policies, page.PolicyNames...) }); err != nil {
		return err
	}
	for _, name := range policies {
		if _, err := c.iam.DeleteRolePolicy(ctx, &iam.DeleteRolePolicyInput{RoleName: &l.ID, PolicyName: &name}); err != nil && !gone(err) {
			return err
		}
	}
	return send(ctx, c.iam.DeleteRole, &iam.DeleteRoleInput{RoleName: &l.ID})
}

// listInstanceProfiles reads each profile, because IAM's list has no tags.
func listInstanceProfiles(ctx context.Context, c *clients, names []string) (found []Leftover, err error) {
	if len(names) == 0 {
		pages := iam.NewListInstanceProfilesPaginator(awsrequest.ListInstanceProfiles(c.iam.ListInstanceProfiles), &iam.ListInstanceProfilesInput{})
		err = eachPage(ctx, pages, func(page *iam.ListInstanceProfilesOutput) {
			for _, p := range page.InstanceProfiles {
				names = append(names, aws.ToString(p.InstanceProfileName))
			}
		})
	}
	if err != nil {
		return nil, explained("instance profiles", err)
	}
	for _, name := range names {
		out, err := c.iam.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: &name})
		if gone(err) {
			continue
		}
		if err != nil {
			return found, explained("instance profile "+name, err)
		}
		l := one(name, out.InstanceProfile.Tags, iamPair)
		l.ARN, l.Created = aws.ToString(out.InstanceProfile.Arn), aws.ToTime(out.InstanceProfile.CreateDate)
		found = append(found, l)
	}
	return found, nil
}

func deleteInstanceProfile(ctx context.Context, c *clients, l Leftover) error {
	out, err := c.iam.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: &l.ID})
	if err != nil {
		return err
	}
	for _, role := range out.InstanceProfile.Roles {
		if _, err := c.iam.RemoveRoleFromInstanceProfile(ctx, &iam.RemoveRoleFromInstanceProfileInput{
			InstanceProfileName: &l.ID, RoleName: role.RoleName}); err != nil && !gone(err) {
			return err
		}
	}
	return send(ctx, c.iam.DeleteInstanceProfile, &iam.DeleteInstanceProfileInput{InstanceProfileName: &l.ID})
}

func listOIDCProviders(ctx context.Context, c *clients, arns []string) (found []Leftover, err error) {
	if len(arns) == 0 {
		out, err := c.iam.ListOpenIDConnectProviders(ctx, &iam.ListOpenIDConnectProvidersInput{}) // not paginated
		if err != nil {
			return nil, explained("OIDC providers", err)
		}
		for _, p := range out.OpenIDConnectProviderList {
			arns = append(arns, aws.ToString(p.Arn))
		}
	}
	for _, arn := range arns {
		p, err := c.iam.GetOpenIDConnectProvider(ctx, &iam.GetOpenIDConnectProviderInput{OpenIDConnectProviderArn: &arn})
		if gone(err) {
			continue
		}
		if err != nil {
			return found, explained("OIDC provider "+arn, err)
		}
		l := one(arn, p.Tags, iamPair)
		l.ARN, l.Created = arn, aws.ToTime(p.CreateDate)
		found = append(found, l)
	}
	return found, nil
}

func deleteOIDCProvider(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.iam.DeleteOpenIDConnectProvider, &iam.DeleteOpenIDConnectProviderInput{OpenIDConnectProviderArn: &l.ID})
}
