package automation

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Resources are those of the stack's state that stand for something in a cloud, made by the stack or looked at.
func (s *Stack) Resources(ctx context.Context) ([]apitype.ResourceV3, error) {
	if err := s.readState(ctx); err != nil {
		return nil, s.classify(err)
	}
	var found []apitype.ResourceV3
	for _, r := range s.state.resources {
		if r.Custom && !r.Delete && !strings.HasPrefix(string(r.Type), "pulumi:") {
			found = append(found, r.ResourceV3)
		}
	}
	return found, nil
}
