package automation

import (
	"context"
	"fmt"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

var _ clusterstatus.ManagementCluster = (*kubeapi.Cluster)(nil)

// offlineCluster is the one in memory.
type offlineCluster struct{ *offline.Cluster }

var _ clusterstatus.ManagementCluster = offlineCluster{}

// Get implements ManagementCluster.
func (c offlineCluster) Get(_ context.Context, kind, namespace, name string) (map[string]any, error) {
	return c.Cluster.Get(kind, namespace, name)
}

// openManagementCluster leads to the management cluster by the config of the stack's file.
func (s *Stack) openManagementCluster() (clusterstatus.ManagementCluster, error) {
	if s.file == nil || s.file.Cluster == nil || s.file.Cluster.HostedCluster == nil || s.file.Cluster.HostedCluster.Kubeconfig == nil {
		return nil, &failure.Error{
			Reason:  failure.Refused,
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

// HostedCluster returns the hosted cluster in the stack's state, nil where there is none.
func (s *Stack) HostedCluster(ctx context.Context) (*clusterstatus.HostedCluster, error) {
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return clusterstatus.Find(resources), nil
}

// Unprotect lets the engine delete a hosted cluster. The next up protects it again.
func (s *Stack) Unprotect(ctx context.Context, cluster *clusterstatus.HostedCluster) error {
	return s.protection(ctx, cluster, "unprotect")
}

// Protect undoes Unprotect.
func (s *Stack) Protect(ctx context.Context, cluster *clusterstatus.HostedCluster) error {
	return s.protection(ctx, cluster, "protect")
}

func (s *Stack) protection(ctx context.Context, cluster *clusterstatus.HostedCluster, verb string) error {
	if !cluster.Protected {
		return nil
	}
	s.stateChanged()
	if _, err := s.run(ctx, "state", verb, cluster.URN, "--yes", "--stack", s.Name); err != nil {
		return fmt.Errorf("%sing the HostedCluster %s in the state: %w", verb, cluster.Name, s.classify(err))
	}
	return nil
}

// WaitForHostedCluster waits until the stack's hosted cluster is available and its node pools have the nodes that they
// want. It does nothing for a stack without a hosted cluster.
func (s *Stack) WaitForHostedCluster(ctx context.Context, interval time.Duration) error {
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return err
	}
	api, err := s.openManagementCluster()
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	return clusterstatus.Wait(ctx, api, cluster, clusterstatus.WaitOptions{
		Stack: s.Name, Interval: interval, Report: s.session.Report, Interrupted: s.session.Interrupts.First(),
	})
}

// Access reads what HyperShift wrote for the administrators of the stack's hosted cluster.
func (s *Stack) Access(ctx context.Context) (*clusterstatus.Access, error) {
	cluster, err := s.HostedCluster(ctx)
	if err != nil {
		return nil, err
	}
	if cluster == nil {
		return nil, &failure.Error{
			Reason: failure.Failed, Problem: "stack " + s.Name + " has made no hosted cluster",
			Remedy: fmt.Sprintf("give cluster.hostedCluster.kubeconfig in its file, and run `hypershift-aws up -s %s`", s.Name),
		}
	}
	api, err := s.openManagementCluster()
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	return clusterstatus.ReadAccess(ctx, api, cluster, s.Name)
}

// ClusterBlockers says why the stack's hosted cluster is not gone although it was deleted; "" where it is gone, was not
// deleted or cannot be read.
func (s *Stack) ClusterBlockers(ctx context.Context) string {
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return ""
	}
	api, err := s.openManagementCluster()
	if err != nil {
		return ""
	}
	defer func() { _ = api.Close() }()
	return clusterstatus.ClusterBlockers(ctx, api, cluster)
}

// VPCBlockers lists what a hosted cluster's operators have left in AWS and the stack's VPC cannot be deleted with; ""
// where there is nothing, or where AWS cannot be asked.
func (s *Stack) VPCBlockers(ctx context.Context) string {
	if err := s.currentState(ctx); err != nil {
		return ""
	}
	return clusterstatus.VPCBlockers(ctx, s.state, s.awsAccount)
}
