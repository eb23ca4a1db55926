package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/discovery/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/connectivity"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// managementCluster is a management cluster, real or in memory.
type managementCluster interface {
	clusterstatus.ManagementCluster
	preflight.Cluster
	// Infrastructures returns the HostedClusters and Clusters by their infra IDs.
	Infrastructures(ctx context.Context) (map[string]string, error)
	identified
}

var (
	_ managementCluster = (*kubeapi.Cluster)(nil)
	_ managementCluster = inmemory.Cluster{}
)

// openManagementCluster opens the management cluster in the config of the stack's file. It fails if that is another one than the stack's: the one
// that this operation resolved or, before that, the one that the state records.
func (s *Stack) openManagementCluster(ctx context.Context) (clusterstatus.ManagementCluster, error) {
	kubeconfig := s.kubeconfig()
	if kubeconfig == nil {
		return nil, &failure.Error{
			Reason:  failure.Refused,
			Problem: "stack " + s.Name + " has no management cluster",
			Remedy:  "set " + s.kubeconfigKey() + " in its file",
		}
	}
	api, err := s.openCluster(*kubeconfig)
	if err != nil {
		return nil, err
	}
	if err := s.verifyCluster(ctx, api); err != nil {
		return nil, errors.Join(err, api.Close())
	}
	return api, nil
}

// openCluster opens the management cluster of a kubeconfig.
func (s *Session) openCluster(k config.Kubeconfig) (managementCluster, error) {
	return s.Environment.OpenCluster(k)
}

