// Package account finds resources in AWS whose IDs are in no state: by their inputs, their tags or their attributes,
// according to the type's record in package awstype. Recovery uses it to add what an interrupted run has created to the
// state, and commands use it to find all resources of a cluster.
//
// Nothing is tagged for this purpose. The inputs identify a resource: its tags, which contain the infra ID, or what AWS
// allows only once, such as a role's name or a route's table and destination.
package account

import (
	"context"
	"errors"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Account is the AWS account of one provider.
type Account interface {
	Facts
	// Place returns its partition, account and region.
	Place(ctx context.Context) (inventory.Place, error)
	// Snapshot returns the account for a single look at it: List requests each list once for all readers, until something
	// is deleted.
	Snapshot() Account
	// List lists resources of the query's type, ordered by ID, including those that are not the stack's. The query's
	// inputs narrow the list where AWS allows it; Select does the rest. It fails with ErrNotListed for a type that cannot
	// be listed.
	List(ctx context.Context, q Query) ([]inventory.Resource, error)
	// Find lists the resources that match the query, ordered by ID: those with all its tags or, for types that are
	// identified by attributes, with the same attributes. Call it only if Query.Searched is true.
	Find(ctx context.Context, q Query) ([]inventory.Resource, error)
	// Created returns when a resource was created: zero for types for which AWS does not return it (see Dated), and if the
	// request is denied.
	Created(ctx context.Context, r inventory.Resource) (at time.Time, exists bool, err error)
	// Tagged lists the resources of all types that have all the tags, ordered by type and ID. It leaves out types whose
	// tags AWS does not list (IAM's roles, users and instance profiles), and types that are not in package awstype.
	Tagged(ctx context.Context, tags map[string]string) ([]inventory.Resource, error)
	// Attached returns what is attached to a resource: the targets that are registered with a target group or classic load
	// balancer, and the endpoints that are connected to an endpoint service; none for other types.
	Attached(ctx context.Context, r inventory.Resource) ([]string, error)
	// Targets returns the targets that are registered with a target group, and their health; none for other types.
	Targets(ctx context.Context, r inventory.Resource) ([]Target, error)
	// Release removes the rules of a security group, so that groups that refer to each other can be deleted. It does
	// nothing for other types.
	Release(ctx context.Context, r inventory.Resource) error
	// Delete deletes a resource and its parts. It succeeds if the resource does not exist.
	Delete(ctx context.Context, r inventory.Resource) error
}

// Target is a target of a target group.
type Target struct {
	// ID is the ID of an instance, or an address.
	ID string
	// Health is "healthy", "unhealthy", "initial", "unused" or "unavailable"; Why is AWS's reason, "" for a healthy
	// target.
	Health, Why string
}

// ErrNotListed is the error for types that cannot be listed.
var ErrNotListed = errors.New("instances of the type cannot be listed")

// OwnedBy returns the tag of all resources of a cluster.
func OwnedBy(infraID string) map[string]string {
	return map[string]string{hypershift.ClusterTagPrefix + infraID: "owned"}
}

// Exists reports whether the query's resource exists with the query's inputs. Call it only for types whose record has
// Checked, and for event rules.
func Exists(ctx context.Context, a Account, q Query) (bool, error) {
	found, err := a.List(ctx, q)
	how, _ := awstype.AdoptionOf(q.Type)
	return len(Select(found, q, awstype.Adoption{Match: how.Match})) > 0, err
}

// Describe reads a resource again; it returns nil if it no longer exists.
func Describe(ctx context.Context, a Account, r inventory.Resource) (*inventory.Resource, error) {
	q := Query{Type: r.Type, IDs: []string{r.ID}, Complete: true}
	if r.Type == awstype.Record {
		q.Inputs = map[string]any{"zoneId": r.Zone(), "under": r.Name()}
	}
	found, err := a.List(ctx, q)
	for _, now := range found {
		if now.ID == r.ID {
			if len(now.Interfaces) == 0 {
				now.Interfaces = r.Interfaces
			}
			return &now, err
		}
	}
	return nil, err
}
