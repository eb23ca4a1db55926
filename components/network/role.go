package network

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
)

// role registers a role for a part of the network, with the policy of the same name unless that is nil.
func (b *builder) role(part, name string, trust, document pulumi.StringInput) (*iamrole.Role, error) {
	args := &iamrole.Args{
		Name: name, Path: b.args.RolePath, PermissionsBoundary: b.permissionsBoundary(), Trust: trust, Tags: b.profile.tagging.IAM(),
	}
	if document != nil {
		args.Inline = []iamrole.InlinePolicy{{Name: name, Document: document}}
	}
	return iamrole.New(b.ctx, b.child(part), args, b.parent())
}

// permissionsBoundary returns the permissions boundary of the network's account.
func (b *builder) permissionsBoundary() pulumi.StringInput {
	if b.args.Shared != nil {
		return b.found.ownersBoundary
	}
	return b.args.PermissionsBoundary
}
