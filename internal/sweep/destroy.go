package sweep

import (
	"context"
	"fmt"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// DestroyOptions say what is deleted right after a stack's cluster.
type DestroyOptions struct {
	// Domains are those whose ingress record may be the cluster's.
	Domains []string
	// Data includes volumes, snapshots and buckets.
	Data bool
	// Own are the resources of the stack's state: they are not left behind.
	Own []*state.Resource
	// Tell is told in a sentence of each resource that is deleted, is left or could not be deleted.
	Tell func(sentence string)
}

// NoteBalancers notes the names of the cluster's load balancers while it is there: records that are left behind are known by them.
func (c *Scope) NoteBalancers(ctx context.Context, account orphan.Sweepable) error {
	facts, err := Search(ctx, account, c.Journals, time.Now())
	if err != nil {
		return err
	}
	journal := NewJournal(c.Journals, facts.Place, c.InfraID)
	for _, l := range facts.Found {
		if l.Host == "" || l.ClusterTag(c.InfraID) != "owned" || l.Type == awstype.HostedZone {
			continue
		}
		if err := journal.Note(Entry{Time: time.Now(), Event: EventSeen, Type: l.Type, ID: l.ID, Name: l.Name(), Host: l.Host}); err != nil {
			return err
		}
	}
	return nil
}

// AfterCluster deletes what the cluster's operators left behind in an account. The cluster was deleted a moment ago, so that nothing else
// will delete it.
func (c *Scope) AfterCluster(ctx context.Context, account orphan.Sweepable, o DestroyOptions) error {
	facts, err := Search(ctx, account, c.Journals, time.Now())
	if err != nil {
		return err
	}
	facts.AddRecords(ctx, account, c.InfraID, o.Domains...)
	if !facts.leftBehind(c.InfraID, o.Own) {
		return facts.incomplete()
	}
	if err := c.complete(ctx, &facts); err != nil {
		return err
	}
	// Instances whose cluster is gone would run for ever.
	made := Make(facts, Options{InfraID: c.InfraID, Data: o.Data, Running: true})
	for _, held := range made.Held {
		if held.Gate != GateStack && held.Gate != GatePart {
			o.Tell(fmt.Sprintf("left %s: %s: %s", describe(held.Leftover), held.Gate, held.Why))
		}
	}
	run := Run{Account: account, Journal: NewJournal(c.Journals, facts.Place, c.InfraID), Pause: c.Pause(), Now: time.Now, Report: func(Entry) {}}
	result, err := run.Sweep(ctx, facts, made)
	for _, l := range result.Deleted {
		o.Tell("deleted " + describe(l) + ", which the hosted cluster left behind")
	}
	for _, failed := range result.Failed {
		o.Tell(fmt.Sprintf("could not delete %s: %v", describe(failed.Leftover), failed.Err))
	}
	if err != nil {
		return err
	}
	return facts.incomplete()
}

// Pause is how a run in the scope waits: an offline account has nothing to wait for.
func (c *Scope) Pause() func(context.Context, time.Duration) error {
	if c.Project.Offline() {
		return func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	return Wait
}

// leftBehind is whether an account has something of the cluster that is not among the stack's own resources.
func (f Facts) leftBehind(infraID string, resources []*state.Resource) bool {
	own := map[string]bool{}
	for _, r := range resources {
		own[string(r.ID)] = true
		arn, _ := r.Outputs["arn"].(string)
		own[arn] = true
	}
	for _, l := range f.Found {
		if l.Carries(infraID) && !own[l.ID] && !own[l.ARN] && l.Kept == "" {
			return true
		}
	}
	return false
}

// incomplete is the error of what could not be listed, nil where nothing is missing.
func (f Facts) incomplete() error {
	for _, m := range f.Missing {
		return fmt.Errorf("the list is incomplete: %w", m.Err)
	}
	return nil
}

// describe names a resource: its type, its ID and its name.
func describe(l orphan.Leftover) string {
	text := Label(l.Type) + " " + l.ID
	if name := l.Name(); name != "" && name != l.ID {
		text += " (" + name + ")"
	}
	return text
}
