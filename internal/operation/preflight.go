package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/discovery/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/discovery/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/finding"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// answerWithin is how long the API server of a management cluster may take to answer before an operation.
const answerWithin = 20 * time.Second

// CheckManagementCluster fails if the hosted cluster's objects cannot be applied to the management cluster: its API server does not answer,
// does not have HyperShift's kinds or a field that the file sets, or is deleting the stack's HostedCluster. It changes nothing, and does nothing
// for a stack without such objects. CheckIdentity compares which management cluster it is.
func (s *Stack) CheckManagementCluster(ctx context.Context) error {
	return s.withManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		server, err := clusterstatus.ReadServer(ctx, api)
		s.unanswered = err != nil
		if err != nil {
			return err
		}
		if err := s.checkFileFields(ctx, server); err != nil {
			return err
		}
		cluster, err := s.HostedCluster(ctx)
		if err != nil || cluster == nil {
			return err
		}
		return clusterstatus.CheckNotDeleted(ctx, api, cluster, s.Name)
	})
}

// CheckPlan fails if the management cluster's version of HyperShift does not support a field that the plan would set, if the kubeconfig's user may not do
// there what the plan does, if the management cluster already has an object that the plan would create, or if it deletes a namespace of the plan.
func (s *Stack) CheckPlan(ctx context.Context, p *plan.Plan) error {
	if err := s.checkFields(ctx, p); err != nil {
		return err
	}
	if err := s.checkAccess(ctx, p); err != nil {
		return err
	}
	if err := s.checkNamespaces(ctx, p); err != nil {
		return err
	}
	return s.checkNewObjects(ctx, p)
}

