// Package iamrole registers the IAM roles of components: a role with its policies, and its instance profile.
package iamrole

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Args describe a role with its policies.
type Args struct {
	Name string
	// Path is the path of the role and of its instance profile, "" for the default.
	Path string
	// PermissionsBoundary is a policy's ARN, nil or "" for none.
	PermissionsBoundary pulumi.StringInput
	// Trust is the trust policy, Inline are the policies that are part of the role.
	Trust  pulumi.StringInput
	Inline []InlinePolicy
	// Attached are the ARNs of managed policies.
	Attached []string
	Tags     map[string]string
}

// InlinePolicy is a policy that is part of a role.
type InlinePolicy struct {
	// Child is the last part of the resource name of the policy, "" for a role's only policy.
	Child, Name string
	Document    pulumi.StringInput
	// Opts are options of the policy alone.
	Opts []pulumi.ResourceOption
}

// Role is a registered role.
type Role struct {
	*iam.Role
	// Policies are the inline policies, which exist later than the role.
	Policies []pulumi.Resource

	args *Args
	opts []pulumi.ResourceOption
}

// New registers a role and its policies, each with the options.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*Role, error) {
	made, err := iam.NewRole(ctx, name, &iam.RoleArgs{
		Name:                pulumi.String(args.Name),
		Path:                unlessEmpty(args.Path),
		PermissionsBoundary: input.Optional(args.PermissionsBoundary),
		AssumeRolePolicy:    args.Trust,
		Tags:                pulumi.ToStringMap(args.Tags),
	}, opts...)
	if err != nil {
		return nil, err
	}
	role := &Role{Role: made, args: args, opts: opts}
	for _, inline := range args.Inline {
		policy, err := iam.NewRolePolicy(ctx, name+inline.Child, &iam.RolePolicyArgs{
			Name:   pulumi.String(inline.Name),
			Role:   made.Name,
			Policy: inline.Document,
		}, slices.Concat(opts, inline.Opts)...)
		if err != nil {
			return nil, err
		}
		role.Policies = append(role.Policies, policy)
	}
	attached := map[string]bool{}
	for _, arn := range args.Attached {
		if attached[arn] {
			continue
		}
		attached[arn] = true
		if _, err := iam.NewRolePolicyAttachment(ctx, name+"-"+policyLabel(arn), &iam.RolePolicyAttachmentArgs{
			Role:      made.Name,
			PolicyArn: pulumi.String(arn),
		}, opts...); err != nil {
			return nil, err
		}
	}
	return role, nil
}

// NewInstanceProfile registers an instance profile with the role, and with its path, tags and options.
func (r *Role) NewInstanceProfile(ctx *pulumi.Context, name, profile string) (*iam.InstanceProfile, error) {
	return iam.NewInstanceProfile(ctx, name, &iam.InstanceProfileArgs{
		Name: pulumi.String(profile),
		Path: unlessEmpty(r.args.Path),
		Role: r.Name,
		Tags: pulumi.ToStringMap(r.args.Tags),
	}, r.opts...)
}

// ServiceTrust returns the trust policy that allows an AWS service, such as "ec2.amazonaws.com", to assume a role.
func ServiceTrust(service string) pulumi.String {
	return pulumi.String(policy.New(policy.Statement{
		Effect: policy.Allow, Principal: &policy.Principal{Service: policy.Names{service}},
		Action: []string{"sts:AssumeRole"},
	}).JSON())
}

// policyLabel identifies a policy in the name of its attachment: its path and name, with a prefix for AWS managed
// policies.
func policyLabel(arn string) string {
	owner, label, _ := strings.Cut(arn, ":policy/")
	if strings.HasSuffix(owner, ":aws") {
		label = "aws-" + label
	}
	return strings.ReplaceAll(label, "/", "-")
}

// unlessEmpty omits an input that is "".
func unlessEmpty(text string) pulumi.StringPtrInput {
	if text == "" {
		return nil
	}
	return pulumi.String(text)
}
