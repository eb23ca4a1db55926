package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/features/adopt"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

type (
	// Search is which cluster Adopt searches an account for.
	Search = documents.Search
	// Access is the credentials for an account: a profile, and a role that is assumed.
	Access = takeover.Credentials
	// ResourceKey names a resource of a stack by the last part of its type and its name: Vpc, network-vpc.
	ResourceKey = takeover.Key
	// AdoptReview is what Adopt does, resource by resource, and why it refuses.
	AdoptReview = takeover.Review
)

// DefaultGroup is what an adoption does with the rules of a VPC's default security group.
type DefaultGroup = takeover.DefaultGroup

// The values. The zero value refuses a VPC whose group has rules.
const (
	// KeepDefaultGroup does not change the group.
	KeepDefaultGroup = takeover.KeepDefaultGroup
	// RevokeDefaultGroup removes the rules.
	RevokeDefaultGroup = takeover.RevokeDefaultGroup
)

// AdoptOptions configure Adopt.
type AdoptOptions struct {
	// Decide is asked before anything is adopted.
	Decide Decide
	// Preview reviews the adoption, and changes nothing in AWS.
	Preview bool
	// Search is the cluster whose file is written if the stack has none.
	Search Search
	// Own are the credentials for the cluster's account, and VPCOwner those for the account that owns a shared VPC. They
	// are used if the stack has no file. Default: the environment's credentials, and no shared VPC.
	Own, VPCOwner Access
	DefaultGroup  DefaultGroup
	// IDs are import IDs in AWS of resources that are not found otherwise.
	IDs map[ResourceKey]string
	// AllowCreate are the names of resources that may be created, although an existing cluster should have them.
	AllowCreate []string
	// Take are the config keys of fields that get the value of the file, although another client of the management cluster
	// has set another one.
	Take []string
}

// ReviewEvent is the review of an adoption, before it is decided on.
type ReviewEvent = operation.Review

// Adopt adopts existing resources, such as those that HyperShift's CLI created, into the stack: nothing is replaced,
// deleted or interrupted. If the stack has no file, one is written that describes the cluster of Search. After an
// interruption, the same call continues.
func (s *Stack) Adopt(ctx context.Context, o AdoptOptions) (*AdoptReview, error) {
	core := s.core()
	defer s.named(core)
	return adopt.Run(ctx, core, adopt.Options{
		Decide: o.Decide, Preview: o.Preview, Search: o.Search, Own: o.Own, VPCOwner: o.VPCOwner,
		DefaultGroup: o.DefaultGroup,
		IDs:          o.IDs, AllowCreate: o.AllowCreate, Overwrite: o.Take,
		Estimate: func(r *run.Operation, planned *changes.Plan) *Forecast {
			return forecast.Time(r, forecast.Inputs{Plan: planned})
		},
	})
}
