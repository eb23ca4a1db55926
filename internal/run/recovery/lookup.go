package recovery

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// clockDifference is by how much this machine's clock may be ahead of AWS's.
const clockDifference = 5 * time.Minute

// lookUp searches AWS for a creation. Candidates are what has its tags, or its key, and was created since the run
// began: never what was listed before, is older, or is in a state of the backend.
func (r *recovery) lookUp(ctx context.Context, c PendingCreation) (takeover.Candidates, error) {
	res, query := c.Resource, newQuery(c.Resource)
	l := takeover.Candidates{Name: res.URN.Name(), Type: query.Type, Kind: report.TypeName(query.Type)}
	aws, err := r.stack.Account(ctx, r.state.Provider(res.Provider), res.Provider)
	if err != nil {
		return l, err
	}
	place, err := aws.Place(ctx)
	if err != nil {
		return l, err
	}
	found, err := r.find(ctx, aws, place, c)
	if err != nil || len(found) == 0 {
		return l, err
	}
	if !query.Identified() || r.ours(query) {
		l.IDs = account.IDs(found) // it is a part of what is the stack's: a rule of its group
		return l, nil
	}
	found, aged, err := r.since(ctx, aws, c, found)
	if err != nil || len(found) == 0 {
		return l, err
	}
	elsewhere, unread, err := r.stack.Elsewhere(ctx, place)
	if err != nil {
		return l, err
	}
	found = slices.DeleteFunc(found, func(f inventory.Resource) bool { return elsewhere(f.Type, f.ID) })
	l.IDs = account.IDs(found)
	filled, err := holdsObjects(ctx, aws, found)
	if err != nil {
		return l, err
	}
	switch {
	case filled:
		l.Unproved = "it has objects, which an interrupted creation does not leave"
	case c.Begin == nil:
		l.Unproved = "the journal of the interrupted run is not on this machine"
	case !aged:
		l.Unproved = "it is not known whether it existed before the run"
	case len(unread) > 0:
		l.Unproved = "it may be in the state of stack " + strings.Join(unread, ", ") + ", which cannot be read"
	}
	return l, nil
}

// holdsObjects reports whether one of the buckets found has an object.
func holdsObjects(ctx context.Context, aws account.Account, found []inventory.Resource) (bool, error) {
	for _, f := range found {
		if f.Type != awstype.Bucket {
			continue
		}
		objects, err := aws.List(ctx, account.Query{Type: awstype.BucketObject, Inputs: map[string]any{"bucket": f.ID}})
		if err != nil || slices.ContainsFunc(objects, func(o inventory.Resource) bool { return o.Text("bucket") == f.ID }) {
			return true, err
		}
	}
	return false, nil
}

// find returns what AWS has with the creation's key, tags or attributes and is neither in the state nor known to be
// another's.
func (r *recovery) find(
	ctx context.Context,
	aws account.Account,
	place inventory.Place,
	c PendingCreation,
) ([]inventory.Resource, error) {
	query := newQuery(c.Resource)
	var found []inventory.Resource
	if query.Searched() {
		var err error
		if found, err = aws.Find(ctx, query); err != nil {
			return nil, err
		}
	} else if id := query.ImportID(place); id != "" && !r.sameKey(c.Resource, place, id) {
		exists := true
		if query.Checked() {
			var err error
			if exists, err = account.Exists(ctx, aws, query); err != nil {
				return nil, err
			}
		}
		if exists {
			found = []inventory.Resource{{Type: query.Type, ID: id}}
		}
	}
	found = slices.DeleteFunc(found, func(f inventory.Resource) bool {
		return r.state.Has(query.Type, f.ID) || c.existed(f.ID) || slices.Contains(c.Foreign, f.ID) || r.gone[f.ID]
	})
	if query.Type == awstype.HostedZone && len(found) > 1 {
		found = ownZones(query, found)
	}
	return found, nil
}

// ownZones keeps the zones that may be the stack's: one without tags counts if no other has the stack's.
func ownZones(query account.Query, zones []inventory.Resource) []inventory.Resource {
	carries := func(f inventory.Resource) bool {
		tags := map[string]any{}
		for key, value := range f.Tags {
			tags[key] = value
		}
		return len(tags) > 0 && query.CarriedBy(tags)
	}
	own := slices.ContainsFunc(zones, carries)
	return slices.DeleteFunc(zones, func(f inventory.Resource) bool { return !carries(f) && (own || len(f.Tags) > 0) })
}

// sameKey reports whether the state has a resource of the type with that import ID.
func (r *recovery) sameKey(res *state.Resource, place inventory.Place, id string) bool {
	return slices.ContainsFunc(r.state.Resources, func(other *state.Resource) bool {
		return other.Type == res.Type && !other.PendingReplacement && newQuery(other).ImportID(place) == id
	})
}

// since removes what was created before the run began. aged is false if that is not known of one.
func (r *recovery) since(
	ctx context.Context,
	aws account.Account,
	c PendingCreation,
	found []inventory.Resource,
) (kept []inventory.Resource, aged bool, err error) {
	aged = true
	for _, f := range found {
		if f.Created.IsZero() && account.Dated(f.Type) {
			created, exists, err := aws.Created(ctx, f)
			if err != nil {
				return nil, false, err
			}
			if !exists {
				continue
			}
			f.Created = created
		}
		if c.Begin != nil && !f.Created.IsZero() && f.Created.Before(c.Begin.At.Add(-clockDifference)) {
			continue
		}
		aged = aged && (c.listed() || !f.Created.IsZero())
		r.dated[f.ID] = c.Begin != nil && !f.Created.IsZero()
		kept = append(kept, f)
	}
	return kept, aged, nil
}
