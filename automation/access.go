package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
)

// ClusterAccess is what gives access to a hosted cluster: its administrator's kubeconfig, its console and password. They are secrets.
type ClusterAccess = clusterstatus.Access

// ClusterAccess reads what gives access to the stack's hosted cluster in its management cluster. It is refused if the kubeconfig selects another
// management cluster, which may have a hosted cluster of the same name.
func (s *Stack) ClusterAccess(ctx context.Context) (*ClusterAccess, error) {
	ctx, r, err := s.begin(ctx, gate.Access, opening{mode: operation.MustExist, identify: true})
	if err != nil {
		return nil, err
	}
	defer r.close()
	return r.Access(ctx)
}
