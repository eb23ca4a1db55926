package sweep

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// DestroyOptions configure the deletion of leftovers immediately after a stack's cluster.
type DestroyOptions struct {
	// Data includes volumes, snapshots and buckets.
	Data bool
	// ManagementDeleted is true if the user confirms that the management cluster no longer exists.
	ManagementDeleted bool
	// Own are the resources of the stack's state: they are not leftovers.
	Own []*state.Resource
	// Log is called with a sentence for each resource that is deleted, is not deleted, or could not be deleted.
	Log func(sentence string)
}

// serviceTag is the tag by which Kubernetes marks the load balancer of a service; its value is the service's namespace and name.
const serviceTag = "kubernetes.io/service-name"

// NoteHosts records in the journal the hosts that DNS records may point at while the cluster exists: load balancers and endpoints with its
// tag, and the load balancers of its control plane, whose namespace in the management cluster is given, "" for none. By these hosts,
// AfterCluster finds records that are left.
func (c *Scope) NoteHosts(ctx context.Context, account orphan.Sweepable, namespace string) error {
	facts, err := Search(ctx, account, c.Journals, time.Now(), func(s awstype.Sweep) bool {
		return s.Token == awstype.LoadBalancer || s.Token == awstype.ClassicLoadBalancer || s.Token == awstype.VPCEndpoint
	})
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, host := range facts.Before[c.InfraID].Hosts {
		known[host] = true
	}
	journal := NewJournal(c.Journals, facts.Place, c.InfraID)
	for _, l := range facts.Found {
		controlPlane := namespace != "" && strings.HasPrefix(l.Tags[serviceTag], namespace+"/")
		if len(l.Hosts) == 0 || known[l.Hosts[0]] || l.ClusterTag(c.InfraID) != "owned" && !controlPlane {
			continue
		}
		if err := journal.Note(Entry{Time: time.Now(), Event: EventSeen, Type: l.Type, ID: l.ID, Name: l.Name(), Hosts: l.Hosts}); err != nil {
			return err
		}
	}
	return facts.incomplete()
}

// AfterCluster deletes what the cluster's operators left in an account. The cluster has just been deleted, so nothing else will delete it.
func (c *Scope) AfterCluster(ctx context.Context, account orphan.Sweepable, o DestroyOptions) error {
	facts, err := Search(ctx, account, c.Journals, time.Now(), func(s awstype.Sweep) bool { return s.Operators || s.Token == awstype.HostedZone })
	if err != nil {
		return err
	}
	naming := c.Naming()
	naming.FormerHosts, naming.CurrentHosts = c.formerHosts, c.currentHosts
	facts.AddRecords(ctx, account, c.InfraID, naming)
	// A record in another account may point at a host that this account had.
	c.formerHosts = append(append(c.formerHosts, facts.Before[c.InfraID].Hosts...), facts.Hosts()...)
	deleted := map[string]bool{}
	defer func() {
		for _, l := range facts.Found {
			if !deleted[l.ID] {
				c.currentHosts = append(c.currentHosts, l.Hosts...)
			}
		}
	}()
	if !facts.hasLeftovers(c.InfraID, o.Own) {
		return facts.incomplete()
	}
	if err := c.complete(ctx, &facts); err != nil {
		return err
	}
	// Instances whose cluster is deleted would run forever.
	p := NewPlan(facts, Options{InfraID: c.InfraID, Data: o.Data, Running: true, ManagementDeleted: o.ManagementDeleted, Operators: true})
	for _, held := range p.Held {
		if held.Gate != GateStack && held.Gate != GatePart {
			o.Log(fmt.Sprintf("did not delete %s: %s: %s", describe(held.Leftover), held.Gate, held.Why))
		}
	}
	run := Run{Account: account, Journal: NewJournal(c.Journals, facts.Place, c.InfraID), Pause: c.Pause(), Now: time.Now, Report: func(Entry) {}}
	result, err := run.Sweep(ctx, facts, p)
	for _, l := range result.Deleted {
		deleted[l.ID] = true
		o.Log("deleted " + describe(l) + ", which the hosted cluster left")
	}
	for _, failed := range result.Failed {
		o.Log(fmt.Sprintf("could not delete %s: %v", describe(failed.Leftover), failed.Err))
	}
	if err != nil {
		return err
	}
	return facts.incomplete()
}

// Pause returns the function by which a run waits: offline it does not wait.
func (c *Scope) Pause() func(context.Context, time.Duration) error {
	if c.Project.Offline() {
		return func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	return Wait
}

// hasLeftovers reports whether an account has resources of the cluster that are not the stack's own.
func (f Facts) hasLeftovers(infraID string, resources []*state.Resource) bool {
	own := map[string]bool{}
	for _, r := range resources {
		own[string(r.ID)] = true
		arn, _ := r.Outputs["arn"].(string)
		own[arn] = true
	}
	delete(own, "") // most types have no ARN
	for _, l := range f.Found {
		if l.Carries(infraID) && !own[l.ID] && !own[l.ARN] && l.Kept == "" && sweepOf(l.Type).Operators {
			return true
		}
	}
	return false
}

// incomplete returns the error of types that could not be listed, or nil if nothing is missing.
func (f Facts) incomplete() error {
	var errs []error
	for _, m := range f.Missing {
		errs = append(errs, m.Err)
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("the list is incomplete: %w", errors.Join(errs...))
}

// describe names a resource: its type, its ID and its name.
func describe(l orphan.Leftover) string {
	text := Label(l.Type) + " " + l.ID
	if name := l.Name(); name != "" && name != l.ID {
		text += " (" + name + ")"
	}
	return text
}
