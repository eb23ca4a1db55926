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

// SearchAgain looks for the creations of earlier runs that AWS did not show so far: what turns up is taken into the state, or deleted
// where the state has the resource by now or discard says so. It calls neither AWS nor the engine where nothing is looked for.
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
	return r.seek(ctx, missing)
}

// seek looks for creations again, carries out what was decided, and keeps what is still missing in the journal.
func (r *recovery) seek(ctx context.Context, missing []awaited) error {
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

// awaiting is a creation that is looked for from now on.
func (r *recovery) awaiting(res *state.Resource) awaited {
	return awaited{Resource: res, Provider: r.state.Referred(res.Provider), Since: time.Now()}
}

// miss has a creation looked for again.
func (r *recovery) miss(a awaited) {
	switch wait := time.Since(a.Since); {
	case wait > Awaited:
		r.say("an earlier run was stopped while creating %s: AWS has shown nothing of it since, and it is no longer looked for", subject(a.Resource))
		return
	case wait < time.Minute: // else it was said in an earlier run
		r.say("an earlier run was stopped while creating %s: AWS shows nothing of it; it is looked for again at the end of each run, for an hour",
			subject(a.Resource))
	}
	r.missing = append(r.missing, a)
}

// settleAgain decides on a creation of which AWS showed nothing so far.
func (r *recovery) settleAgain(ctx context.Context, a awaited) error {
	res := a.Resource
	if r.keepSurplus(a) {
		return nil
	}
	live := r.state.Live(string(res.URN))
	filled := live != nil && !live.PendingReplacement
	query := queryOf(res)
	if filled && query.Keyed() || !query.Identified() && !r.ours(query) {
		return nil // AWS allows one of them, and it is in the state; or what it would be part of is gone
	}
	if !r.provide(a) {
		return nil
	}
	ids, err := r.candidates(ctx, res, query)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		r.miss(a)
		return nil
	case filled || r.discards:
		_, err := r.discard(a, ids)
		return err
	}
	return r.take(a, ids)
}

// provide has the resource name a provider that the state has: another instance of the same, or the one that it had when it was first
// looked for. It reports false where there is none.
func (r *recovery) provide(a awaited) bool {
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
	r.lent = append(r.lent, string(a.Provider.URN))
	return true
}

// surplus is a resource beside the one that the stack needs. It is in the state, under a URN of its own, until it is deleted.
type surplus struct {
	awaited
	urn, id string
	// verified is whether AWS shows it with this stack's tags.
	verified bool
}

// surplusMark is what the URN of a surplus resource has between that of the one that the stack needs and its own ID.
const surplusMark = "-surplus-"

// discard puts the resources with those IDs into the state to be deleted, and reports whether there are any. Only a tag that names the
// stack makes sure that they are its own.
func (r *recovery) discard(a awaited, ids []string) (bool, error) {
	if len(ids) > 0 && !queryOf(a.Resource).Identified() {
		r.say("there may be more of %s that are in no state; look whether they are needed, and delete them: %s",
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

// keepSurplus finds in the state what an earlier run put there to be deleted, and did not delete.
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

// verifySurplus looks at surplus resources as AWS shows them, and reports whether the state is to be written again.
func (r *recovery) verifySurplus() (write bool) {
	r.surplus = slices.DeleteFunc(r.surplus, func(s *surplus) bool {
		found := r.state.Live(s.urn)
		if found == nil {
			return true // it is gone
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
		r.say("%s is there beside %s, but without this stack's tags: it is left alone", s.id, subject(s.Resource))
		return true
	})
	return write
}

// deleteSurplus deletes surplus resources, and what was put into the state for it. What cannot be deleted stays in the journal, and is
// tried again by the next run.
func (r *recovery) deleteSurplus(ctx context.Context) error {
	var targets []string
	if r.discards {
		targets = r.lent // nothing else is left that needs them
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
		r.say("an earlier run was stopped while creating %s: it turned up as %s, which the stack does not need any more, and was deleted",
			subject(s.Resource), s.id)
	}
	return nil
}
