package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// managementCluster reads objects of the cluster that a hosted cluster's objects are in.
type managementCluster interface {
	// Get returns an object, nil where there is none.
	Get(ctx context.Context, kind, namespace, name string) (map[string]any, error)
	Close() error
}

var _ managementCluster = (*kubeapi.Cluster)(nil)

// offlineCluster is the one in memory.
type offlineCluster struct{ *offline.Cluster }

var _ managementCluster = offlineCluster{}

// Get implements managementCluster.
func (c offlineCluster) Get(_ context.Context, kind, namespace, name string) (map[string]any, error) {
	return c.Cluster.Get(kind, namespace, name)
}

// openManagementCluster leads to the management cluster by the config of the stack's file.
func (s *Stack) openManagementCluster() (managementCluster, error) {
	if s.file == nil || s.file.Cluster == nil || s.file.Cluster.HostedCluster == nil || s.file.Cluster.HostedCluster.Kubeconfig == nil {
		return nil, &Error{
			Reason:  Refused,
			Problem: "stack " + s.Name + " does not lead to a management cluster",
			Remedy:  "give cluster.hostedCluster.kubeconfig in its file",
		}
	}
	config := s.file.Cluster.HostedCluster.Kubeconfig
	if s.session.Offline {
		cluster, err := offline.OpenCluster(s.session.Project.OfflineDir(), config.File, config.Context)
		if err != nil {
			return nil, err
		}
		return offlineCluster{cluster}, nil
	}
	return kubeapi.Open(config.File, config.Context)
}
