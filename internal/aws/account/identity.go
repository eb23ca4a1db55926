package account

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func iamPair(t iamtypes.Tag) (key, value *string) { return t.Key, t.Value }

// document decodes a policy: IAM returns it URL-encoded.
func document(text *string) string {
	plain, err := url.QueryUnescape(aws.ToString(text))
	if err != nil {
		return aws.ToString(text)
	}
	return plain
}

// identitiesAtOnce is how many instances a page of IAM's lists has; by default it has 100.
const identitiesAtOnce = 1000

// identityListers list IAM's types. IAM's lists have no tags: complete lists need a request for each instance.
func identityListers() map[string]lister {
	return map[string]lister{
		awstype.Role: {brief: true, dated: true, list: listRoles, remove: deleteRole},
		awstype.RolePolicy: {list: func(ctx context.Context, c *clients, q Query) (found []inventory.Resource, err error) {
			role := q.Text("role")
			names := namesOf(q, "name")
			if len(names) == 0 {
				if names, err = rolePolicies(ctx, c, role); err != nil {
					return nil, err
				}
			}
			return Gather(names, func(name string) ([]inventory.Resource, error) {
				out, err := c.iam.GetRolePolicy(ctx, &iam.GetRolePolicyInput{RoleName: &role, PolicyName: &name})
				if err != nil {
					return nil, err
				}
				return []inventory.Resource{named(role+":"+name, map[string]any{
					"role":   role,
					"name":   name,
					"policy": document(out.PolicyDocument),
				})}, nil
			})
		}},
		awstype.RolePolicyAttachment: {list: func(
			ctx context.Context,
			c *clients,
			q Query,
		) (found []inventory.Resource, err error) {
			arns, err := attachedPolicies(ctx, c, q.Text("role"))
			for _, arn := range arns {
				found = append(found, named(arn, map[string]any{"role": q.Text("role"), "policyArn": arn}))
			}
			return found, err
		}},
		awstype.InstanceProfile: {
			brief: true,
			dated: true,
			list: func(ctx context.Context, c *clients, q Query) (found []inventory.Resource, err error) {
				names := namesOf(q, "name")
				if len(names) == 0 {
					found, err = each(ctx, c.iam.ListInstanceProfiles, &iam.ListInstanceProfilesInput{
						MaxItems: aws.Int32(identitiesAtOnce),
					},
						func(p *iam.ListInstanceProfilesOutput) []iamtypes.InstanceProfile { return p.InstanceProfiles }, instanceProfile)
					if names = IDs(found); err != nil || !q.Complete {
						return found, err
					}
				}
				return eachNamed(names, instanceProfile, func(name string) (iamtypes.InstanceProfile, error) {
					out, err := c.iam.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: &name})
					if err != nil {
						return iamtypes.InstanceProfile{}, err
					}
					return *out.InstanceProfile, nil
				})
			},
			remove: deleteInstanceProfile,
		},
		awstype.OIDCProvider: {
			brief: true,
			dated: true,
			list: func(ctx context.Context, c *clients, q Query) (found []inventory.Resource, err error) {
				arns := q.IDs
				if len(arns) == 0 {
					found, err = each(ctx, c.iam.ListOpenIDConnectProviders, &iam.ListOpenIDConnectProvidersInput{},
						func(p *iam.ListOpenIDConnectProvidersOutput) []iamtypes.OpenIDConnectProviderListEntry {
							return p.OpenIDConnectProviderList
						},
						func(p iamtypes.OpenIDConnectProviderListEntry) inventory.Resource {
							return oidcProvider(aws.ToString(p.Arn))
						})
					if arns = IDs(found); err != nil || !q.Complete {
						return found, err
					}
				}
				return eachNamed(arns, func(r inventory.Resource) inventory.Resource {
					return r
				}, func(arn string) (inventory.Resource, error) {
					p, err := c.iam.GetOpenIDConnectProvider(ctx, &iam.GetOpenIDConnectProviderInput{OpenIDConnectProviderArn: &arn})
					if err != nil {
						return inventory.Resource{}, err
					}
					r := oidcProvider(arn)
					r.Tags, r.Created = tagsOf(p.Tags, iamPair), aws.ToTime(p.CreateDate)
					r.Properties["clientIdLists"], r.Properties["thumbprintLists"] = anys(p.ClientIDList), anys(p.ThumbprintList)
					return r, nil
				})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.iam.DeleteOpenIDConnectProvider, &iam.DeleteOpenIDConnectProviderInput{
					OpenIDConnectProviderArn: &r.ID,
				})
			},
		},
		awstype.Policy: {
			brief: true,
			dated: true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				if len(q.IDs) == 0 {
					return each(ctx, c.iam.ListPolicies, &iam.ListPoliciesInput{
						Scope:    iamtypes.PolicyScopeTypeLocal,
						MaxItems: aws.Int32(identitiesAtOnce),
					},
						func(p *iam.ListPoliciesOutput) []iamtypes.Policy { return p.Policies }, managedPolicy)
				}
				return eachNamed(q.IDs, managedPolicy, func(arn string) (iamtypes.Policy, error) {
					out, err := c.iam.GetPolicy(ctx, &iam.GetPolicyInput{PolicyArn: &arn})
					if err != nil {
						return iamtypes.Policy{}, err
					}
					return *out.Policy, nil
				})
			},
		},
		awstype.User: {
			dated: true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				user := func(u iamtypes.User) inventory.Resource {
					r := one(u.UserName, u.Tags, iamPair, map[string]any{"name": u.UserName})
					r.Created = aws.ToTime(u.CreateDate)
					return r
				}
				names := namesOf(q, "name")
				if len(names) == 0 && q.Complete {
					return listUsers(ctx, c, user)
				}
				return eachNamed(names, user, func(name string) (iamtypes.User, error) {
					out, err := c.iam.GetUser(ctx, &iam.GetUserInput{UserName: &name})
					if err != nil {
						return iamtypes.User{}, err
					}
					return *out.User, nil
				})
			},
		},
		awstype.UserPolicy: {list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
			user, name := q.Text("user"), q.Text("name")
			if err := send(ctx, c.iam.GetUserPolicy, &iam.GetUserPolicyInput{UserName: &user, PolicyName: &name}); err != nil {
				return nil, err
			}
			return []inventory.Resource{named(user+":"+name, map[string]any{"user": user, "name": name})}, nil
		}},
		awstype.AccessKey: {list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
			user := q.Text("user")
			if user == "" {
				return nil, ErrNotListed
			}
			return each(ctx, c.iam.ListAccessKeys, &iam.ListAccessKeysInput{UserName: &user},
				func(p *iam.ListAccessKeysOutput) []iamtypes.AccessKeyMetadata { return p.AccessKeyMetadata },
				func(k iamtypes.AccessKeyMetadata) inventory.Resource {
					return named(aws.ToString(k.AccessKeyId), map[string]any{"user": aws.ToString(k.UserName)})
				})
		}},
	}
}

