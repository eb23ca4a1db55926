package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

type (
	// Status is what the management cluster and AWS report about a stack's cluster, with the findings that join both.
	Status = status.Cluster
	// Verdict is the state of a cluster in one word.
	Verdict = status.Verdict
	// Finding is something that needs attention.
	Finding = finding.Finding
	// FlowStep is a step of HyperShift's networking flow, with the paths that it takes.
	FlowStep = status.FlowStep
)

// The verdicts, the worst first.
const (
	Failing     = status.Failing
	Unknown     = status.Unknown
	Progressing = status.Progressing
	Ready       = status.Ready
	Absent      = status.Absent
)

// Status reads what the management cluster and AWS report about the stack's cluster: the conditions of its objects,
// instances, targets of load balancers, endpoints. It changes nothing and takes no lock. A failing cluster is not an
// error. A kubeconfig that selects another management cluster is.
func (s *Stack) Status(ctx context.Context) (*Status, error) {
	core := s.core()
	defer s.named(core)
	return core.Status(ctx, run.StatusOptions{})
}

// Diagnose is Status with the steps of HyperShift's networking flow, checked in the stack's state. It fails with Failed
// if a finding is an error; the status is returned nevertheless.
func (s *Stack) Diagnose(ctx context.Context) (*Status, error) {
	core := s.core()
	defer s.named(core)
	return core.Diagnose(ctx, run.StatusOptions{Flow: paths.Flow})
}

// ClusterAccess is what gives access to a hosted cluster: its administrator's kubeconfig, its console and password.
// They are secrets.
type ClusterAccess = status.Access

// ClusterAccess reads what gives access to the stack's hosted cluster in its management cluster. It is refused if the
// kubeconfig selects another management cluster, which may have a hosted cluster of the same name.
func (s *Stack) ClusterAccess(ctx context.Context) (*ClusterAccess, error) {
	core := s.core()
	defer s.named(core)
	return core.Access(ctx)
}
