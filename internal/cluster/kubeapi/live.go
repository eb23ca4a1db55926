package kubeapi

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
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

// StoredVersions reads the versions in which the cluster that a kubeconfig selects stores objects: see clusterstatus.StoredVersions.
func StoredVersions(ctx context.Context, k config.Kubeconfig, definitions []string) (map[string][]string, error) {
	cluster, err := Open(k.File, k.Context)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, liveWithin)
	defer cancel()
	return clusterstatus.StoredVersions(ctx, cluster, definitions)
}
