// Package hosted does what users do with a stack's hosted cluster besides changing it: reads its status, waits for it,
// and lets its OIDC documents be written again.
package hosted

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/awsresources"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Cluster is the hosted cluster of a stack, or the cluster of another owner that the stack's objects belong to.
type Cluster struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
}

// Wait waits until the stack's hosted cluster is available and its node pools have the requested nodes. With staged it
// also waits until the cluster is ready for the next stage of a change. It does nothing for a stack without a hosted
// cluster.
func (h *Cluster) Wait(ctx context.Context, interval time.Duration, staged bool) error {
	cluster, err := h.Stack.HostedCluster(ctx)
	if err == nil && cluster == nil {
		cluster, err = h.guest(ctx)
	}
	if err != nil || cluster == nil {
		return err
	}
	return clusterstatus.Wait(ctx, cluster, clusterstatus.WaitOptions{
		Open: h.Connection.Open, Stack: h.Stack.Name, Interval: interval, Within: binding.Within, Staged: staged,
		Report: h.Stack.Session.Report, Interrupted: h.Stack.Session.Interrupts.First(),
	})
}

// Required returns the hosted cluster in the stack's state. It fails if there is none: because the stack's kind has
// none, or with the error absent.
func (h *Cluster) Required(ctx context.Context, absent error) (*clusterstatus.HostedCluster, error) {
	cluster, err := h.Stack.HostedCluster(ctx)
	if err == nil && cluster == nil {
		if err = binding.RefuseWithoutHostedCluster(h.Stack); err == nil {
			err = absent
		}
	}
	return cluster, err
}

// Access reads what HyperShift wrote for the administrators of the stack's hosted cluster.
func (h *Cluster) Access(ctx context.Context) (*status.Access, error) {
	absent := &failure.Error{
		Reason: failure.Failed, Problem: "stack " + h.Stack.Name + " has no hosted cluster",
		Remedy: fmt.Sprintf("set cluster.hostedCluster.kubeconfig in its file, and run `hypershift-aws up -s %s`", h.Stack.Name),
	}
	if binding.AppliedBy(h.Stack.File) != nil {
		absent.Problem += " in its state: " + uncreated
		absent.Remedy = fmt.Sprintf("run `hypershift-aws up -s %s`", h.Stack.Name)
	}
	cluster, err := h.Required(ctx, absent)
	if err != nil {
		return nil, err
	}
	api, err := h.Connection.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = api.Close() }()
	return clusterstatus.ReadAccess(ctx, api, cluster, h.Stack.Name, binding.KubeconfigKey(h.Stack))
}

// uncreated is why a state lacks the cluster that the stack's file describes.
const uncreated = "its creation failed, or has not run"

// VPCBlockers lists what blocks the deletion of the stack's VPC and is not in its state; "" if there is nothing.
func (h *Cluster) VPCBlockers(ctx context.Context) string {
	if err := h.Stack.CurrentState(ctx); err != nil {
		return ""
	}
	return awsresources.VPCBlockers(ctx, h.Stack.Name, h.Stack.State, h.Stack.Providers.ByProvider(ctx))
}

// Status reads what the management cluster and AWS report about the stack's cluster, and joins it to findings. For a
// hosted cluster it adds the steps of HyperShift's networking flow that flow returns; a nil flow leaves them out. A
// management cluster or an account that does not answer is a finding.
func (h *Cluster) Status(
	ctx context.Context,
	flow func(context.Context) ([]status.FlowStep, error),
) (*status.Cluster, error) {
	d, err := binding.FindDependent(ctx, h.Stack)
	if err != nil {
		return nil, err
	}
	reading := &clusterstatus.Reading{
		Cluster: status.Cluster{Stack: h.Stack.Name, Stages: h.Stack.State.Outputs().Strings("stages")},
	}
	if of := h.Stack.Kind(); of != "" && len(kind.ByName(of).Operators()) == 0 {
		reading.Described = fmt.Sprintf("a stack of kind %s has no cluster of its own", of)
	} else if h.Stack.File != nil {
		reading.Described = h.described()
	}
	if d.None {
		return &reading.Cluster, h.guestStatus(ctx, reading)
	}
	if d.Kind == "" {
		reading.Judge(nil)
		return &reading.Cluster, nil
	}
	if of := kind.ByName(h.Stack.Kind()).Cluster; d.Object == nil && of != nil && binding.AppliedBy(h.Stack.File) != nil &&
		len(h.Stack.State.InCloud()) > 0 {
		reading.Uncreated(of.Object, uncreated)
	}
	if d.Object != nil {
		reading.Kind, reading.Namespace, reading.Name = d.Kind, d.Object.Namespace, d.Object.Name
		h.readObjects(ctx, reading, d.Object, kind.ByName(h.Stack.Kind()).Cluster)
	}
	if h.Stack.Session.Environment.KnowsAccounts() {
		accounts, err := h.Stack.Providers.Living(ctx)
		if err != nil {
			return nil, err
		}
		awsresources.Read(ctx, reading, d.Tag, accounts)
	}
	if d.Object != nil && d.Kind == crd.HostedCluster {
		reading.Documents = func() (string, string) { return h.documentsProblem(ctx) }
	}
	reading.Judge(awsresources.Missing(ctx, h.Stack.State.InCloud(), func(r apitype.ResourceV3) (account.Account, error) {
		return h.Stack.Providers.InState(ctx, h.Stack.State.Provider(r.Provider), r.Provider)
	}))
	if flow != nil && d.Kind == crd.HostedCluster {
		steps, err := flow(ctx)
		if err != nil {
			return nil, err
		}
		if len(steps) > 0 {
			reading.AddFlow(steps)
		}
	}
	return &reading.Cluster, nil
}

