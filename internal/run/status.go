package run

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// StatusOptions configure Status.
type StatusOptions struct {
	// Flow returns the steps of HyperShift's networking flow; nil returns none.
	Flow func(context.Context, *Operation) ([]status.FlowStep, error)
}

// Status reads what the management cluster and AWS report about the stack's cluster. It changes nothing and takes no
// lock. A failing cluster is not an error. A kubeconfig that selects another management cluster is.
func (s *Stack) Status(ctx context.Context, o StatusOptions) (*status.Cluster, error) {
	ctx, r, err := s.Begin(ctx, gates.Status, OpenOptions{Mode: MustExist, AnyFile: true, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var flow func(context.Context) ([]status.FlowStep, error)
	if o.Flow != nil {
		flow = func(ctx context.Context) ([]status.FlowStep, error) { return o.Flow(ctx, r) }
	}
	found, err := r.Cluster.Status(ctx, flow)
	if err != nil {
		return nil, err
	}
	for _, added := range Additions(ctx, r.Opened) {
		if added.Severity == finding.Error { // the cluster works all the same
			added.Severity = finding.Warning
			found.Findings = append(found.Findings, added)
		}
	}
	return found, nil
}

// Diagnose is Status with the steps of HyperShift's networking flow. It fails with Failed if a finding is an error; the
// status is returned nevertheless.
func (s *Stack) Diagnose(ctx context.Context, o StatusOptions) (*status.Cluster, error) {
	found, err := s.Status(ctx, o)
	if err != nil {
		return nil, err
	}
	errors := finding.Count(found.Findings, finding.Error)
	if errors == 0 {
		return found, nil
	}
	return found, &failure.Error{
		Reason: failure.Failed,
		Problem: fmt.Sprintf("the cluster of stack %s has %s that waiting does not resolve",
			found.Stack, report.Number(errors, "finding")),
		Remedy: "each finding has its remedy",
	}
}

// Access reads what gives access to the stack's hosted cluster in its management cluster. It is refused if the
// kubeconfig selects another management cluster, which may have a hosted cluster of the same name.
func (s *Stack) Access(ctx context.Context) (*status.Access, error) {
	ctx, r, err := s.Begin(ctx, gates.Access, OpenOptions{Mode: MustExist, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Cluster.Access(ctx)
}
