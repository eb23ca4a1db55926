package preflight

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// EgressOptions configure Egress.
type EgressOptions struct {
	// Judge judges what nodes can reach through the resources that a plan leaves. place is that of the stack's provider.
	Judge func(
		ctx context.Context,
		s *workspace.Stack,
		after []apitype.ResourceV3,
		place inventory.Place,
	) ([]finding.Finding, error)
}

// Egress judges what the network lets the nodes of a stack's cluster reach: see automation.Stack.Egress.
func Egress(ctx context.Context, s *run.Stack, o EgressOptions) ([]finding.Finding, error) {
	ctx, r, err := s.Begin(ctx, gates.Preview, run.OpenOptions{Mode: run.MayCreate})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.StopAt(ctx, r.Inherited()); err != nil {
		return nil, err
	}
	planned, err := r.Engine.Preview(ctx)
	if err != nil {
		return unplanned(err), err
	}
	own, err := r.Stack.Providers.Configured(ctx, "")
	if err != nil {
		return nil, err
	}
	who, one := Identify(ctx, own)
	if one.Severity != finding.Passed {
		return []finding.Finding{one}, nil
	}
	found, err := o.Judge(ctx, r.Stack, planned.After, who.Place)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].Check = EgressCheck
	}
	report := &Report{}
	report.Add(found...)
	return report.Findings, nil
}
