package automation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

// Release removes the stack's resources from its state: AWS and the management cluster keep everything. It returns the
// removed resources.
func (s *Stack) Release(ctx context.Context) ([]apitype.ResourceV3, error) {
	held, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	held = slices.DeleteFunc(held, func(r apitype.ResourceV3) bool { return r.External || strings.HasPrefix(string(r.Type), "pulumi:") })
	if err := s.backup().Keep(); err != nil {
		return nil, err
	}
	d, err := s.state.Copy()
	if err != nil {
		return nil, err
	}
	d.Resources = nil
	if err := s.recovered(ctx).Import(ctx, d); err != nil {
		return nil, err
	}
	if err := s.journal().Forget(); err != nil {
		return nil, err
	}
	s.session.Report(&report.NoteEvent{Message: fmt.Sprintf("removed %[2]d resources from the state of stack %[1]s; they stay in AWS", s.Name, len(held))})
	return held, nil
}
