package automation

import (
	"context"
	"fmt"
	"time"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// answerWithin is how long the API server of a management cluster may take to answer before an operation.
const answerWithin = 20 * time.Second

// CheckManagementCluster fails if the hosted cluster's objects cannot be applied to the management cluster: its API server does not answer,
// does not have HyperShift's kinds, or is not the one that has the stack's HostedCluster. It changes nothing, and does nothing for a stack
// without such objects.
func (s *Stack) CheckManagementCluster(ctx context.Context) error {
	return s.withManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster, cluster *clusterstatus.HostedCluster) error {
		_, err := s.checkManagementCluster(ctx, api, cluster)
		return err
	})
}

// CheckPlan fails if the management cluster's version of HyperShift does not support a field that the plan would set.
func (s *Stack) CheckPlan(ctx context.Context, p *plan.Plan) error {
	return s.withManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster, _ *clusterstatus.HostedCluster) error {
		var server *clusterstatus.Server
		for _, step := range p.Changed() {
			if kind, _ := step.New["kind"].(string); kind != crd.HostedCluster && kind != crd.NodePool {
				continue
			}
			if server == nil {
				var err error
				if server, err = clusterstatus.ReadServer(ctx, api); err != nil {
					return err
				}
			}
			if err := server.CheckFields(step.New); err != nil {
				return err
			}
		}
		return nil
	})
}

// PrepareManagementCluster does what CheckManagementCluster does, and takes over the resource tags of a HostedCluster that an earlier
// version created: HyperShift's operator owns that field since then, and a change would fail with a conflict.
func (s *Stack) PrepareManagementCluster(ctx context.Context) error {
	return s.withManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster, cluster *clusterstatus.HostedCluster) error {
		if _, err := s.checkManagementCluster(ctx, api, cluster); err != nil || cluster == nil {
			return err
		}
		taken, err := clusterstatus.TakeOverTags(ctx, api, cluster)
		if taken && err == nil {
			s.session.Report(&report.NoteEvent{Message: fmt.Sprintf("hosted cluster %s: took its resource tags over from HyperShift's operator, "+
				"which had added its own tag to them", cluster.Name)})
		}
		return err
	})
}

func (s *Stack) checkManagementCluster(
	ctx context.Context, api clusterstatus.ManagementCluster, cluster *clusterstatus.HostedCluster,
) (*clusterstatus.Server, error) {
	server, err := clusterstatus.ReadServer(ctx, api)
	if err != nil || cluster == nil {
		return server, err
	}
	return server, clusterstatus.CheckIdentity(ctx, api, cluster, s.Name)
}

// withManagementCluster calls f with the management cluster and the stack's HostedCluster, nil without one; it does
// nothing for a stack whose file has no management cluster.
func (s *Stack) withManagementCluster(
	ctx context.Context, f func(context.Context, clusterstatus.ManagementCluster, *clusterstatus.HostedCluster) error,
) error {
	if s.file == nil || s.file.Cluster == nil || s.file.Cluster.HostedCluster == nil || s.file.Cluster.HostedCluster.Kubeconfig == nil {
		return nil
	}
	cluster, err := s.HostedCluster(ctx)
	if err != nil {
		return err
	}
	return s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error { return f(ctx, api, cluster) })
}

// callManagementCluster calls f with the management cluster of the stack's file, which has answerWithin for its answers.
func (s *Stack) callManagementCluster(ctx context.Context, f func(context.Context, clusterstatus.ManagementCluster) error) error {
	api, err := s.openManagementCluster()
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return f(ctx, api)
}

// appliedBy returns the management cluster in the stack's file, or nil if the stack applies no objects.
func appliedBy(file *config.File) *config.Kubeconfig {
	switch {
	case file == nil:
	case file.Cluster != nil && file.Cluster.HostedCluster != nil:
		return file.Cluster.HostedCluster.Kubeconfig
	case file.CAPA != nil:
		return file.CAPA.Kubeconfig
	case file.Management != nil:
		return file.Management.Kubeconfig
	}
	return nil
}

// clusterFindings returns the findings about the management cluster that the plan's objects are applied to.
func (s *Stack) clusterFindings(ctx context.Context, planned *plan.Plan) []preflight.Finding {
	kubeconfig := appliedBy(s.file)
	if kubeconfig == nil {
		return nil
	}
	api, err := s.session.openCluster(*kubeconfig)
	if err != nil {
		return []preflight.Finding{preflight.ClusterNotOpened(err)}
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return preflight.CheckCluster(ctx, api, preflight.ClusterPlan{
		Kind: s.file.Kind, Resources: planned.After,
		CheckFields:   func(ctx context.Context) error { return s.CheckPlan(ctx, planned) },
		CheckIdentity: s.CheckManagementCluster,
	})
}
