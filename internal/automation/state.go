package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Resources are those of the stack's state that stand for something in a cloud, made by the stack or looked at.
func (s *Stack) Resources(ctx context.Context) ([]apitype.ResourceV3, error) {
	exported, err := s.auto.Export(ctx)
	if err != nil {
		return nil, s.classify(err)
	}
	var deployment apitype.DeploymentV3
	if err := json.Unmarshal(exported.Deployment, &deployment); err != nil {
		return nil, fmt.Errorf("reading the state of stack %s: %w", s.Name, err)
	}
	var found []apitype.ResourceV3
	for _, r := range deployment.Resources {
		if r.Custom && !r.Delete && !strings.HasPrefix(string(r.Type), "pulumi:") {
			found = append(found, r)
		}
	}
	return found, nil
}
