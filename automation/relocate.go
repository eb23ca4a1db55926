package automation

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/restore"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/operation"
)

// RelocateOptions configure Relocate.
type RelocateOptions struct {
	// Decide is asked for the cluster's name before the state changes, unless Cluster is set.
	Decide Decide
	// Cluster is the name of the restored hosted cluster.
	Cluster string
	// ManagementClusterGone asserts that the recorded management cluster no longer exists. Set it if that cluster cannot be asked. It has no effect
	// while anything answers at its address. Each use is kept in the journal of consents.
	ManagementClusterGone bool
}

// RelocateResult is what the state took over.
type RelocateResult = takeover.Restored

// Relocate continues the stack with its hosted cluster as it was restored from a backup in the management cluster that the stack's file selects:
// the state takes over the management cluster and the UIDs of the objects. It changes nothing in AWS or in a management cluster. Another cluster, an incomplete
// one, and one that its former management cluster still runs are refused. What an interrupted run left is settled by the next update, or by Repair.
func (s *Stack) Relocate(ctx context.Context, o RelocateOptions) (*RelocateResult, error) {
	ctx, r, err := s.begin(ctx, gates.Relocate, opening{mode: operation.MustExist})
	if err != nil {
		return nil, err
	}
	defer r.close()
	unfinished, err := r.Recovery.Unfinished(ctx)
	if err != nil {
		return nil, err
	}
	var found *restore.Restoration
	find := gate.WithCheck(gate.NameRestored, gate.Refuses(func(ctx context.Context) (err error) {
		found, err = r.Restored.Find(ctx, o.ManagementClusterGone)
		return err
	}))
	if err := r.stopAt(ctx, find); err != nil {
		return nil, err
	}
	if found.Done {
		r.say("stack %s already continues with %s of the management cluster in its file", r.Stack.Name, found.Object)
		return &found.Restored, nil
	}
	text := fmt.Sprintf("Stack %s continues with %s as it was restored in the management cluster of its file, and no longer with the former one. "+
		"Enter the cluster's name: ", r.Stack.Name, found.Object)
	if err := r.confirmCluster(ctx, o.Decide, o.Cluster, "hosted cluster", Question{Text: text, Name: found.Cluster}); err != nil {
		return nil, err
	}
	before := found.To
	if err := r.stopAt(ctx, find); err != nil {
		return nil, err
	}
	if found.To != before || found.Done {
		return nil, refuse("the kubeconfig of stack %s selects another management cluster than before the question; nothing was changed", r.Stack.Name)
	}
	if err := r.Restored.Take(ctx, found, r.Recovery); err != nil {
		return nil, err
	}
	if unfinished {
		r.say("an earlier run of stack %s was interrupted: the next up finds what it created, or `hypershift-aws repair -s %[1]s`", r.Stack.Name)
	}
	return &found.Restored, nil
}
