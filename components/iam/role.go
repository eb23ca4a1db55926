package iam

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// roleArgs describe a role with its policies.
type roleArgs struct {
	name    string
	options RoleOptions
	trust   pulumi.StringInput
	inline  []inlinePolicy
	// attached are the ARNs of managed policies.
	attached []string
	tags     map[string]string
}

// inlinePolicy is a policy that is part of a role.
type inlinePolicy struct {
	// child is the last part of the resource name of the policy, "" for a role's only policy.
	child, name string
	document    pulumi.StringInput
}

// newRole registers a role and its policies as children of parent.
func newRole(ctx *pulumi.Context, name string, parent pulumi.Resource, args roleArgs) (*iam.Role, error) {
	role, err := iam.NewRole(ctx, name, &iam.RoleArgs{
		Name:                pulumi.String(args.name),
		Path:                unlessEmpty(args.options.Path),
		PermissionsBoundary: unlessEmpty(args.options.PermissionsBoundary),
		AssumeRolePolicy:    args.trust,
		Tags:                pulumi.ToStringMap(args.tags),
	}, pulumi.Parent(parent))
	if err != nil {
		return nil, err
	}
	for _, policy := range args.inline {
		if _, err := iam.NewRolePolicy(ctx, name+policy.child, &iam.RolePolicyArgs{
			Name:   pulumi.String(policy.name),
			Role:   role.Name,
			Policy: policy.document,
		}, pulumi.Parent(parent)); err != nil {
			return nil, err
		}
	}
	attached := map[string]bool{}
	for _, arn := range args.attached {
		if attached[arn] {
			continue
		}
		attached[arn] = true
		if _, err := iam.NewRolePolicyAttachment(ctx, name+"-"+policyLabel(arn), &iam.RolePolicyAttachmentArgs{
			Role:      role.Name,
			PolicyArn: pulumi.String(arn),
		}, pulumi.Parent(parent)); err != nil {
			return nil, err
		}
	}
	return role, nil
}

// unlessEmpty leaves an input out where it is "".
func unlessEmpty(text string) pulumi.StringPtrInput {
	if text == "" {
		return nil
	}
	return pulumi.String(text)
}
