package recovery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// search looks a creation up, and decides on what it finds.
func (r *recovery) search(ctx context.Context, c PendingCreation) error {
	res, query := c.Resource, newQuery(c.Resource)
	if !query.Identified() && !r.ours(query) {
		return nil // the resource that it is part of does not exist either, or is not the stack's
	}
	if !r.findProvider(res) {
		r.keepSearching(c)
		return nil
	}
	lookup, err := r.lookUp(ctx, c)
	if err != nil {
		return fmt.Errorf("%s: %w", subject(res), err)
	}
	if len(lookup.IDs) == 0 {
		r.keepSearching(c)
		return nil
	}
	chosen := slices.DeleteFunc(slices.Clone(lookup.IDs), func(id string) bool { return !slices.Contains(r.ids, id) })
	switch {
	case r.filled(c):
		return r.leave(c, lookup.IDs)
	case len(chosen) == 1:
		others := slices.DeleteFunc(lookup.IDs, func(id string) bool { return id == chosen[0] })
		return errors.Join(r.leave(c, others), r.add(c, chosen[0]))
	case len(lookup.IDs) == 1 && lookup.Unproved == "":
		return r.add(c, lookup.IDs[0])
	}
	if r.late {
		r.say("an earlier run was stopped while creating %s: run `hypershift-aws repair`, which prints the candidates", subject(res))
	}
	r.ambiguous = append(r.ambiguous, lookup)
	r.missing = append(r.missing, c)
	return nil
}

// filled reports whether the state has the created resource by now, and not only the one that it replaces.
func (r *recovery) filled(c PendingCreation) bool {
	live := r.state.Live(string(c.Resource.URN))
	return live != nil && !live.PendingReplacement && string(live.ID) != c.Replaces
}

// newPending returns a creation to search for from now on.
func (r *recovery) newPending(res *state.Resource, begin *Begin) PendingCreation {
	c := PendingCreation{Resource: res}
	if live := r.state.Live(string(res.URN)); live != nil {
		c.Replaces = string(live.ID)
	}
	if begin != nil {
		c.Begin = &Begin{At: begin.At, State: begin.State}
		if ids, listed := begin.Existing[string(res.Type)]; listed {
			c.Begin.Existing = map[string][]string{string(res.Type): ids}
		}
	}
	return c
}

// findProvider makes the resource refer to a provider in the state: its own, another instance of it, or the one that
// the stack had before it was destroyed. It reports false if there is none.
func (r *recovery) findProvider(res *state.Resource) bool {
	if r.state.Referred(res.Provider) != nil {
		return true
	}
	urn := res.Provider[:max(0, strings.LastIndex(res.Provider, "::"))]
	for _, other := range r.state.Resources {
		if string(other.URN) == urn && !other.Delete {
			return res.Set("provider", other.Reference()) == nil
		}
	}
	for _, other := range r.providers {
		if string(other.URN) == urn && !other.Delete {
			again, err := other.Copy()
			if err != nil || again.Detach(r.state) != nil {
				return false
			}
			r.state.Resources = append(r.state.Resources, again)
			return res.Set("provider", again.Reference()) == nil
		}
	}
	return false
}

// leave reports resources that exist in addition to the one in the state.
func (r *recovery) leave(c PendingCreation, ids []string) error {
	for _, id := range ids {
		r.found = append(r.found, newFound(c.Resource, takeover.Duplicate, id))
		r.say("%s has the tags of %s, which an earlier run was stopped while creating, and is not in the state: not deleted; `hypershift-aws sweep` lists it",
			id, subject(c.Resource))
	}
	return nil
}

// add adds the resource to the state under an ID. If another resource has its URN already, the new one replaces that.
func (r *recovery) add(c PendingCreation, id string) error {
	res, err := c.Resource.Copy()
	if err == nil {
		err = res.Set("id", id)
	}
	if err == nil && string(res.Type) == awstype.MainRouteTableAssociation {
		err = res.Set("outputs", r.mainAssociation(res))
	}
	if err == nil && replaceable(res) {
		err = res.Set(replacedNext, true) // until it has been read
	}
	if err == nil && r.providers != nil {
		err = res.Detach(r.state) // only the resource and its provider exist again
	}
	if err != nil {
		return err
	}
	return r.put(c, res)
}

// put adds a resource to the state.
func (r *recovery) put(c PendingCreation, res *state.Resource) error {
	if old := r.state.Live(string(res.URN)); old != nil {
		if old.PendingReplacement {
			r.state.Drop(old)
		} else if err := old.Set("delete", true); err != nil {
			return err
		}
	}
	r.state.Resources = append(r.state.Resources, res)
	r.taken = append(r.taken, taking{c, string(res.ID)})
	return nil
}

