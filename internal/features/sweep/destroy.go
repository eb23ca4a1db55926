package sweep

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// DestroyOptions configure the deletion of leftovers immediately after a stack's cluster.
type DestroyOptions struct {
	// Data includes volumes, snapshots and buckets.
	Data bool
	// Decided is true if the operation has deleted the cluster, or has verified that it no longer exists; Deleted only if
	// it has deleted it.
	Decided, Deleted bool
	// Own are the resources of the stack's state: they are not leftovers.
	Own []*state.Resource
	// Log is called with a sentence for each resource that is deleted, is not deleted, or could not be deleted.
	Log func(sentence string)
}

// Left lists what a destroy's sweep leaves in an account, and why.
type Left struct {
	Place inventory.Place
	// InfraID is the cluster's.
	InfraID string
	// Kept are the resources that a gate refuses, but those that a destroy keeps: resources of stacks, and data.
	Kept   []inventory.Kept
	Failed []inventory.Failure
	// Living is why the cluster is alive, or may be; "" if it is gone, or has left nothing.
	Living string
}

// serviceTag is the tag that Kubernetes gives the load balancer of a Service. Its value is the Service's namespace and
// name.
const serviceTag = "kubernetes.io/service-name"

// NoteHosts records in the journal the hosts that DNS records may point at while the cluster exists: load balancers and
// endpoints with its tag, and the load balancers of its control plane, whose namespace in the management cluster is
// given, "" for none. By these hosts, AfterCluster finds records that are left. It also records that the stack applies
// the cluster in a management cluster.
func (c *Scope) NoteHosts(ctx context.Context, aws account.Account, namespace string) error {
	facts, err := Search(ctx, aws, c.Journals, time.Now(), func(s awstype.Type) bool {
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
	if facts.Before[c.InfraID].Seen == "" {
		if err := journal.Note(inventory.SweepEntry{
			Time:  time.Now(),
			Event: inventory.EventSeen,
			Seen:  "a stack has applied it",
		}); err != nil {
			return err
		}
	}
	for _, l := range facts.Found {
		controlPlane := namespace != "" && strings.HasPrefix(l.Tags[serviceTag], namespace+"/")
		if len(l.Hosts) == 0 || known[l.Hosts[0]] || account.ClusterTag(l, c.InfraID) != "owned" && !controlPlane {
			continue
		}
		if err := journal.Note(inventory.SweepEntry{
			Time:  time.Now(),
			Event: inventory.EventSeen,
			Type:  l.Type,
			ID:    l.ID,
			Name:  l.Name(),
			Hosts: l.Hosts,
		}); err != nil {
			return err
		}
	}
	return facts.incomplete()
}

// AfterCluster deletes what the cluster's operators left in an account. The cluster has just been deleted, so nothing
// else will delete it. It returns what is left.
func (c *Scope) AfterCluster(ctx context.Context, aws account.Account, o DestroyOptions) (Left, error) {
	facts, err := Search(ctx, aws, c.Journals, time.Now(), func(s awstype.Type) bool {
		return s.Sweep.Operators || s.Token == awstype.HostedZone
	})
	left := Left{Place: facts.Place, InfraID: c.InfraID}
	if err != nil {
		return left, err
	}
	journal := NewJournal(c.Journals, facts.Place, c.InfraID)
	if o.Deleted && facts.incomplete() == nil {
		if err := facts.noteDeleted(journal, c.InfraID); err != nil {
			return left, err
		}
	}
	naming := c.Naming()
	naming.FormerHosts, naming.CurrentHosts = c.formerHosts, c.currentHosts
	facts.AddRecords(ctx, aws, c.InfraID, naming)
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
		return left, facts.incomplete()
	}
	if err := c.completeOwn(ctx, &facts); err != nil {
		return left, err
	}
	// Instances whose cluster is deleted would run forever.
	p := NewPlan(facts, Options{
		SweepOptions: inventory.SweepOptions{InfraID: c.InfraID, Data: o.Data, Running: true}, Operators: true,
		Decided: o.Decided && !c.NotOwn, Stack: c.stack,
	})
	if p.Life != gates.Gone {
		left.Living = fmt.Sprintf("%s: %s", p.Life, p.Why)
	}
	for _, held := range p.Kept {
		left.hold(held, o.Log)
	}
	run := Run{Account: aws, Journal: journal, Pause: c.Pause, Now: time.Now, Report: func(inventory.SweepEntry) {}}
	result, err := run.Sweep(ctx, facts, p)
	for _, l := range result.Deleted {
		deleted[l.ID] = true
		o.Log("deleted " + Describe(l) + ", which the hosted cluster left")
	}
	for _, held := range result.Kept {
		left.hold(held, o.Log)
	}
	for _, failed := range result.Failed {
		o.Log(fmt.Sprintf("could not delete %s: %v", Describe(failed.Resource), failed.Err))
	}
	left.Failed = result.Failed
	if err != nil {
		return left, err
	}
	return left, facts.incomplete()
}

// noteDeleted records that a cluster has just been deleted, with the launch of the newest instance that AWS has of it:
// it explains those that are left.
func (f Facts) noteDeleted(j Journal, infraID string) error {
	launched := time.Time{}
	for _, l := range f.Found {
		if l.Type == awstype.Instance && account.Carries(l, infraID) && instanceExists(l) && l.Created.After(launched) {
			launched = l.Created
		}
	}
	return j.Note(inventory.SweepEntry{
		Time: time.Now(), Event: inventory.EventSeen, Launched: &launched,
		Seen: "a stack that applied it deleted it on " + time.Now().UTC().Format(time.DateOnly),
	})
}

// hold adds a resource that a gate refuses, and logs it. Resources of stacks and parts of other resources don't count
// as left behind. Data is kept on purpose.
func (l *Left) hold(held inventory.Kept, log func(string)) {
	switch held.Gate {
	case inventory.GateStack, inventory.GatePart:
		return
	case inventory.GateData, inventory.GateTag, inventory.GateAccount:
	default:
		l.Kept = append(l.Kept, held)
	}
	log(fmt.Sprintf("did not delete %s: %s: %s", Describe(held.Resource), held.Gate, held.Why))
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
		if account.Carries(l, infraID) && !own[l.ID] && !own[l.ARN] && l.DeletedWith == "" &&
			typeRecord(l.Type).Sweep.Operators {
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

// Describe names a resource: its type, its ID and its name.
func Describe(l inventory.Resource) string {
	text := Label(l.Type) + " " + l.ID
	if name := l.Name(); name != "" && name != l.ID {
		text += " (" + report.OneLine(name) + ")"
	}
	return text
}
