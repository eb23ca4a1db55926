package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// role creates a role for a part of the network.
func (b *builder) role(part, name string, trust policy.Document) (*iam.Role, error) {
	return iam.NewRole(b.ctx, b.child(part), &iam.RoleArgs{
		Name:                pulumi.String(name),
		Path:                unlessEmpty(b.args.RolePath),
		PermissionsBoundary: unlessEmpty(b.permissionsBoundary()),
		AssumeRolePolicy:    pulumi.String(trust.JSON()),
		Tags:                pulumi.ToStringMap(b.profile.tagging.IAM()),
	}, b.parent())
}

// permissionsBoundary returns the permissions boundary of the network's account.
func (b *builder) permissionsBoundary() string {
	if b.args.Shared != nil {
		return b.args.Shared.PermissionsBoundary
	}
	return b.args.PermissionsBoundary
}

// unlessEmpty omits an input that is "".
func unlessEmpty(text string) pulumi.StringPtrInput {
	if text == "" {
		return nil
	}
	return pulumi.String(text)
}
