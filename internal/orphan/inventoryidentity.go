package orphan

import (
	"context"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

func iamOne(id *string, tags []iamtypes.Tag) Leftover { return one(aws.ToString(id), tags, iamPair) }

// document decodes a policy: IAM returns it URL-encoded.
func document(text *string) string {
	plain, err := url.QueryUnescape(aws.ToString(text))
	if err != nil {
		return aws.ToString(text)
	}
	return plain
}

// identityListers list IAM's types. Most need a name, or the name of the role: IAM's lists cover the whole account.
func identityListers() map[string]lister {
	return map[string]lister{
		awstype.Role: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			if q.Text("name") == "" {
				list := iam.NewListRolesPaginator(awsrequest.ListRoles(c.iam.ListRoles), &iam.ListRolesInput{})
				return found, eachPage(ctx, list, func(page *iam.ListRolesOutput) {
					for _, r := range page.Roles {
						found = append(found, roleResource(r))
					}
				})
			}
			out, err := c.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: aws.String(q.Text("name"))})
			if err != nil {
				return nil, err
			}
			return []Resource{roleResource(*out.Role)}, nil
		},
		awstype.RolePolicy: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			role := q.Text("role")
			names := []string{q.Text("name")}
			if names[0] == "" {
				names = nil
				list := iam.NewListRolePoliciesPaginator(awsrequest.ListRolePolicies(c.iam.ListRolePolicies), &iam.ListRolePoliciesInput{RoleName: &role})
				if err := eachPage(ctx, list, func(page *iam.ListRolePoliciesOutput) { names = append(names, page.PolicyNames...) }); err != nil {
					return nil, err
				}
			}
			for _, name := range names {
				out, err := c.iam.GetRolePolicy(ctx, &iam.GetRolePolicyInput{RoleName: &role, PolicyName: &name})
				if err != nil {
					return found, err
				}
				found = append(found, resource(one(role+":"+name, []iamtypes.Tag{}, iamPair), map[string]any{
					"role": role, "name": name, "policy": document(out.PolicyDocument)}))
			}
			return found, nil
		},
		"aws:iam/rolePolicyAttachment:RolePolicyAttachment": func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			role := q.Text("role")
			list := iam.NewListAttachedRolePoliciesPaginator(awsrequest.ListAttachedRolePolicies(c.iam.ListAttachedRolePolicies), &iam.ListAttachedRolePoliciesInput{RoleName: &role})
			return found, eachPage(ctx, list, func(page *iam.ListAttachedRolePoliciesOutput) {
				for _, p := range page.AttachedPolicies {
					found = append(found, resource(iamOne(p.PolicyArn, nil), map[string]any{"role": role, "policyArn": p.PolicyArn}))
				}
			})
		},
		awstype.InstanceProfile: func(ctx context.Context, _ *listedAccount, c *clients, q Query) ([]Resource, error) {
			out, err := c.iam.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: aws.String(q.Text("name"))})
			if err != nil {
				return nil, err
			}
			p := out.InstanceProfile
			properties := map[string]any{"name": p.InstanceProfileName, "path": p.Path}
			for _, role := range p.Roles {
				properties["role"] = role.RoleName
			}
			return []Resource{resource(iamOne(p.InstanceProfileName, p.Tags), properties)}, nil
		},
		awstype.OIDCProvider: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			out, err := c.iam.ListOpenIDConnectProviders(ctx, &iam.ListOpenIDConnectProvidersInput{})
			if err != nil {
				return nil, err
			}
			for _, p := range out.OpenIDConnectProviderList {
				_, issuer, _ := strings.Cut(aws.ToString(p.Arn), ":oidc-provider/")
				found = append(found, resource(iamOne(p.Arn, nil), map[string]any{"url": issuer}))
			}
			return found, nil
		},
		"aws:iam/policy:Policy": func(ctx context.Context, _ *listedAccount, c *clients, _ Query) (found []Resource, err error) {
			list := iam.NewListPoliciesPaginator(awsrequest.ListPolicies(c.iam.ListPolicies), &iam.ListPoliciesInput{Scope: iamtypes.PolicyScopeTypeLocal})
			return found, eachPage(ctx, list, func(page *iam.ListPoliciesOutput) {
				for _, p := range page.Policies {
					found = append(found, resource(iamOne(p.Arn, p.Tags), map[string]any{"name": p.PolicyName, "path": p.Path}))
				}
			})
		},
		awstype.User: func(ctx context.Context, _ *listedAccount, c *clients, q Query) ([]Resource, error) {
			out, err := c.iam.GetUser(ctx, &iam.GetUserInput{UserName: aws.String(q.Text("name"))})
			if err != nil {
				return nil, err
			}
			return []Resource{resource(iamOne(out.User.UserName, out.User.Tags), map[string]any{"name": out.User.UserName})}, nil
		},
		"aws:iam/userPolicy:UserPolicy": func(ctx context.Context, _ *listedAccount, c *clients, q Query) ([]Resource, error) {
			user, name := q.Text("user"), q.Text("name")
			if _, err := c.iam.GetUserPolicy(ctx, &iam.GetUserPolicyInput{UserName: &user, PolicyName: &name}); err != nil {
				return nil, err
			}
			return []Resource{resource(one(user+":"+name, []iamtypes.Tag{}, iamPair), map[string]any{"user": user, "name": name})}, nil
		},
	}
}

func roleResource(r iamtypes.Role) Resource {
	properties := map[string]any{"name": r.RoleName, "path": r.Path, "assumeRolePolicy": document(r.AssumeRolePolicyDocument)}
	if r.PermissionsBoundary != nil {
		properties["permissionsBoundary"] = r.PermissionsBoundary.PermissionsBoundaryArn
	}
	found := resource(iamOne(r.RoleName, r.Tags), properties)
	found.ARN, found.Created = aws.ToString(r.Arn), aws.ToTime(r.CreateDate)
	return found
}