// eachNamed reads instances by name. One that no longer exists is left out.
func eachNamed[Item any](
	names []string,
	resource func(Item) inventory.Resource,
	read func(name string) (Item, error),
) ([]inventory.Resource, error) {
	return Gather(names, func(name string) ([]inventory.Resource, error) {
		item, err := read(name)
		if gone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		return []inventory.Resource{resource(item)}, nil
	})
}

func instanceProfile(p iamtypes.InstanceProfile) inventory.Resource {
	properties := map[string]any{"name": p.InstanceProfileName, "path": p.Path}
	for _, role := range p.Roles {
		properties["role"] = role.RoleName
	}
	r := one(p.InstanceProfileName, p.Tags, iamPair, properties)
	r.ARN, r.Created = aws.ToString(p.Arn), aws.ToTime(p.CreateDate)
	return r
}

func managedPolicy(p iamtypes.Policy) inventory.Resource {
	r := one(p.Arn, p.Tags, iamPair, map[string]any{"name": p.PolicyName, "path": p.Path})
	r.Created = aws.ToTime(p.CreateDate)
	return r
}

// oidcProvider returns an OIDC provider without its tags.
func oidcProvider(arn string) inventory.Resource {
	_, issuer, _ := strings.Cut(arn, ":oidc-provider/")
	r := named(arn, map[string]any{"url": issuer})
	r.ARN = arn
	return r
}

// listRoles leaves service-linked roles out of complete lists.
func listRoles(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
	if names := namesOf(q, "name"); len(names) > 0 {
		return eachNamed(names, role, func(name string) (iamtypes.Role, error) {
			out, err := c.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: &name})
			if err != nil {
				return iamtypes.Role{}, err
			}
			return *out.Role, nil
		})
	}
	roles, err := each(ctx, c.iam.ListRoles, &iam.ListRolesInput{
		MaxItems: aws.Int32(identitiesAtOnce),
	}, func(p *iam.ListRolesOutput) []iamtypes.Role {
		return p.Roles
	}, role)
	if err != nil || !q.Complete {
		return roles, err
	}
	return Gather(roles, func(r inventory.Resource) ([]inventory.Resource, error) {
		if strings.HasPrefix(r.Text("path"), "/aws-") {
			return nil, nil
		}
		pages := NewPages(c.iam.ListRoleTags, &iam.ListRoleTagsInput{RoleName: &r.ID})
		var tags []iamtypes.Tag
		err := eachPage(ctx, pages, func(page *iam.ListRoleTagsOutput) { tags = append(tags, page.Tags...) })
		if gone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, explained("the tags of IAM role "+r.ID, err)
		}
		r.Tags = tagsOf(tags, iamPair)
		return []inventory.Resource{r}, nil
	})
}

