package automation

import (
	"context"
	"fmt"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// managementCluster is a management cluster, real or in memory.
type managementCluster interface {
	clusterstatus.ManagementCluster
	preflight.Cluster
	// Infrastructures returns the HostedClusters and Clusters by their infra IDs.
	Infrastructures(ctx context.Context) (map[string]string, error)
}

var (
	_ managementCluster = (*kubeapi.Cluster)(nil)
	_ managementCluster = inmemory.Cluster{}
)

// openManagementCluster opens the management cluster in the config of the stack's file.
func (s *Stack) openManagementCluster() (clusterstatus.ManagementCluster, error) {
	kubeconfig := s.kubeconfig()
	if kubeconfig == nil {
		return nil, &failure.Error{
			Reason:  failure.Refused,
			Problem: "stack " + s.Name + " has no management cluster",
			Remedy:  "set cluster.hostedCluster.kubeconfig in its file",
		}
	}
	return s.session.openCluster(*kubeconfig)
}

// openCluster opens the management cluster of a kubeconfig.
func (s *Session) openCluster(k config.Kubeconfig) (managementCluster, error) {
	if s.Offline {
		return inmemory.OpenCluster(s.Project.OfflineDir(), k.File, k.Context)
	}
	return kubeapi.Open(k.File, k.Context)
}

// kubeconfig returns the kubeconfig of the management cluster: that of the stack's file or, if it has none, of the provider in the stack's
// state; nil without either.
func (s *Stack) kubeconfig() *config.Kubeconfig {
	if given := appliedBy(s.file); given != nil {
		return given
	}
	if s.state == nil {
		return nil
	}
	for _, r := range s.state.Resources {
		if r.Type == "pulumi:providers:kubernetes" && !r.Delete {
			file, _ := r.Inputs["kubeconfig"].(string)
			context, _ := r.Inputs["context"].(string)
			return &config.Kubeconfig{File: file, Context: context}
		}
	}
	return nil
}

// HostedCluster returns the hosted cluster in the stack's state, nil if there is none.
func (s *Stack) HostedCluster(ctx context.Context) (*clusterstatus.HostedCluster, error) {
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return clusterstatus.Find(resources), nil
}

// LivingCluster returns the HostedCluster in the management cluster that has the stack's infra ID, nil if there is none or the stack has no
// management cluster. It is for a stack whose state has no HostedCluster.
func (s *Stack) LivingCluster(ctx context.Context) (*clusterstatus.HostedCluster, error) {
	if err := s.currentState(ctx); err != nil {
		return nil, s.classify(err)
	}
	if s.kubeconfig() == nil || s.file != nil && s.file.Cluster == nil {
		return nil, nil
	}
	var identity config.Cluster
	if s.file != nil && s.file.Cluster != nil {
		identity = *s.file.Cluster
	}
	infraID, _ := s.state.Outputs()["infraID"].(string)
	if infraID == "" {
		infraID = identity.InfraID
	}
	namespace := ""
	if identity.HostedCluster != nil {
		namespace = identity.HostedCluster.NamespaceOrDefault()
	}
	api, err := s.openManagementCluster()
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return clusterstatus.FindLiving(ctx, api, infraID, namespace, identity.Name)
}

// Unprotect allows the engine to delete a hosted cluster. The next up protects it again.
func (s *Stack) Unprotect(ctx context.Context, cluster *clusterstatus.HostedCluster) error {
	return s.protection(ctx, cluster, "unprotect")
}

// Protect undoes Unprotect, after an interrupt too.
func (s *Stack) Protect(ctx context.Context, cluster *clusterstatus.HostedCluster) error {
	return s.protection(ctx, cluster, "protect")
}

func (s *Stack) protection(ctx context.Context, cluster *clusterstatus.HostedCluster, verb string) error {
	if !cluster.Protected {
		return nil
	}
	s.stateChanged()
	command := *s.command
	command.AfterInterrupt = verb == "protect"
	if _, err := s.runBy(ctx, &command, "state", verb, cluster.URN, "--yes", "--stack", s.Name); err != nil {
		return fmt.Errorf("%sing the HostedCluster %s in the state: %w", verb, cluster.Name, s.classify(err))
	}
	return nil
}

// WaitForHostedCluster waits until the stack's hosted cluster is available and its node pools have the requested nodes.
// It does nothing for a stack without a hosted cluster.
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
			Reason: failure.Failed, Problem: "stack " + s.Name + " has no hosted cluster",
			Remedy: fmt.Sprintf("set cluster.hostedCluster.kubeconfig in its file, and run `hypershift-aws up -s %s`", s.Name),
		}
	}
	api, err := s.openManagementCluster()
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	return clusterstatus.ReadAccess(ctx, api, cluster, s.Name)
}

// IsCAPA reports whether the stack is of kind capa, by its outputs or otherwise its file.
func (s *Stack) IsCAPA(ctx context.Context) bool {
	if err := s.currentState(ctx); err == nil {
		if kind, ok := s.state.Outputs()["kind"].(string); ok {
			return kind == string(config.KindCAPA)
		}
	}
	return s.file != nil && s.file.Kind == config.KindCAPA
}

// CAPACluster returns the Cluster API Cluster that the stack has applied, nil if there is none.
func (s *Stack) CAPACluster(ctx context.Context) (*clusterstatus.HostedCluster, error) {
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return clusterstatus.FindCAPA(resources), nil
}

// CAPALeft lists the instances and load balancers that CAPA created for the stack's cluster, and returns the cluster's name.
func (s *Stack) CAPALeft(ctx context.Context) (name string, left []string, err error) {
	if err := s.currentState(ctx); err != nil {
		return "", nil, s.classify(err)
	}
	if name, _ = s.state.Outputs()["name"].(string); name == "" && s.file != nil && s.file.CAPA != nil {
		name = s.file.CAPA.Name
	}
	if name == "" {
		return "", nil, nil
	}
	left, err = clusterstatus.CAPALeft(ctx, s.state, name, s.awsAccount)
	return name, left, err
}

// VPCBlockers lists what a hosted cluster's operators left in AWS and what blocks the deletion of the stack's VPC; "" if there is nothing,
// or if AWS cannot be called.
func (s *Stack) VPCBlockers(ctx context.Context) string {
	if err := s.currentState(ctx); err != nil {
		return ""
	}
	return clusterstatus.VPCBlockers(ctx, s.state, s.awsAccount)
}
