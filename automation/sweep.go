package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

type (
	// SweepPlan is what a sweep of one cluster would delete in one account and region, and what gates hold.
	SweepPlan = inventory.SweepPlan
	// SweepEntry is the result for one resource: deleted, gone, held, or failed.
	SweepEntry = inventory.SweepEntry
)

// SweepOptions configure Sweep.
type SweepOptions struct {
	// SweepOptions select the resources. InfraID is the cluster's whole infra ID; default: the stack's.
	inventory.SweepOptions
	// All lists every cluster with tagged resources, and deletes nothing.
	All bool
	// Delete deletes the resources that pass every gate.
	Delete bool
	// Decide is asked for the infra ID before anything is deleted.
	Decide Decide
	// UnderLivingCluster is the infra ID of a cluster whose resources are deleted although it may be alive. Each use is
	// kept in the journal of consents.
	UnderLivingCluster string
	// Region and Profile select the account for a Stack without a name. Default: the environment's.
	Region, Profile string
	// Kubeconfig is a management cluster that is asked too; its File is "" for none.
	Kubeconfig config.Kubeconfig
}

// SweepResult is what a sweep found and did.
type SweepResult = inventory.SweepResult

// IgnoredTag is a cluster's tag whose text is not an infra ID.
type IgnoredTag = inventory.IgnoredTag

// SweepPlannedEvent is what a sweep would delete, before it is decided on.
type SweepPlannedEvent = operation.SweepPlanned

// SweptEvent is the result of a sweep for one resource.
type SweptEvent = operation.Swept

// Sweep lists what the operators of a cluster, or a deleted installation, left in AWS, and with Delete deletes what
// passes every gate, before the decision and again immediately before its deletion. A Stack without a name searches the
// account of the options. It returns an error if a list is incomplete, or if resources could not be deleted.
func (s *Stack) Sweep(ctx context.Context, o SweepOptions) (*SweepResult, error) {
	return sweep.Stack(ctx, s.core(), sweep.StackOptions{
		SweepOptions: o.SweepOptions, All: o.All, Delete: o.Delete, Decide: o.Decide,
		UnderLivingCluster: o.UnderLivingCluster,
		Region:             o.Region, Profile: o.Profile, Kubeconfig: o.Kubeconfig, Prices: s.project.prices,
	})
}
