package stacks

import (
	"context"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// ClusterUID returns the UID of namespace kube-system of the management cluster that a kubeconfig selects, which
// identifies the cluster; "" if the caller may not read that namespace.
type ClusterUID func(ctx context.Context, kubeconfig config.Kubeconfig) (string, error)

// Live reads a hosted cluster from the management cluster that a kubeconfig selects; a cluster that does not exist has
// no objects.
type Live func(ctx context.Context, kubeconfig config.Kubeconfig, namespace, name string) (*hostedcluster.Live, error)

// Identified returns an error if a management cluster cannot be the one that the stack's objects were applied to. uid
// is the UID that ClusterUID returned.
type Identified func(ctx context.Context, kubeconfig config.Kubeconfig, uid string, last LastState) error

// LastState is a stack's last state, with the outputs of its resources by URN.
type LastState struct {
	// Stack is the stack's name.
	Stack string
	// Kind is the stack's kind.
	Kind config.Kind
	// Outputs are the outputs of each resource by its URN, as the state has them.
	Outputs map[string]map[string]any
	// Region is the region of the stack's own AWS provider in its config, "" if the environment determines it.
	Region string
	// Former are the names that the stack had before it was renamed, "<project>/<stack>": its node pools have them in
	// their annotation, and the backend has no stack with such a name.
	Former []string
}

// Account returns an error if the account of the stack's own credentials has none of the resources in the stack's last
// state. account looks it up.
type Account func(last LastState, account func() (string, error)) error

// lastState reads the stack's last state, and whether that records a management cluster.
func lastState(ctx *pulumi.Context, kind config.Kind) (last LastState, isRecorded bool, err error) {
	state, err := resourceOutputs(ctx, qualified(ctx, ctx.Stack()))
	if err != nil {
		return last, false, fmt.Errorf("reading the last state of stack %s: %w", ctx.Stack(), err)
	}
	last = LastState{Stack: ctx.Stack(), Kind: kind, Outputs: map[string]map[string]any{}}
	last.Region, _ = ctx.GetConfig(config.OwnPrefix + "region")
	for resource, of := range state {
		last.Outputs[resource] = of.Outputs
		isRecorded = isRecorded || recorded.IsManagementCluster(of.Type, urn.URN(resource).Name())
		pool := unstructured.Unstructured{Object: of.Outputs}
		mark := pool.GetAnnotations()[hypershift.StackTag]
		if pool.GetKind() != crd.NodePool || mark == "" || mark == stackMark(ctx) || slices.Contains(last.Former, mark) {
			continue
		}
		if other, err := stackOutputs(ctx, ctx.Organization()+"/"+mark); err == nil && other == nil {
			last.Former = append(last.Former, mark)
		}
	}
	return last, isRecorded, nil
}

// stackMark is the stack's name in the annotation of its node pools.
func stackMark(ctx *pulumi.Context) string { return ctx.Project() + "/" + ctx.Stack() }

// compareAccount refuses credentials of another account than that of the stack's resources, before anything is
// registered.
func (p placement) compareAccount(ctx *pulumi.Context, kind config.Kind) error {
	if p.options.Account == nil {
		return nil
	}
	last, _, err := lastState(ctx, kind)
	if err != nil {
		return err
	}
	return p.options.Account(last, func() (string, error) { return p.account(ctx, nil) })
}

// recordManagementCluster keeps the UID of the management cluster in the state, before anything else is registered. The
// state keeps the first value, whatever a kubeconfig selects later; an update that selects another management cluster
// is refused. Nothing is recorded if the UID may not be read, and what is recorded stays.
func (p placement) recordManagementCluster(ctx *pulumi.Context, kind config.Kind, k *config.Kubeconfig) error {
	if k == nil || p.clusterUID == nil {
		return nil
	}
	last, isRecorded, err := lastState(ctx, kind)
	if err != nil {
		return err
	}
	uid, err := p.clusterUID(ctx.Context(), *k)
	switch {
	case err != nil:
		*p.unread = true
		err = fmt.Errorf("the management cluster could not be read, so it cannot be compared with the stack's: %w", err)
	case p.options.Identified != nil:
		err = p.options.Identified(ctx.Context(), *k, uid, last)
	}
	if err != nil && !ctx.DryRun() {
		return fmt.Errorf("%w; nothing was changed", err)
	}
	if err != nil && (!*p.unread || !p.options.UnreadReported) { // a preview shows the plan nevertheless
		instead := "; an update would be refused"
		if *p.unread {
			instead += ", and the plan does not show the stages of a change"
		}
		if err := ctx.Log.Warn(err.Error()+instead, nil); err != nil {
			return err
		}
	}
	if uid == "" && !isRecorded {
		return nil
	}
	output, err := outputs.Stash(ctx, recorded.ManagementClusterStash, pulumi.String(uid), outputs.KeepsFirst,
		p.top...)
	if err != nil {
		return fmt.Errorf("recording the management cluster: %w", err)
	}
	kept, err := internals.UnsafeAwaitOutput(ctx.Context(), output)
	if err != nil {
		return fmt.Errorf("recording the management cluster: %w", err)
	}
	recorded, _ := kept.Value.(string)
	*p.recorded = recorded
	if recorded == "" || uid == "" || recorded == uid {
		return nil
	}
	other := fmt.Errorf("the kubeconfig selects another management cluster than the stack's: the UID of its namespace kube-system is %s, not %s; "+
		"correct the kubeconfig, or its current context", uid, recorded)
	if ctx.DryRun() {
		return ctx.Log.Warn(other.Error()+"; an update would be refused", nil)
	}
	return other
}