// searchAgain searches for creations again, applies all decisions, and keeps in the journal what is still missing.
func (r *recovery) searchAgain(ctx context.Context, missing []PendingCreation) error {
	for _, c := range missing {
		if r.filled(c) && newQuery(c.Resource).Keyed() {
			continue // AWS allows one instance, which is in the state
		}
		if err := r.search(ctx, c); err != nil {
			return &SearchError{err}
		}
	}
	if len(r.ambiguous) > 0 && !r.late {
		return &takeover.AmbiguousError{Lookups: r.ambiguous}
	}
	if err := r.allTaken(); err != nil {
		return err
	}
	if err := r.finish(ctx); err != nil {
		return err
	}
	return r.journal.search(r.missing)
}

// allTaken fails if the user chose an ID that isn't a candidate.
func (r *recovery) allTaken() error {
	for _, id := range r.ids {
		if !slices.ContainsFunc(r.taken, func(t taking) bool { return t.id == id }) {
			return &failure.Error{
				Reason: failure.Refused, Problem: id + " is not a candidate for an interrupted creation of this stack; nothing was changed",
				Remedy: "run `hypershift-aws repair` without --take: it prints the candidates",
			}
		}
	}
	return nil
}

// keepSearching keeps a creation in the list of those to search for, until searchedFor has passed.
func (r *recovery) keepSearching(c PendingCreation) {
	switch {
	case c.Since.IsZero():
		c.Since = time.Now()
		r.say("an earlier run was stopped while creating %s: it was not found in AWS; each run in the next hour searches for it again",
			subject(c.Resource))
	case time.Since(c.Since) > searchedFor:
		r.say("an earlier run was stopped while creating %s: it was not found in AWS within an hour, and is no longer searched for", subject(c.Resource))
		return
	}
	r.found = append(r.found, newFound(c.Resource, takeover.Missing, ""))
	r.missing = append(r.missing, c)
}

func newFound(res *state.Resource, outcome takeover.Outcome, id string) takeover.Found {
	return takeover.Found{Outcome: outcome, ResourceType: string(res.Type), Name: res.URN.Name(), ID: id}
}

// The provider creates some types with several requests. The functions below decide on resources whose creation ended
// between two of them: by a kill, or because AWS refused the next one. What a resource lacks that a refresh shows, the
// next update sets.

// replacedNext is the field of a resource of the state that makes the engine replace it in the next update.
const replacedNext = "taint"

// isOwn reports whether a resource that a search found is the stack's, by its tags in AWS. One without tags is if it is
// part of what is the stack's, or if the provider tags the type later, and the resource was created since the run began
// or the user has decided for it.
func (r *recovery) isOwn(t taking, query account.Query, tags map[string]any) bool {
	if query.CarriedBy(tags) || len(tags) > 0 {
		return query.CarriedBy(tags)
	}
	return r.ours(query) || query.TaggedLater() && (r.dated[t.id] || slices.Contains(r.ids, t.id))
}

// replaceable reports whether the next update replaces a resource of that type if its creation was not completed. The
// group of a VPC endpoint keeps AWS's egress rule, as it does where HyperShift's operator has created it: its program
// refers to an existing group by its ID, so that the engine does not replace it, and no connection begins at an
// endpoint.
func replaceable(res *state.Resource) bool {
	return len(newQuery(res).Emptied()) > 0 && !strings.Contains(string(res.URN.QualifiedType()),
		recorded.EndpointType+"$")
}

// judgeCompleteness decides whether the next update replaces a resource that was added to the state, because its
// creation was interrupted before the provider removed what AWS creates with it. Nothing depends on it yet. inputs are
// those of the creation. It reports whether it has changed the state.
func (r *recovery) judgeCompleteness(found *state.Resource, inputs map[string]any) (changed bool, err error) {
	if !replaceable(found) || r.isIncomplete(found, inputs) {
		return false, nil
	}
	return true, found.Set(replacedNext, false)
}

// isIncomplete reports whether a resource has outputs that AWS gives it at its creation, and logs that.
func (r *recovery) isIncomplete(found *state.Resource, inputs map[string]any) bool {
	for _, output := range newQuery(found).Emptied() {
		if rest, _ := found.Outputs[output].([]any); len(rest) > 0 && inputs[output] == nil {
			r.say("%s (%s) is not complete: it has the %s rules with which AWS creates it; the next `up` replaces it", subject(found), found.ID, output)
			return true
		}
	}
	return false
}

// markIncomplete lets the next update replace each resource of the state that is not complete: AWS refused a request of
// its creation, and the engine recorded it nevertheless. One on which others depend is in use, and is left as it is. It
// reports whether it has changed the state.
func (r *recovery) markIncomplete() (changed bool, err error) {
	for _, found := range r.state.Resources {
		if !found.Custom || found.External || found.Delete || found.Taint || !replaceable(found) || r.state.Needed(found) ||
			!r.isIncomplete(found, found.Inputs) {
			continue
		}
		if err := found.Set(replacedNext, true); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}
