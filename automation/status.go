package automation

import (
	"context"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
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

// Status reads what the management cluster and AWS report about the stack's cluster: the conditions of its objects, instances, targets of load
// balancers, endpoints. It changes nothing and takes no lock. A failing cluster is not an error. A kubeconfig that selects another management cluster
// is.
func (s *Stack) Status(ctx context.Context) (*Status, error) {
	return s.status(ctx, false)
}

// Diagnose is Status with the steps of HyperShift's networking flow, checked in the stack's state. It fails with Failed if a finding is an
// error; the status is returned nevertheless.
func (s *Stack) Diagnose(ctx context.Context) (*Status, error) {
	status, err := s.status(ctx, true)
	if err != nil {
		return nil, err
	}
	errors := finding.Count(status.Findings, finding.Error)
	if errors == 0 {
		return status, nil
	}
	return status, &failure.Error{
		Reason: failure.Failed, Problem: fmt.Sprintf("the cluster of stack %s has %s that waiting does not resolve", status.Stack, report.Number(errors, "finding")),
		Remedy: "each finding has its remedy",
	}
}

func (s *Stack) status(ctx context.Context, flow bool) (*Status, error) {
	ctx, r, err := s.begin(ctx, gates.Status, run.OpenOptions{Mode: run.MustExist, AnyFile: true, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var follow func(context.Context) ([]status.FlowStep, error)
	if flow {
		follow = func(ctx context.Context) ([]status.FlowStep, error) { return paths.Flow(ctx, r.Stack) }
	}
	return r.Cluster.Status(ctx, follow)
}

// ClusterAccess is what gives access to a hosted cluster: its administrator's kubeconfig, its console and password. They are secrets.
type ClusterAccess = status.Access

// ClusterAccess reads what gives access to the stack's hosted cluster in its management cluster. It is refused if the kubeconfig selects another
// management cluster, which may have a hosted cluster of the same name.
func (s *Stack) ClusterAccess(ctx context.Context) (*ClusterAccess, error) {
	ctx, r, err := s.begin(ctx, gates.Access, run.OpenOptions{Mode: run.MustExist, Identify: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Cluster.Access(ctx)
}

// Path is a path of traffic or of a DNS name, hop by hop, up to the first hop that breaks: Broken returns it.
type Path = status.Path

// PathsOptions configure Paths.
type PathsOptions struct {
	// Live refreshes the state first, to include changes made in AWS.
	Live bool
}

// Paths checks the paths of traffic and DNS names through the resources in the stack's state. It returns all of them, and fails with
// Failed if one is broken.
func (s *Stack) Paths(ctx context.Context, o PathsOptions) ([]Path, error) {
	asked := gates.Preview
	if o.Live {
		asked = gates.Refresh
	}
	ctx, r, err := s.begin(ctx, asked, run.OpenOptions{Mode: run.MustExist, Identify: o.Live})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if o.Live {
		if _, err := r.Engine.Refresh(ctx, false); err != nil {
			return nil, err
		}
	}
	followed, err := paths.Deployed(ctx, r.Stack)
	if err != nil {
		return nil, err
	}
	var broken []string
	for _, path := range followed {
		if hop := path.Broken(); hop != nil {
			broken = append(broken, fmt.Sprintf("%s at the %s: %s", path.Name, hop.Kind, hop.Why))
		}
	}
	if len(broken) == 0 {
		return followed, nil
	}
	return followed, &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("%s of stack %s %s broken:\n  %s", report.Number(len(broken), "path"), r.Stack.Name, report.Are(len(broken)), strings.Join(broken, "\n  ")),
		Remedy:  fmt.Sprintf("run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`, which creates what is missing", r.Stack.Name, r.Stack.Name),
	}
}
