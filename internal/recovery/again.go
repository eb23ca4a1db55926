package recovery

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// SearchAgain searches for the creations of earlier runs that were not found in AWS so far. A resource that is found is added to the state;
// it is deleted if the state has the resource by now, or if discard is set. Without such creations it calls neither AWS nor the engine.
func SearchAgain(ctx context.Context, stack Stack, j Journal, discard bool, say func(report.Event)) error {
	missing, err := j.awaited()
	if err != nil || len(missing) == 0 {
		return err
	}
	r := &recovery{stack: stack, journal: j, discards: discard, report: say}
	if r.state, err = stack.State(ctx); err != nil {
		return err
	}
	if r.before, err = r.state.Copy(); err != nil {
		return err
	}
	return r.searchAgain(ctx, missing)
}

// searchAgain searches for creations again, applies the decisions, and keeps in the journal what is still missing.
func (r *recovery) searchAgain(ctx context.Context, missing []awaited) error {
	for _, a := range missing {
		if err := r.settleAgain(ctx, a); err != nil {
			return &SearchError{err}
		}
	}
	if err := r.finish(ctx); err != nil {
		return err
	}
	return r.journal.await(r.missing)
}

// newAwaited returns a creation to search for from now on.
func (r *recovery) newAwaited(res *state.Resource) awaited {
	return awaited{Resource: res, Provider: r.state.Referred(res.Provider), Since: time.Now()}
}

// keepSearching keeps a creation in the list of those to search for, until Awaited has passed.
func (r *recovery) keepSearching(a awaited) {
	switch wait := time.Since(a.Since); {
	case wait > Awaited:
		r.say("an earlier run was stopped while creating %s: it was not found in AWS within an hour, and is no longer searched for", subject(a.Resource))
		return
	case wait < time.Minute: // otherwise an earlier run has reported it
		r.say("an earlier run was stopped while creating %s: it was not found in AWS; each run in the next hour searches for it again",
			subject(a.Resource))
	}
	r.missing = append(r.missing, a)
}

// settleAgain decides on a creation that was not found in AWS so far.
func (r *recovery) settleAgain(ctx context.Context, a awaited) error {
	res := a.Resource
	if r.keepSurplus(a) {
		return nil
	}
	live := r.state.Live(string(res.URN))
	filled := live != nil && !live.PendingReplacement
	query := queryOf(res)
	if filled && query.Keyed() || !query.Identified() && !r.ours(query) {
		return nil // AWS allows one instance, which is in the state; or the resource that it is part of no longer exists
	}
	if !r.findProvider(a) {
		return nil
	}
	ids, err := r.candidates(ctx, res, query)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		r.keepSearching(a)
		return nil
	case filled || r.discards:
		_, err := r.discard(a, ids)
		return err
	}
	return r.take(a, ids)
}

// findProvider sets the resource's provider to one in the state: another instance of the same provider, or the one that it had at the first
// search. It reports false if there is none.
func (r *recovery) findProvider(a awaited) bool {
	res := a.Resource
	if r.state.Referred(res.Provider) != nil {
		return true
	}
	urn := res.Provider[:max(0, strings.LastIndex(res.Provider, "::"))]
	for _, other := range r.state.Resources {
		if string(other.URN) == urn && !other.Delete {
			return res.Set("provider", other.Reference()) == nil
		}
	}
	if a.Provider == nil {
		return false
	}
	r.state.Resources = append(r.state.Resources, a.Provider)
	r.addedProviders = append(r.addedProviders, string(a.Provider.URN))
	return true
}

// surplus is a resource that exists in addition to the one that the stack needs. Until it is deleted, it is in the state under a separate
// URN.
type surplus struct {
	awaited
	urn, id string
	// verified is true if the resource has this stack's tags in AWS.
	verified bool
}

// surplusMark separates the URN of the needed resource from the surplus resource's ID in the URN of the surplus resource.
const surplusMark = "-surplus-"

// discard adds the resources with those IDs to the state for deletion, and reports whether there are any. Only a tag that names the stack
// proves that they belong to it.
func (r *recovery) discard(a awaited, ids []string) (bool, error) {
	if len(ids) > 0 && !queryOf(a.Resource).Identified() {
		r.say("AWS may have further instances of %s that are not in the state; check whether they are needed, or delete them: %s",
			subject(a.Resource), strings.Join(ids, ", "))
		return false, nil
	}
	for _, id := range ids {
		s := &surplus{awaited: a, urn: string(a.Resource.URN) + surplusMark + id, id: id}
		res, err := a.Resource.Detached(s.urn, id)
		if err != nil {
			return false, err
		}
		r.state.Resources = append(r.state.Resources, res)
		r.surplus = append(r.surplus, s)
	}
	return len(ids) > 0, nil
}

// keepSurplus finds in the state the surplus resources that an earlier run added and did not delete.
func (r *recovery) keepSurplus(a awaited) bool {
	found := false
	for _, other := range r.state.Resources {
		if strings.HasPrefix(string(other.URN), string(a.Resource.URN)+surplusMark) {
			r.surplus = append(r.surplus, &surplus{awaited: a, urn: string(other.URN), id: string(other.ID), verified: true})
			found = true
		}
	}
	return found
}

// verifySurplus reads surplus resources from AWS, and reports whether the state must be written again.
func (r *recovery) verifySurplus() (write bool) {
	r.surplus = slices.DeleteFunc(r.surplus, func(s *surplus) bool {
		found := r.state.Live(s.urn)
		if found == nil {
			return true // it no longer exists
		}
		if s.verified {
			return false
		}
		tags, _ := found.Outputs["tagsAll"].(map[string]any)
		if s.verified = len(tags) > 0 && queryOf(s.Resource).CarriedBy(tags); s.verified {
			return false
		}
		r.state.Drop(found)
		write = true
		r.say("%s exists in addition to %s, but does not have this stack's tags: it was not changed", s.id, subject(s.Resource))
		return true
	})
	return write
}

// deleteSurplus deletes surplus resources and their entries in the state. A resource that cannot be deleted stays in the journal, and the
// next run tries again.
func (r *recovery) deleteSurplus(ctx context.Context) error {
	var targets []string
	if r.discards {
		targets = r.addedProviders // nothing else needs them
	}
	for _, s := range r.surplus {
		targets = append(targets, s.urn)
	}
	if len(targets) == 0 {
		return nil
	}
	if err := r.stack.Delete(ctx, targets); err != nil {
		for _, s := range r.surplus {
			r.missing = append(r.missing, s.awaited)
		}
		return errors.Join(err, r.journal.await(r.missing))
	}
	for _, s := range r.surplus {
		r.say("an earlier run was stopped while creating %s: found it as %s, which the stack no longer needs, and deleted it",
			subject(s.Resource), s.id)
	}
	return nil
}