// listUsers returns all users with their tags.
func listUsers(
	ctx context.Context,
	c *clients,
	user func(iamtypes.User) inventory.Resource,
) ([]inventory.Resource, error) {
	users, err := each(ctx, c.iam.ListUsers, &iam.ListUsersInput{MaxItems: aws.Int32(identitiesAtOnce)},
		func(p *iam.ListUsersOutput) []iamtypes.User { return p.Users }, user)
	if err != nil {
		return nil, err
	}
	return Gather(users, func(r inventory.Resource) ([]inventory.Resource, error) {
		pages := NewPages(c.iam.ListUserTags, &iam.ListUserTagsInput{UserName: &r.ID})
		var tags []iamtypes.Tag
		err := eachPage(ctx, pages, func(page *iam.ListUserTagsOutput) { tags = append(tags, page.Tags...) })
		if gone(err) {
			return nil, nil
		}
		r.Tags = tagsOf(tags, iamPair)
		return []inventory.Resource{r}, explained("the tags of IAM user "+r.ID, err)
	})
}

func role(r iamtypes.Role) inventory.Resource {
	properties := map[string]any{
		"name":             r.RoleName,
		"path":             r.Path,
		"assumeRolePolicy": document(r.AssumeRolePolicyDocument),
	}
	if r.PermissionsBoundary != nil {
		properties["permissionsBoundary"] = r.PermissionsBoundary.PermissionsBoundaryArn
	}
	found := one(r.RoleName, r.Tags, iamPair, properties)
	found.ARN, found.Created = aws.ToString(r.Arn), aws.ToTime(r.CreateDate)
	return found
}

func attachedPolicies(ctx context.Context, c *clients, role string) (arns []string, err error) {
	err = eachPage(ctx, NewPages(c.iam.ListAttachedRolePolicies, &iam.ListAttachedRolePoliciesInput{RoleName: &role}),
		func(page *iam.ListAttachedRolePoliciesOutput) {
			for _, p := range page.AttachedPolicies {
				arns = append(arns, aws.ToString(p.PolicyArn))
			}
		})
	return arns, err
}

func rolePolicies(ctx context.Context, c *clients, role string) (names []string, err error) {
	err = eachPage(ctx, NewPages(c.iam.ListRolePolicies, &iam.ListRolePoliciesInput{RoleName: &role}),
		func(page *iam.ListRolePoliciesOutput) { names = append(names, page.PolicyNames...) })
	return names, err
}

// deleteRole first removes the role's policies and instance profiles, because AWS refuses to delete it otherwise.
func deleteRole(ctx context.Context, c *clients, r inventory.Resource) error {
	profiles, err := each(ctx, c.iam.ListInstanceProfilesForRole, &iam.ListInstanceProfilesForRoleInput{RoleName: &r.ID},
		func(p *iam.ListInstanceProfilesForRoleOutput) []iamtypes.InstanceProfile { return p.InstanceProfiles },
		instanceProfile)
	if err != nil {
		return err
	}
	for _, p := range profiles {
		if err := send(ctx, c.iam.RemoveRoleFromInstanceProfile, &iam.RemoveRoleFromInstanceProfileInput{
			InstanceProfileName: &p.ID,
			RoleName:            &r.ID,
		}); err != nil && !gone(err) {
			return err
		}
	}
	arns, err := attachedPolicies(ctx, c, r.ID)
	if err != nil {
		return err
	}
	for _, arn := range arns {
		if err := send(ctx, c.iam.DetachRolePolicy, &iam.DetachRolePolicyInput{
			RoleName:  &r.ID,
			PolicyArn: &arn,
		}); err != nil && !gone(err) {
			return err
		}
	}
	names, err := rolePolicies(ctx, c, r.ID)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := send(ctx, c.iam.DeleteRolePolicy, &iam.DeleteRolePolicyInput{
			RoleName:   &r.ID,
			PolicyName: &name,
		}); err != nil && !gone(err) {
			return err
		}
	}
	return send(ctx, c.iam.DeleteRole, &iam.DeleteRoleInput{RoleName: &r.ID})
}

func deleteInstanceProfile(ctx context.Context, c *clients, r inventory.Resource) error {
	out, err := c.iam.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: &r.ID})
	if err != nil {
		return err
	}
	for _, role := range out.InstanceProfile.Roles {
		if err := send(ctx, c.iam.RemoveRoleFromInstanceProfile, &iam.RemoveRoleFromInstanceProfileInput{
			InstanceProfileName: &r.ID, RoleName: role.RoleName}); err != nil && !gone(err) {
			return err
		}
	}
	return send(ctx, c.iam.DeleteInstanceProfile, &iam.DeleteInstanceProfileInput{InstanceProfileName: &r.ID})
}