// described returns why the stack's state has no cluster, "" if the kind of its file has none.
func (h *Cluster) described() string {
	file := h.Stack.File
	of := kind.ByName(file.Kind)
	if of.Cluster == nil {
		return ""
	}
	if file.ManagementCluster() != nil {
		return fmt.Sprintf("its state has no cluster: `hypershift-aws up -s %s` creates it", h.Stack.Name)
	}
	if faults := file.NoEffect(); len(faults) > 0 {
		return faults[0].Error()
	}
	return "the stack applies no cluster; set " + of.KubeconfigKey + " to apply one"
}

// readObjects reads an object in the management cluster and its parts, and whether the operators that act on them run.
func (h *Cluster) readObjects(
	ctx context.Context,
	reading *clusterstatus.Reading,
	object *clusterstatus.HostedCluster,
	of *kind.Cluster,
) {
	err := h.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		for _, operator := range kind.ByName(h.Stack.Kind()).Operators() {
			reading.ReadOperator(ctx, api, operator.Namespace, operator.Name, operator.Operator)
		}
		reading.ReadObjects(ctx, api, of.Object, object, of.Parts)
		return nil
	})
	if err != nil {
		reading.Unread(
			"the management cluster does not answer: "+err.Error(),
			"check the kubeconfig of the stack's file, the network and the credentials in it; if the management cluster is lost, see docs/disaster-recovery.md",
		)
	}
}

// WatchDeletion begins to report what blocks the deletion of the stack's hosted cluster whenever that changes: the
// engine reports nothing while it waits for up to an hour. end stops it, reports what blocks the deletion then if held
// is true, and is called once.
func (h *Cluster) WatchDeletion(ctx context.Context) (end func(held bool)) {
	cluster, err := h.Stack.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return func(bool) {}
	}
	blockers := func(ctx context.Context) string {
		ctx, cancel := binding.Within(ctx)
		defer cancel()
		api, err := h.Connection.Open(ctx)
		if err != nil {
			return "" // the engine's own requests say so
		}
		defer func() { _ = api.Close() }()
		return clusterstatus.ClusterBlockers(ctx, api, cluster)
	}
	watching, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		ticker, said := time.NewTicker(h.Stack.Session.Environment.Timing().Deletion), ""
		defer ticker.Stop()
		for {
			select {
			case <-watching.Done():
				return
			case <-ticker.C:
			}
			if why := blockers(watching); why != "" && why != said && watching.Err() == nil {
				h.Stack.SayText("waiting for the deletion of the hosted cluster: " + why)
				said = why
			}
		}
	})
	return func(held bool) {
		cancel()
		done.Wait()
		if why := blockers(ctx); held && why != "" {
			h.Stack.SayText(why)
		}
	}
}

// guest returns the other owner's cluster that the stack's objects belong to. It is nil for a stack of another kind, or
// without such objects.
func (h *Cluster) guest(ctx context.Context) (*clusterstatus.HostedCluster, error) {
	if h.Stack.File == nil || kind.ByName(h.Stack.File.Kind).Guest == nil {
		return nil, nil //nolint:nilnil // no such cluster
	}
	resources, err := h.Stack.Resources(ctx)
	if err != nil {
		return nil, err
	}
	return kind.ByName(h.Stack.File.Kind).Guest.Find(resources), nil
}

// guestStatus adds to a status the cluster of another owner, with the stack's own node pools.
func (h *Cluster) guestStatus(ctx context.Context, reading *clusterstatus.Reading) error {
	object, err := h.guest(ctx)
	if err != nil {
		return err
	}
	if object != nil {
		of := kind.ByName(h.Stack.File.Kind).Guest
		reading.Kind, reading.Namespace, reading.Name = of.Object, object.Namespace, object.Name
		h.readObjects(ctx, reading, object, of)
	}
	reading.Judge(func([]string) []apitype.ResourceV3 { return nil })
	return nil
}
