package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/egress"
	"github.com/hypershift-aws/hypershift-aws/internal/features/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight/registry"
)

// Preflight checks whether AWS and the management cluster will accept what Up creates: credentials, permissions,
// quotas, zones, names, networks, DNS. It only reads. A failed check is not an error. If the stack cannot be previewed,
// that is an error, and the only finding.
func (s *Stack) Preflight(ctx context.Context) ([]Finding, error) {
	core := s.core()
	defer s.named(core)
	return preflight.OfStack(ctx, core, preflight.StackOptions{
		Needs:    permissions.OfOperation,
		Registry: registry.Remote{},
	})
}

// Egress judges, after an update that it plans, what routes, network ACLs, security groups, endpoints and the proxy let
// the nodes of the stack's hosted cluster reach of what they need: one finding for each host and verdict. It sends
// nothing to the hosts. A blocked host is not an error; what only a probe can tell is a warning.
func (s *Stack) Egress(ctx context.Context) ([]Finding, error) {
	core := s.core()
	defer s.named(core)
	return preflight.Egress(ctx, core, preflight.EgressOptions{Judge: egress.OfStack})
}
