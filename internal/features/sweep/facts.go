package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// Facts are the inputs of a plan.
type Facts struct {
	// Place is the account and region that were searched.
	Place inventory.Place
	// Found is the account's resources, and Missing the types that could not be listed.
	Found   []inventory.Resource
	Missing []account.Missing
	// InState names the stack by the ID or the ARN of each resource in a state of the backend.
	InState map[string]string
	// Files maps a stack's name to the text of its file: resources whose ID is in a file are used by that stack.
	Files map[string]string
	// States maps the name of a stack whose file is not known to the text of its state: resources whose ID is in it are
	// used by that stack.
	States map[string]string
	// Unlocated maps such stacks of the project that have applied objects to the UIDs of their management clusters, "" for
	// one that is not recorded.
	Unlocated map[string]string
	// StacksOf maps a cluster's infra ID to its stack.
	StacksOf map[string]string
	// Applied names by a cluster's infra ID the stack that applies, or has applied, the cluster's objects in a management
	// cluster.
	Applied map[string]string
	// Recorded maps a cluster's infra ID to the UIDs of the management clusters that the states of its stacks record, by
	// the names of the stacks: two stacks may have been given one infra ID.
	Recorded map[string]map[string]string
	// Unread are the files and states of stacks that could not be read, each with the reason.
	Unread []string
	// Management are the management clusters of the config.
	Management []ManagementCluster
	// Before is what the journal contains about earlier sweeps of a cluster, by infra ID.
	Before map[string]Before
	Now    time.Time
}

// ManagementCluster lists the clusters of a management cluster.
type ManagementCluster struct {
	// Name is the context of its kubeconfig in messages.
	Name string
	// UID is the UID of its namespace kube-system, "" if it may not be read.
	UID string
	// Other is true if only the files of other stacks name it.
	Other bool
	// Stacks are the names of the stacks whose files name it.
	Stacks []string
	// Err is why it could not be read, otherwise nil. NoAnswer is true if nothing is at its address: see
	// kubeapi.NoAnswer.
	Err      error
	NoAnswer bool
	// Alive are the infra IDs of its hosted clusters and its own, with the name of each.
	Alive map[string]string
}

// Before is what an earlier sweep of a cluster has recorded.
type Before struct {
	// Youngest is the latest creation time.
	Youngest time.Time
	// Hosts are the DNS names and addresses of the resources that it deleted, and of those that existed while the cluster
	// did.
	Hosts []string
	// Seen is what showed that the cluster was in a management cluster, "" if nothing did.
	Seen string
	// Deleted is gate.Facts.Deleted of a destroy of this project that has deleted the cluster, nil if none has.
	Deleted *time.Time
}

// Options are SweepOptions with what callers have decided.
type Options struct {
	inventory.SweepOptions
	// Operators excludes types that no operator of a cluster creates, such as a VPC: a stack may use it.
	Operators bool
	// Consent is true if the user consents to a deletion although the cluster may be alive. It does not replace a source
	// that cannot be read in this project, and no cluster is deleted that a management cluster has.
	Consent bool
	// Gates are those that keep resources: all of them, except in tests.
	Gates gate.List
	// Decided is true if the destroy of Stack has decided that its cluster no longer exists. A management cluster that has
	// it still prevents the sweep, and so does another stack that has applied a cluster with the infra ID in a management
	// cluster that was not read.
	Decided bool
	Stack   string
}

// Gates returns all gates.
func Gates() []inventory.SweepGate {
	return []inventory.SweepGate{
		inventory.GateAccount, inventory.GateTag, inventory.GateTwoClusters, inventory.GateStack, inventory.GateAlive,
		inventory.GateUnknown,
		inventory.GateRunning, inventory.GateAge, inventory.GateKeep, inventory.GateData, inventory.GateInUse,
		inventory.GateRegion, inventory.GatePart,
	}
}

// judgeLife asks package gate whether a cluster is alive. What it asks for beyond the gates of a destroy: any cluster
// may be in a management cluster that is not known here, unless something shows that it was in one of those that were
// read. What only AWS shows is unknown, because consent to a sweep covers it.
func (f Facts) judgeLife(o Options, inAWS gate.InAWS) (gates.Life, string) {
	left := gate.Facts{Unread: f.Unread, InAWS: func() gate.InAWS { return inAWS }}
	for _, m := range f.Management {
		if name, alive := m.Alive[o.InfraID]; alive && left.Has == "" {
			left.Has = fmt.Sprintf("%s is in the management cluster of %s", name, m.Name)
		}
	}
	absent, certain := f.absent(o)
	left.Absent, left.Possible, left.Lost = absent, true, o.ManagementDeleted
	if seen := f.seen(o.InfraID); certain && seen != "" {
		left.Absent, left.Possible, left.Proved = absent+"; "+seen, false, !o.ManagementDeleted && f.ownReached(o.InfraID)
	} else if certain {
		left.Absent += ", and nothing shows that it ever was in one of them"
	}
	if !o.ManagementDeleted {
		left.Deleted = f.Before[o.InfraID].Deleted
	}
	life, why := gate.LifeOf(left)
	switch {
	case left.Has != "" || len(left.Unread) > 0 || life == gates.Gone:
		return life, why
	case o.Decided && len(f.unreached(o.InfraID, o.Stack)) == 0:
		return gates.Gone, "this operation deleted it, or verified that it no longer exists"
	case o.Consent:
		return gates.Gone, fmt.Sprintf("%s; %s was given", why, gate.ConsentFlag)
	}
	return gates.Unknown, why
}

