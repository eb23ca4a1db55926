package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Run carries out plans.
type Run struct {
	Account account.Account
	Journal Journal
	// Report is called for each resource with its result.
	Report func(inventory.SweepEntry)
	// Pause waits; it fails when the context ends.
	Pause func(ctx context.Context, d time.Duration) error
	Now   func() time.Time
	// By is the user, and Version this program's version, for the journal.
	By, Version string
}

// pollEvery is how long a run waits between two reads of resources in deletion.
const pollEvery = 5 * time.Second

// Sweep deletes the plan's resources in their order. Each is read again immediately before, and must pass the same
// gates. A resource whose deletion fails is skipped, and tried again if AWS refuses it only because of another
// resource. It returns an error if it cannot continue: the journal cannot be written, or the context has ended.
func (r *Run) Sweep(ctx context.Context, f Facts, p Plan) (inventory.Swept, error) {
	s := &sweeping{Run: r, checks: newChecks(f, p.options), toDelete: map[string]bool{}}
	for _, l := range p.Delete {
		s.toDelete[l.ID] = true
		for _, id := range l.Interfaces {
			s.toDelete[id] = true
		}
	}
	if len(p.Delete) == 0 {
		return s.result, nil
	}
	begun := inventory.SweepEntry{Time: r.Now(), Event: inventory.EventBegun, Youngest: p.Youngest,
		Seen:    f.seen(p.Options.InfraID),
		Consent: p.options.Consent, By: r.By, Version: r.Version}
	if err := r.Journal.Note(begun); err != nil {
		return s.result, err
	}
	left, err := s.pass(ctx, p.Delete)
	// Network interfaces of load balancers and endpoints disappear some time after them.
	for waited := time.Duration(0); err == nil && len(left) > 0 && waited < s.maxWait; waited += pollEvery {
		if err = r.Pause(ctx, pollEvery); err == nil {
			left, err = s.pass(ctx, left)
		}
	}
	for _, failure := range s.failed {
		s.result.Failed = append(s.result.Failed, failure)
		note := r.Journal.Note(s.entry(inventory.EventFailed, failure.Resource, failure.Err.Error()))
		err = errors.Join(err, note)
		r.Report(s.entry(inventory.EventFailed, failure.Resource, failure.Err.Error()))
	}
	return s.result, err
}

// sweeping is a run in progress.
type sweeping struct {
	*Run
	checks *checks
	// mutex is locked for what is to be deleted, and for the journal.
	mutex    sync.Mutex
	toDelete map[string]bool
	result   inventory.Swept
	// failed are the failures of the last pass.
	failed []inventory.Failure
	// maxWait is the maximum time that AWS takes to finish the deletions.
	maxWait time.Duration
}

func (s *sweeping) entry(event inventory.SweepEvent, l inventory.Resource, why string) inventory.SweepEntry {
	return inventory.SweepEntry{
		Time:  s.Now(),
		Event: event,
		Type:  l.Type,
		ID:    l.ID,
		Name:  l.Name(),
		Hosts: l.Hosts,
		Why:   why,
	}
}

// atOnce is how many resources a run deletes at the same time. The account limits the requests to each service, and
// sends fewer if that throttles.
const atOnce = 20

// pass deletes resources in order, and returns those that AWS may allow to be deleted later. Those of a rank depend on
// none of the same rank, and are deleted at the same time.
func (s *sweeping) pass(ctx context.Context, resources []inventory.Resource) (later []inventory.Resource, err error) {
	s.failed = slices.DeleteFunc(s.failed, func(f inventory.Failure) bool {
		return slices.ContainsFunc(resources, func(l inventory.Resource) bool { return l.Type == f.Type && l.ID == f.ID })
	})
	for len(resources) > 0 {
		n := 1
		for n < len(resources) && rank(resources[n]) == rank(resources[0]) {
			n++
		}
		deletions := make([]*deletion, n)
		for i, l := range resources[:n] {
			deletions[i] = &deletion{resource: l}
		}
		resources = resources[n:]
		waiting, err := s.deleteAll(ctx, deletions)
		for _, d := range deletions {
			if d.later {
				later = append(later, *d.fresh)
			}
		}
		if err == nil {
			err = s.await(ctx, waiting)
		}
		if err != nil {
			return later, err
		}
	}
	return later, nil
}

// deletion is a resource that is deleted.
type deletion struct {
	resource inventory.Resource
	// fresh is the resource as it is now if it may be deleted, nil otherwise.
	fresh *inventory.Resource
	// found is what was found instead, nil if it may be deleted or reading it failed.
	found *inventory.SweepEntry
	held  *inventory.Kept
	// err is why it was not deleted, and later whether AWS may allow it later.
	err   error
	later bool
	begun bool
}