// checkNamespaces fails if the management cluster is deleting a namespace of objects that the plan creates or updates: it refuses new objects there,
// after the AWS resources that come before them. A namespace that cannot be read is not checked.
func (s *Stack) checkNamespaces(ctx context.Context, p *plan.Plan) error {
	var namespaces []string
	for _, step := range p.Changed() {
		if !strings.HasPrefix(step.Type, "kubernetes:") || step.Change == plan.ChangeDelete {
			continue
		}
		name := step.New.String("metadata", "namespace")
		if step.New.String("kind") == "Namespace" {
			name = nameOf(step.New)
		}
		if name != "" && !strings.Contains(name, plan.UnknownValue) && !slices.Contains(namespaces, name) {
			namespaces = append(namespaces, name)
		}
	}
	if len(namespaces) == 0 || appliedBy(s.file) == nil {
		return nil
	}
	slices.Sort(namespaces)
	return s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, name := range namespaces {
			if err := clusterstatus.CheckNamespace(ctx, api, name, s.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Stack) checkFields(ctx context.Context, p *plan.Plan) error {
	return s.withManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		var server *clusterstatus.Server
		for _, step := range p.Changed() {
			if kind := step.New.String("kind"); kind != crd.HostedCluster && kind != crd.NodePool {
				continue
			}
			if server == nil {
				var err error
				if server, err = clusterstatus.ReadServer(ctx, api); err != nil {
					return err
				}
			}
			if err := server.CheckFields(step.New, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkAccess fails if the user of the kubeconfig may not do in the management cluster what the plan does.
func (s *Stack) checkAccess(ctx context.Context, p *plan.Plan) error {
	needed := neededAccess(p)
	if len(needed) == 0 || appliedBy(s.file) == nil {
		return nil
	}
	return s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		return clusterstatus.CheckAccess(ctx, api, kind.Of(s.file.Kind).KubeconfigKey, needed)
	})
}

// checkNewObjects fails if the management cluster already has an object that a plan creates. The engine's provider would refuse such a
// creation, after the AWS resources that come before it. An object whose creation was interrupted is left to Recover. An object that cannot
// be read is not checked: the caller may be allowed to create what it may not read.
func (s *Stack) checkNewObjects(ctx context.Context, p *plan.Plan) error {
	var steps []*plan.Step
	for _, step := range p.Changed() {
		if step.Change == plan.ChangeCreate && strings.HasPrefix(step.Type, "kubernetes:") && !strings.HasSuffix(step.Type, "Patch") {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 || appliedBy(s.file) == nil {
		return nil
	}
	if err := s.currentState(ctx); err != nil {
		return err
	}
	begun, err := recovery.Begun(s.state, s.journal())
	if err != nil {
		return err
	}
	var found []string
	err = s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, step := range steps {
			object := unstructured.Unstructured{Object: step.New}
			kind, namespace, name := object.GetKind(), object.GetNamespace(), object.GetName()
			if kind == "" || name == "" || strings.Contains(name, plan.UnknownValue) || begun[step.URN] {
				continue
			}
			existing, err := api.Get(ctx, kind, namespace, name)
			if _, exists := existing["metadata"]; err == nil && exists { // an operator of an offline cluster has none
				found = append(found, kind+" "+strings.TrimPrefix(namespace+"/"+name, "/"))
			}
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return err
	}
	slices.Sort(found)
	theirs := "they are this stack's"
	if m := s.file.Management; m != nil && m.Operator.Install != nil {
		theirs += ", or those of `hypershift install`"
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the management cluster already has objects that stack %s would create and does not have in its state: %s",
			s.Name, strings.Join(found, ", ")),
		Remedy: fmt.Sprintf("if %s, adopt them: `hypershift-aws adopt -s %s --preview`; otherwise set another name or namespace "+
			"in the stack's file, or correct its kubeconfig if it selects another cluster", theirs, s.Name),
	}
}

// neededAccess returns what the plan does in the management cluster. A namespace that is not known yet is the one that the plan creates; without
// one, what is done there is left out.
func neededAccess(p *plan.Plan) []clusterstatus.Permission {
	var needed []clusterstatus.Permission
	created := ""
	for _, step := range p.Changed() {
		if step.Change == plan.ChangeCreate && step.New.String("kind") == "Namespace" {
			created = step.New.String("metadata", "name")
		}
	}
	for _, step := range p.Changed() {
		if !strings.HasPrefix(step.Type, "kubernetes:") {
			continue
		}
		object := step.New
		if object == nil {
			object = step.Old
		}
		kind, namespace, name := object.String("kind"), object.String("metadata", "namespace"), object.String("metadata", "name")
		if strings.Contains(namespace, plan.UnknownValue) {
			namespace = created
		}
		if strings.Contains(name, plan.UnknownValue) {
			name = ""
		}
		if namespace == "" && object.String("metadata", "namespace") != "" {
			continue
		}
		var verbs []string
		switch {
		case strings.HasSuffix(step.Type, "Patch"):
			verbs = []string{"patch"}
		case step.Change == plan.ChangeCreate:
			verbs = []string{"create"}
		case step.Change == plan.ChangeUpdate:
			verbs = []string{"patch"}
		case step.Change == plan.ChangeReplace:
			verbs = []string{"create", "delete"}
		case step.Change == plan.ChangeDelete:
			verbs = []string{"delete"}
		}
		for _, verb := range verbs {
			if access := (clusterstatus.Permission{Verb: verb, Kind: kind, Namespace: namespace, Name: name}); kind != "" && !slices.Contains(needed, access) {
				needed = append(needed, access)
			}
		}
	}
	return needed
}

// TakeOverTags takes over the resource tags of a HostedCluster that an earlier version created: HyperShift's operator owns that field since
// then, and a change would fail with a conflict. It writes to the management cluster, so that it comes after the confirmation.
func (s *Stack) TakeOverTags(ctx context.Context) error {
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return err
	}
	return s.withManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		taken, err := clusterstatus.TakeOverTags(ctx, api, cluster)
		if taken && err == nil {
			s.say("hosted cluster %s: took its resource tags over from HyperShift's operator, "+
				"which had added its own tag to them", cluster.Name)
		}
		return err
	})
}

// checkFileFields fails if the file sets a field of an existing object that the server does not support: the engine's preview of an update would
// fail there, with the field's path in the object.
func (s *Stack) checkFileFields(ctx context.Context, server *clusterstatus.Server) error {
	objects, err := s.applied(ctx)
	if err != nil {
		return err
	}
	for _, of := range objects {
		if err := server.CheckFields(of.Object, of.Key); err != nil {
			return err
		}
	}
	return nil
}

// withManagementCluster calls f with the management cluster; it does nothing for a stack whose file applies no objects of HyperShift.
func (s *Stack) withManagementCluster(ctx context.Context, f func(context.Context, clusterstatus.ManagementCluster) error) error {
	if s.file == nil || !kind.Of(s.file.Kind).ChecksFields || appliedBy(s.file) == nil {
		return nil
	}
	return s.callManagementCluster(ctx, f)
}

// callManagementCluster calls f with the management cluster of the stack's file, which has answerWithin for its answers. It fails at once if the
// cluster was too slow to say which one it is.
func (s *Stack) callManagementCluster(ctx context.Context, f func(context.Context, clusterstatus.ManagementCluster) error) error {
	if s.silent != nil {
		return clusterstatus.NoAnswer(s.silent)
	}
	api, err := s.openManagementCluster(ctx)
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
	if file == nil {
		return nil
	}
	return file.ManagementCluster()
}

// clusterFindings returns the findings about the management cluster that the plan's objects are applied to. own is the place of the stack's own provider.
func (s *Stack) clusterFindings(ctx context.Context, planned *plan.Plan, own preflight.Place, accounts preflight.Accounts) []finding.Finding {
	kubeconfig := appliedBy(s.file)
	if kubeconfig == nil {
		return nil
	}
	of := kind.Of(s.file.Kind)
	p := preflight.ClusterPlan{
		Operators: of.Operators, Resources: planned.After,
		CheckNames: func(ctx context.Context) error { return s.checkNewObjects(ctx, planned) },
		CheckIdentity: func(ctx context.Context) error {
			_, _, err := s.CheckIdentity(ctx, gate.Up)
			return err
		},
	}
	if of.ChecksFields {
		p.CheckFields = func(ctx context.Context) error { return s.checkFields(ctx, planned) }
	}
	if of.HostsControlPlanes {
		p.Account, p.Place = accounts[own], own
	}
	if s.silent != nil {
		return []finding.Finding{preflight.ClusterNotOpened(s.silent)}
	}
	findings, err := askCluster(ctx, s, *kubeconfig, func(ctx context.Context, api managementCluster) ([]finding.Finding, error) {
		return preflight.CheckCluster(ctx, api, p), nil
	})
	if err != nil {
		return []finding.Finding{preflight.ClusterNotOpened(err)}
	}
	return findings
}