// absent returns in words what the management clusters answer about a cluster that none of them has. It is certain if
// all of them can be read, or no longer exist, and no other management cluster is known to have it.
func (f Facts) absent(o Options) (why string, certain bool) {
	if o.ManagementDeleted {
		return f.silent(o.InfraID)
	}
	if len(f.Management) == 0 {
		return "no management cluster is configured (use --kubeconfig), so the cluster may exist", false
	}
	var names []string
	for _, m := range f.Management {
		if m.Err != nil {
			return fmt.Sprintf("the management cluster of %s cannot be read: %v", m.Name, m.Err), false
		}
		names = append(names, m.Name)
	}
	why = "not in " + strings.Join(names, " or ")
	if elsewhere := f.unreached(o.InfraID, ""); len(elsewhere) > 0 {
		return fmt.Sprintf("%s, but %s", why, strings.Join(elsewhere, ", and ")), false
	}
	if service, management := f.managedBy(o.InfraID); management != "" && f.managementCluster(management) == "" {
		return fmt.Sprintf("%s, but endpoint service %s has the tag of management cluster %s, which is not among them", why, service, management), false
	}
	return why, true
}

// silent returns in words whether nothing is at the address of a cluster's management cluster, so that the user's word
// that it no longer exists can be believed: that of the stack that applied the cluster or, if no stack did, of any that
// is known.
func (f Facts) silent(infraID string) (why string, certain bool) {
	const flag = gate.GoneFlag
	stack := f.Applied[infraID]
	var silent []string
	for _, m := range f.Management {
		if stack != "" && !slices.Contains(m.Stacks, stack) {
			continue
		}
		switch {
		case m.Err != nil && m.NoAnswer:
			silent = append(silent, m.Name)
		case m.Err != nil:
			return fmt.Sprintf("the management cluster of %s cannot be read, but something is at its address, so that %s has no effect: %v", m.Name, flag, m.Err),
				false
		case stack != "":
			return fmt.Sprintf("not in %s, which answers, so that %s has no effect", m.Name, flag), false
		}
	}
	if len(silent) == 0 {
		return fmt.Sprintf("no management cluster that is known here has stopped answering, so that %s has no effect", flag), false
	}
	return fmt.Sprintf("its management cluster no longer exists, according to %s, and %s does not answer", flag, strings.Join(silent, " or ")),
		true
}

// reached reports whether the management cluster with a UID was read.
func (f Facts) reached(uid string) bool {
	return slices.ContainsFunc(f.Management, func(m ManagementCluster) bool { return m.Err == nil && m.UID == uid })
}

// unreached says which stacks but one have applied a cluster in management clusters that were not read.
func (f Facts) unreached(infraID, except string) (elsewhere []string) {
	recorded := f.Recorded[infraID]
	for _, stack := range slices.Sorted(maps.Keys(recorded)) {
		if stack != except && !f.reached(recorded[stack]) {
			elsewhere = append(elsewhere, fmt.Sprintf("stack %s applied it in another management cluster, whose namespace kube-system has the UID %s", stack, recorded[stack]))
		}
	}
	return elsewhere
}

// ownReached reports whether one of the management clusters is known to be the cluster's own, or a deletion of the
// cluster there is in the journal.
func (f Facts) ownReached(infraID string) bool {
	if len(f.Recorded[infraID]) > 0 {
		return len(f.unreached(infraID, "")) == 0
	}
	if f.Before[infraID].Seen != "" {
		return true
	}
	_, management := f.managedBy(infraID)
	return management != "" && f.managementCluster(management) != ""
}

// seen returns what shows that a cluster was in one of the management clusters, "" if nothing does.
func (f Facts) seen(infraID string) string {
	if stack := f.Applied[infraID]; stack != "" {
		return fmt.Sprintf("stack %s has applied it", stack)
	}
	if before := f.Before[infraID].Seen; before != "" {
		return before
	}
	if service, management := f.managedBy(infraID); management != "" {
		return fmt.Sprintf("endpoint service %s has the tag of the management cluster of %s", service,
			f.managementCluster(management))
	}
	return ""
}

// managedBy returns an endpoint service of a hosted cluster, and the infra ID of the management cluster whose tag
// HyperShift gave it; "" if there is none. Only OpenShift management clusters have an infra ID.
func (f Facts) managedBy(infraID string) (service, management string) {
	for _, l := range f.Found {
		if l.Type == awstype.VPCEndpointService && account.Carries(l, infraID) && f.hostedCluster(l) == infraID {
			clusters := account.Clusters(l)
			return l.ID, clusters[1-slices.Index(clusters, infraID)]
		}
	}
	return "", ""
}

// managementCluster returns the name of the management cluster with an infra ID, "" if it is none of those that were
// read.
func (f Facts) managementCluster(infraID string) string {
	for _, m := range f.Management {
		if _, is := m.Alive[infraID]; is {
			return m.Name
		}
	}
	return ""
}

// hostedCluster returns the hosted cluster of an endpoint service that has the tags of two clusters. The load balancers
// behind it have the tag of the management cluster, so the other one is the hosted cluster. It returns "" if the load
// balancers' tags do not show this.
func (f Facts) hostedCluster(l inventory.Resource) string {
	clusters := account.Clusters(l)
	if l.Type != awstype.VPCEndpointService || len(clusters) != 2 || len(l.Backends) == 0 {
		return ""
	}
	management := ""
	for _, arn := range l.Backends {
		i := slices.IndexFunc(f.Found, func(b inventory.Resource) bool {
			return b.Type == awstype.LoadBalancer && b.ARN == arn
		})
		if i < 0 {
			return ""
		}
		of := account.Clusters(f.Found[i])
		if len(of) != 1 || management != "" && of[0] != management {
			return ""
		}
		management = of[0]
	}
	switch management {
	case clusters[0]:
		return clusters[1]
	case clusters[1]:
		return clusters[0]
	}
	return ""
}
