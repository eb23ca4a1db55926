package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// DestroyOptions configure Destroy.
type DestroyOptions struct {
	// Decide is asked before anything is deleted; and first for the name of the cluster in the stack's state, unless
	// Cluster is set.
	Decide Decide
	// Cluster confirms a deletion. It is the name of the hosted cluster or Cluster in the stack's state; for a stack of
	// kind nodePools, the name of the living hosted cluster. It allows nothing else.
	Cluster string
	// UnderLivingCluster is the name of a cluster whose network, roles and nodes are deleted although it is alive or may
	// be. Each use is kept in the journal of consents.
	UnderLivingCluster string
	// ManagementClusterGone asserts that the management cluster no longer exists: its objects are removed from the state,
	// and a sweep deletes in AWS what its operators would have deleted.
	ManagementClusterGone bool
	// Allow are the IDs of what others have in the stack's VPC, zones and roles, and that does not keep them from being
	// deleted: records, VPCs that are associated with a zone, resources in the VPC, policies. Each use is kept in the
	// journal of consents.
	Allow []string
	// Data also deletes the volumes, snapshots and buckets that the hosted cluster left; KeepLeftovers keeps all that it
	// left.
	Data, KeepLeftovers bool
	// RemoveState also removes the stack's empty state and its history.
	RemoveState bool
}

// DestroyResult is the plan and the result of a deletion.
type DestroyResult struct {
	// Stack is the stack's name.
	Stack string
	// Planned is the plan that was decided on, and Done the plan that was carried out; nil if the deletion did not get
	// that far.
	Planned, Done *Plan
	Forecast      *Forecast
}

// Destroy deletes all resources of the stack: the cluster in its state first, then what its operators left in AWS, then
// the network and the roles. Nothing is deleted while a cluster is alive, or may be.
func (s *Stack) Destroy(ctx context.Context, o DestroyOptions) (*DestroyResult, error) {
	core := s.core()
	defer s.named(core)
	result, err := core.Destroy(ctx, run.DestroyOptions{
		Decide: o.Decide, Cluster: o.Cluster, UnderLivingCluster: o.UnderLivingCluster,
		ManagementClusterGone: o.ManagementClusterGone, Allow: o.Allow,
		Together: o.KeepLeftovers, RemoveState: o.RemoveState, Features: o.features(s.project),
	})
	return (*DestroyResult)(result), err
}