// askCluster returns what f reads in the management cluster of a kubeconfig, which has answerWithin for its answers.
func askCluster[T any](ctx context.Context, s *Stack, k config.Kubeconfig, f func(context.Context, managementCluster) (T, error)) (answer T, err error) {
	api, err := s.openCluster(k)
	if err != nil {
		return answer, err
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return f(ctx, api)
}

// kubeconfig returns the kubeconfig of the management cluster: that of the stack's file or, if it has none, of the provider in the stack's
// state; nil without either.
func (s *Stack) kubeconfig() *config.Kubeconfig {
	if given := appliedBy(s.file); given != nil {
		return given
	}
	return s.providerKubeconfig()
}

// HostedCluster returns the hosted cluster in the stack's state, nil if there is none.
func (s *Stack) HostedCluster(ctx context.Context) (*clusterstatus.HostedCluster, error) {
	resources, err := s.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return clusterstatus.Find(resources), nil
}

// WaitForHostedCluster waits until the stack's hosted cluster is available and its node pools have the requested nodes.
// With staged it also waits until the cluster is ready for the next stage of a change. It does nothing for a stack without a hosted cluster.
func (s *Stack) WaitForHostedCluster(ctx context.Context, interval time.Duration, staged bool) error {
	cluster, err := s.HostedCluster(ctx)
	if err == nil && cluster == nil {
		cluster, err = s.guest(ctx)
	}
	if err != nil || cluster == nil {
		return err
	}
	api, err := s.openManagementCluster(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	return clusterstatus.Wait(ctx, api, cluster, clusterstatus.WaitOptions{
		Stack: s.Name, Interval: interval, Staged: staged, Report: s.session.Report, Interrupted: s.session.Interrupts.First(),
	})
}

// needsHostedCluster returns the refusal of what is done with a hosted cluster if the stack's kind has none.
func (s *Stack) needsHostedCluster() error {
	if s.file == nil {
		return nil
	}
	return kind.NeedsHostedCluster(s.Name, s.file.Kind)
}

// requiredHostedCluster returns the hosted cluster in the stack's state. It fails if there is none: because the stack's kind has none, or with the
// error absent.
func (s *Stack) requiredHostedCluster(ctx context.Context, absent error) (*clusterstatus.HostedCluster, error) {
	cluster, err := s.HostedCluster(ctx)
	if err == nil && cluster == nil {
		if err = s.needsHostedCluster(); err == nil {
			err = absent
		}
	}
	return cluster, err
}

// Access reads what HyperShift wrote for the administrators of the stack's hosted cluster.
func (s *Stack) Access(ctx context.Context) (*clusterstatus.Access, error) {
	cluster, err := s.requiredHostedCluster(ctx, &failure.Error{
		Reason: failure.Failed, Problem: "stack " + s.Name + " has no hosted cluster",
		Remedy: fmt.Sprintf("set cluster.hostedCluster.kubeconfig in its file, and run `hypershift-aws up -s %s`", s.Name),
	})
	if err != nil {
		return nil, err
	}
	api, err := s.openManagementCluster(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	return clusterstatus.ReadAccess(ctx, api, cluster, s.Name)
}

// VPCBlockers lists what has the tag of the stack's cluster and blocks the deletion of the stack's VPC; "" if there is nothing.
func (s *Stack) VPCBlockers(ctx context.Context) string {
	if err := s.currentState(ctx); err != nil {
		return ""
	}
	return clusterstatus.VPCBlockers(ctx, s.Name, s.state, s.awsAccount)
}

// dependentCluster is the cluster that depends on a stack's resources, according to the stack's state and file.
type dependentCluster struct {
	// kind is the kind of its object, "HostedCluster" or "Cluster"; "" for a management stack, on which no cluster depends directly.
	kind string
	// name and namespace are those of its object, infraID its infra ID. name is the stack's for a management stack.
	name, namespace, infraID string
	// tag is the key of the tag of its resources in AWS.
	tag string
	// object is its object in the stack's state, nil if there is none.
	object *clusterstatus.HostedCluster
	// none is true for a stack that adds to the cluster of another owner: no cluster depends on it.
	none bool
}

// dependent finds the cluster that depends on the stack's resources. A state without outputs, such as that of a first update that failed, and a
// file that cannot be read leave the tags of the resources in the state.
func (s *Stack) dependent(ctx context.Context) (dependentCluster, error) {
	resources, err := s.Resources(ctx)
	if err != nil {
		return dependentCluster{}, err
	}
	outputs := s.state.Outputs()
	d := dependentCluster{name: outputs.String("name"), infraID: outputs.String("infraID")}
	name := s.kind()
	of := kind.Of(cmp.Or(name, config.KindCluster)).Cluster
	if of == nil {
		return dependentCluster{name: s.Name, none: kind.Of(name).Guest != nil}, nil
	}
	d.kind, d.object = of.Object, of.Find(resources)
	if s.file != nil && s.file.Kind == cmp.Or(name, config.KindCluster) {
		inFile, namespace, infraID := of.Identify(s.file.Section)
		d.name, d.namespace, d.infraID = cmp.Or(d.name, inFile), namespace, cmp.Or(d.infraID, infraID)
	}
	if d.object != nil {
		d.name, d.namespace = d.object.Name, d.object.Namespace
	}
	if d.infraID == "" {
		for _, r := range resources {
			d.infraID = cmp.Or(d.infraID, clusterstatus.InfraIDOf(r.Inputs))
		}
	}
	d.tag = of.Tag(d.name, d.infraID)
	d.name = cmp.Or(d.name, d.infraID, s.Name)
	return d, nil
}

// ClusterStatus reads what the management cluster and AWS report about the stack's cluster, and joins it to findings. With flow, the steps of
// HyperShift's networking flow are checked in the stack's state too. A management cluster or an account that does not answer is a finding.
func (s *Stack) ClusterStatus(ctx context.Context, flow bool) (*clusterstatus.Status, error) {
	d, err := s.dependent(ctx)
	if err != nil {
		return nil, err
	}
	status := &clusterstatus.Status{Stack: s.Name, Stages: s.state.Outputs().Strings("stages")}
	if d.none {
		return status, s.guestStatus(ctx, status)
	}
	if d.kind == "" {
		status.Judge(nil)
		return status, nil
	}
	if d.object != nil {
		status.Kind, status.Namespace, status.Name = d.kind, d.object.Namespace, d.object.Name
		s.readObjects(ctx, status, d.object, kind.Of(s.kind()).Cluster)
	}
	if s.session.Environment.KnowsAccounts() {
		accounts, err := s.livingAccounts(ctx)
		if err != nil {
			return nil, err
		}
		status.ReadAWS(ctx, d.tag, accounts)
	}
	if d.object != nil && d.kind == crd.HostedCluster {
		status.Documents = func() (string, string) { return s.documentsProblem(ctx) }
	}
	status.Judge(clusterstatus.Missing(ctx, s.state.InCloud(), func(r apitype.ResourceV3) (account.Account, error) {
		return s.awsAccount(ctx, s.state.Provider(r.Provider), r.Provider)
	}))
	if flow && d.kind == crd.HostedCluster && s.file != nil && kind.Of(s.file.Kind).Paths != nil {
		paths, err := s.Paths(ctx)
		if err != nil {
			return nil, err
		}
		status.AddFlow(connectivity.Flow(paths))
	}
	return status, nil
}

// readObjects reads an object in the management cluster and its parts, and whether the operators that act on them run.
func (s *Stack) readObjects(ctx context.Context, status *clusterstatus.Status, object *clusterstatus.HostedCluster, of *kind.Cluster) {
	err := s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, operator := range kind.Of(s.kind()).Operators {
			status.ReadOperator(ctx, api, operator.Namespace, operator.Name, operator.Operator)
		}
		status.ReadObjects(ctx, api, of.Object, object, of.Parts)
		return nil
	})
	if err != nil {
		status.Unread("the management cluster was not opened: "+err.Error(), "correct the kubeconfig of the stack's file")
	}
}

// Stages returns the changes of the last update that the next one continues, in words.
func (s *Stack) Stages(ctx context.Context) ([]string, error) {
	if err := s.currentState(ctx); err != nil {
		return nil, err
	}
	return s.state.Outputs().Strings("stages"), nil
}

// readLive reads a hosted cluster from its management cluster.
func (s *Stack) readLive(ctx context.Context, k config.Kubeconfig, namespace, name string) (*hostedcluster.Live, error) {
	if s.silent != nil {
		return nil, s.silent
	}
	return askCluster(ctx, s, k, func(ctx context.Context, api managementCluster) (*hostedcluster.Live, error) {
		return clusterstatus.ReadLive(ctx, api, namespace, name)
	})
}

// readStoredVersions reads the versions in which a management cluster stores objects.
func (s *Stack) readStoredVersions(ctx context.Context, k config.Kubeconfig, definitions []string) (map[string][]string, error) {
	if s.silent != nil {
		return nil, s.silent
	}
	return askCluster(ctx, s, k, func(ctx context.Context, api managementCluster) (map[string][]string, error) {
		return clusterstatus.StoredVersions(ctx, api, definitions)
	})
}

// Deletion is the deletion of a stack's resources, and of the cluster that depends on them.
type Deletion struct {
	gate.Deletion
	// Object is the cluster's object in the stack's state, nil if there is none. CAPA is true if it is a Cluster of Cluster API.
	Object *clusterstatus.HostedCluster
	CAPA   bool
	// Guest is the cluster of another owner whose nodes the stack has, nil if it has none, or if that cluster is certainly gone.
	Guest *clusterstatus.HostedCluster
	// protection is what keeps the engine from deleting the cluster and what it depends on.
	protection state.Protection
	// options are those that the deletion was judged with.
	options DestroyOptions
}

// CheckDeletion asks the gates of a destroy: whether the cluster that depends on the stack is the recorded one, whether it is alive, and what the
// user consents to. It changes nothing.
func (s *Stack) CheckDeletion(ctx context.Context, options DestroyOptions) (*Deletion, error) {
	deletion, err := s.judgeDeletion(ctx, options)
	if err == nil {
		s.deletion = deletion
	}
	return deletion, err
}

// judgeDeletion is CheckDeletion for a deletion that was judged before, too.
func (s *Stack) judgeDeletion(ctx context.Context, options DestroyOptions) (*Deletion, error) {
	d, err := s.dependent(ctx)
	if err == nil {
		err = compareTarget(s.file, s.state)
	}
	if err != nil {
		return nil, err
	}
	confirmed, err := s.confirmedDeletion()
	if err != nil {
		return nil, err
	}
	deletion := &Deletion{options: options, Object: d.object, CAPA: d.kind == clusterstatus.KindCluster, Deletion: gate.Deletion{
		Stack: s.Name, Cluster: d.name, InState: d.object != nil, Management: d.kind == "" && !d.none, ManagementGone: options.ManagementGone, Consent: options.Consent,
	}}
	if d.kind != "" {
		deletion.protection = s.state.Protection(clusterstatus.OfCluster, stacks.DestroyGuardType)
	}
	deletion.Reading, deletion.Identity, _, err = s.askIdentity(ctx, gate.Destroy) // Resolve reports the warnings
	if err != nil {
		return deletion, err
	}
	if d.object == nil {
		if confirmed != nil {
			deletion.Identity.Object = confirmed.UID
			deletion.Identity.ManagementCluster = cmp.Or(deletion.Identity.ManagementCluster, confirmed.ManagementCluster)
		}
		s.findLiving(ctx, d, &deletion.Reading)
	}
	life := gate.WithCheck(gate.NameLife, func(context.Context, gate.Operation) (gate.Answer, error) {
		switch {
		case d.kind == "" && !d.none && !s.isReferred():
			deletion.Life, deletion.Evidence = gate.Gone, "no cluster depends on it"
		case d.none:
			deletion.Life, deletion.Evidence = gate.Gone, "no cluster depends on it"
			deletion.Guest = s.livingGuest(ctx, deletion.Reading)
		case d.kind == "":
			if deletion.Life, deletion.Evidence, err = s.usersLife(ctx, d, deletion.Reading, options); err != nil {
				return gate.Answer{}, err
			}
		case deletion.Identity.Other(deletion.Reading) == "":
			deletion.Life, deletion.Evidence = gate.LifeOf(gate.Facts{
				Identity: deletion.Identity, Reading: deletion.Reading,
				InAWS:          func() gate.InAWS { return s.inAWS(ctx, d) },
				Ended:          endedAt(confirmed, d.object),
				Finished:       s.clusterDeleted && d.object == nil,
				ManagementGone: options.ManagementGone,
			})
			if deletion.Life == gate.Gone && s.isReferred() {
				life, evidence, err := s.usersLife(ctx, d, deletion.Reading, options)
				if err != nil {
					return gate.Answer{}, err
				}
				if life != gate.Gone {
					deletion.Life, deletion.Evidence = life, evidence
				}
			}
		}
		return gate.Answer{Refused: deletion.Judge()}, nil
	})
	_, err = life.Ask(ctx, gate.Destroy)
	return deletion, err
}

// inAWS searches the accounts of the stack for signs of life of its cluster.
func (s *Stack) inAWS(ctx context.Context, d dependentCluster) gate.InAWS {
	if !s.session.Environment.KnowsAccounts() {
		return gate.InAWS{} // the stack's resources are those of a provider under development
	}
	accounts, err := s.livingAccounts(ctx)
	if err != nil {
		return gate.InAWS{Err: err}
	}
	return clusterstatus.SignsOfLife(ctx, s.state, d.tag, accounts)
}

// findLiving adds to a reading the object of a cluster that the state does not have: a HostedCluster by its infra ID, a Cluster by its name.
func (s *Stack) findLiving(ctx context.Context, d dependentCluster, reading *gate.Reading) {
	if !reading.Configured || reading.Err != nil || d.kind == "" {
		return
	}
	reading.Err = s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) (err error) {
		reading.Object, err = clusterstatus.LivingObject(ctx, api, d.kind, d.infraID, d.namespace, d.name)
		return err
	})
	reading.NoAnswer = kubeapi.NoAnswer(reading.Err)
}