// deleteAll deletes resources of one rank, and returns those whose deletion has begun. What became of them is reported
// in their order.
func (s *sweeping) deleteAll(ctx context.Context, deletions []*deletion) (waiting []inventory.Resource, err error) {
	groups := slices.DeleteFunc(slices.Clone(deletions), func(d *deletion) bool {
		return d.resource.Type != awstype.SecurityGroup
	})
	// All groups forget each other before the first one is deleted.
	err = s.each(ctx, groups, func(d *deletion) error {
		if s.recheck(ctx, d); d.fresh != nil {
			d.err = s.Account.Release(ctx, *d.fresh)
		}
		return nil
	})
	if err == nil {
		err = s.each(ctx, deletions, func(d *deletion) error {
			if d.resource.Type != awstype.SecurityGroup {
				s.recheck(ctx, d)
			}
			if d.fresh == nil || d.err != nil {
				return nil
			}
			if err := s.note(s.entry(inventory.EventDeleting, *d.fresh, "")); err != nil {
				return err
			}
			d.begun = true
			d.err = s.Account.Delete(ctx, *d.fresh)
			if d.later = d.err != nil && account.Depended(d.err); d.err != nil && !d.later {
				s.stays(d.resource)
			}
			return nil
		})
	}
	for _, d := range deletions {
		switch {
		case d.err != nil:
			l := d.resource
			if d.fresh != nil {
				l = *d.fresh
			}
			s.fail(l, d.err)
		case d.found != nil:
			if d.held != nil {
				s.result.Kept = append(s.result.Kept, *d.held)
			} else {
				s.result.Gone = append(s.result.Gone, d.resource)
			}
			s.Report(*d.found)
			err = errors.Join(err, s.note(*d.found))
		case d.begun:
			waiting = append(waiting, *d.fresh)
		}
	}
	return waiting, err
}

// each calls do for deletions, atOnce at the same time; for records one after the other, because Route 53 changes a
// zone once at a time. After an error, or the end of the context, it begins no others.
func (s *sweeping) each(ctx context.Context, deletions []*deletion, do func(*deletion) error) error {
	together := atOnce
	if len(deletions) > 0 && deletions[0].resource.Type == awstype.Record {
		together = 1
	}
	for some := range slices.Chunk(deletions, together) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := account.Gather(some, func(d *deletion) ([]struct{}, error) { return nil, do(d) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *sweeping) fail(l inventory.Resource, err error) {
	s.failed = append(s.failed, inventory.Failure{
		Resource: l,
		Err:      fmt.Errorf("deleting %s %s: %w", typeRecord(l.Type).Label, l.ID, err),
	})
}

// recheck reads a resource again, which is then fresh if it still passes every gate.
func (s *sweeping) recheck(ctx context.Context, d *deletion) {
	l := d.resource
	now, err := account.Describe(ctx, s.Account, l)
	switch {
	case err != nil:
		d.err = err
		return
	case now == nil:
		gone := s.entry(inventory.EventGone, l, "")
		d.found = &gone
		return
	}
	gate, why := s.checks.gate(*now)
	if l.Type == awstype.Record {
		now.UsedBy = l.UsedBy
		if gate == "" && !slices.Equal(now.Hosts, l.Hosts) {
			gate, why = inventory.GateInUse, "it points at "+strings.Join(now.Hosts, ", ")+" now"
		}
	}
	if gate == "" {
		s.mutex.Lock()
		gate, why = s.checks.used(*now, s.toDelete)
		s.mutex.Unlock()
	}
	if gate == "" {
		d.fresh = now
		return
	}
	s.stays(l)
	held := s.entry(inventory.EventKept, l, string(gate)+": "+why)
	d.found, d.held = &held, &inventory.Kept{Resource: *now, Gate: gate, Why: why}
}

// stays notes that a resource is not deleted: what it uses is not deleted either.
func (s *sweeping) stays(l inventory.Resource) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.toDelete, l.ID)
}

// note writes to the journal.
func (s *sweeping) note(e inventory.SweepEntry) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.Journal.Note(e)
}

func (s *sweeping) say(event inventory.SweepEvent, l inventory.Resource, why string) error {
	e := s.entry(event, l, why)
	s.Report(e)
	return s.note(e)
}

// await waits until AWS has finished the deletions, each for at most the time in the type's record.
func (s *sweeping) await(ctx context.Context, deleting []inventory.Resource) error {
	waits := make([]*deletion, len(deleting))
	for i, l := range deleting {
		waits[i] = &deletion{resource: l}
		s.maxWait = max(s.maxWait, typeRecord(l.Type).Deletion.Wait)
	}
	err := s.each(ctx, waits, func(d *deletion) error {
		for waited := time.Duration(0); waited < typeRecord(d.resource.Type).Deletion.Wait; waited += pollEvery {
			now, err := account.Describe(ctx, s.Account, d.resource)
			if err == nil && now == nil {
				break
			}
			if err := s.Pause(ctx, pollEvery); err != nil {
				return err
			}
		}
		d.begun = true
		return nil
	})
	for _, d := range waits {
		if !d.begun {
			continue
		}
		s.result.Deleted = append(s.result.Deleted, d.resource)
		err = errors.Join(err, s.say(inventory.EventDeleted, d.resource, ""))
	}
	return err
}
