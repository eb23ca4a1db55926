package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	checks   *checks
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

// pass deletes resources in order, and returns those that AWS may allow to be deleted later.
func (s *sweeping) pass(ctx context.Context, resources []inventory.Resource) (later []inventory.Resource, err error) {
	s.failed = slices.DeleteFunc(s.failed, func(f inventory.Failure) bool {
		return slices.ContainsFunc(resources, func(l inventory.Resource) bool { return l.Type == f.Type && l.ID == f.ID })
	})
	for len(resources) > 0 {
		n := 1
		for n < len(resources) && rank(resources[n]) == rank(resources[0]) {
			n++
		}
		same := resources[:n]
		resources = resources[n:]
		fresh := make([]*inventory.Resource, len(same))
		for i, l := range same {
			if err := ctx.Err(); err != nil {
				return later, err
			}
			if l.Type != awstype.SecurityGroup {
				continue
			}
			if fresh[i], err = s.recheck(ctx, l); err != nil {
				return later, err
			}
			if fresh[i] != nil {
				if err := s.Account.Release(ctx, *fresh[i]); err != nil {
					s.fail(*fresh[i], err)
					fresh[i] = nil
				}
			}
		}
		var waiting []inventory.Resource
		for i, l := range same {
			if err := ctx.Err(); err != nil {
				return later, err
			}
			if l.Type != awstype.SecurityGroup {
				if fresh[i], err = s.recheck(ctx, l); err != nil {
					return later, err
				}
			}
			if fresh[i] == nil {
				continue
			}
			if err := s.Journal.Note(s.entry(inventory.EventDeleting, *fresh[i], "")); err != nil {
				return later, err
			}
			if err := s.Account.Delete(ctx, *fresh[i]); err != nil {
				s.fail(*fresh[i], err)
				if account.Depended(err) {
					later = append(later, *fresh[i])
				} else {
					delete(s.toDelete, l.ID)
				}
				continue
			}
			waiting = append(waiting, *fresh[i])
		}
		if err := s.await(ctx, waiting); err != nil {
			return later, err
		}
	}
	return later, nil
}

func (s *sweeping) fail(l inventory.Resource, err error) {
	s.failed = append(s.failed, inventory.Failure{
		Resource: l,
		Err:      fmt.Errorf("deleting %s %s: %w", typeRecord(l.Type).Label, l.ID, err),
	})
}

// recheck reads a resource again, and returns it if it still passes every gate, otherwise nil. It returns an error if
// the journal cannot be written.
func (s *sweeping) recheck(ctx context.Context, l inventory.Resource) (*inventory.Resource, error) {
	now, err := account.Describe(ctx, s.Account, l)
	switch {
	case err != nil:
		s.fail(l, err)
		return nil, nil
	case now == nil:
		s.result.Gone = append(s.result.Gone, l)
		return nil, s.say(inventory.EventGone, l, "")
	}
	gate, why := s.checks.gate(*now)
	if l.Type == awstype.Record {
		now.UsedBy = l.UsedBy
		if gate == "" && !slices.Equal(now.Hosts, l.Hosts) {
			gate, why = inventory.GateInUse, "it points at "+strings.Join(now.Hosts, ", ")+" now"
		}
	}
	if gate == "" {
		gate, why = s.checks.used(*now, s.toDelete)
	}
	if gate == "" {
		return now, nil
	}
	delete(s.toDelete, l.ID)
	s.result.Held = append(s.result.Held, inventory.Held{Resource: *now, Gate: gate, Why: why})
	return nil, s.say(inventory.EventHeld, l, string(gate)+": "+why)
}

func (s *sweeping) say(event inventory.SweepEvent, l inventory.Resource, why string) error {
	e := s.entry(event, l, why)
	s.Report(e)
	return s.Journal.Note(e)
}

// await waits until AWS has finished the deletions, each for at most the time in the type's record.
func (s *sweeping) await(ctx context.Context, deleting []inventory.Resource) error {
	for _, l := range deleting {
		most := typeRecord(l.Type).Deletion.Wait
		s.maxWait = max(s.maxWait, most)
		for waited := time.Duration(0); waited < most; waited += pollEvery {
			now, err := account.Describe(ctx, s.Account, l)
			if err == nil && now == nil {
				break
			}
			if err := s.Pause(ctx, pollEvery); err != nil {
				return err
			}
		}
		s.result.Deleted = append(s.result.Deleted, l)
		if err := s.say(inventory.EventDeleted, l, ""); err != nil {
			return err
		}
	}
	return nil
}
