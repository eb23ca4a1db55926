package kubeapi

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Live reads a hosted cluster from the cluster that a kubeconfig selects: see clusterstatus.ReadLive.
func Live(ctx context.Context, k config.Kubeconfig, namespace, name string) (*hostedcluster.Live, error) {
	cluster, err := Open(k.File, k.Context)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, liveWithin)
	defer cancel()
	return clusterstatus.ReadLive(ctx, cluster, namespace, name)
}
