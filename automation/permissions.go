package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/features/permissions"
)

type (
	// Part is a part of a cluster that a separate team may run.
	Part = policy.Part
	// Policy is an IAM policy that a user needs in one account.
	Policy = policy.Needed
	// Role is a role of a cluster with its documents.
	Role = policy.Role
)

// PermissionsOptions configure Permissions.
type PermissionsOptions struct {
	// Part selects the policies for a part of a stack of kind cluster: "network" or "iam". Default: the whole stack.
	Part Part
}

// Permissions returns the minimal IAM policies that a user needs to run the stack, from its first Up to its Destroy.
// They are derived from the stack's file by a preview in an account in memory: AWS is not called.
func (s *Stack) Permissions(ctx context.Context, o PermissionsOptions) ([]Policy, error) {
	core := s.core()
	defer s.named(core)
	return permissions.Run(ctx, core, permissions.Options(o))
}

// Roles returns the roles that the stack creates, with their trust policies, permissions and tags, before its first Up:
// for a review, and for the team that creates them. Roles that the stack's file names as existing are among them. What
// is not known yet, such as the ID of a hosted zone, is a placeholder in braces. They are derived from the
// stack's file by an update in an account in memory: AWS is not called.
func (s *Stack) Roles(ctx context.Context) ([]Role, error) {
	core := s.core()
	defer s.named(core)
	return permissions.Roles(ctx, core)
}

// KubernetesPermissionsOptions configure KubernetesPermissions.
type KubernetesPermissionsOptions struct {
	// Command selects what one command needs, such as "up". Default: all commands.
	Command string
}

// KubernetesPermissions are what the user of a stack's kubeconfig needs in the management cluster.
type KubernetesPermissions struct {
	// Roles are a ClusterRole and Roles of rbac.authorization.k8s.io/v1.
	Roles []map[string]any
	// Namespaces are those that an administrator creates: no role limits a creation to a name.
	Namespaces []string
}

// KubernetesPermissions returns the roles that the user of the stack's kubeconfig needs. They are derived from the
// stack's file: neither AWS nor the management cluster is called.
func (s *Stack) KubernetesPermissions(o KubernetesPermissionsOptions) (*KubernetesPermissions, error) {
	core := s.core()
	defer s.named(core)
	found, err := permissions.Kubernetes(core, permissions.KubernetesOptions(o))
	return (*KubernetesPermissions)(found), err
}
