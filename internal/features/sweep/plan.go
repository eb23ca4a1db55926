package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/awsresources"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// Plan is what a sweep deletes, with the options of the plan.
type Plan struct {
	inventory.SweepPlan
	options Options
}

// NewPlan determines which resources of a cluster may be deleted: only those that pass every gate.
func NewPlan(f Facts, o Options) Plan {
	c := newChecks(f, o)
	p := Plan{
		SweepPlan: inventory.SweepPlan{
			Place:    f.Place,
			Options:  o.SweepOptions,
			Stack:    f.StacksOf[o.InfraID],
			Life:     c.life,
			Why:      c.why,
			Youngest: c.youngest,
		},
		options: o,
	}
	toDelete := map[string]bool{}
	var candidates []inventory.Resource
	for _, l := range c.own {
		if gate, why := c.gate(l); gate != "" {
			p.Kept = append(p.Kept, inventory.Kept{Resource: l, Gate: gate, Why: why})
			continue
		}
		candidates = append(candidates, l)
		toDelete[l.ID] = true
		for _, id := range l.Interfaces {
			toDelete[id] = true
		}
	}
	// Resources that are not deleted may use others that would be deleted, so this is repeated until nothing changes.
	for held := true; held; {
		held = false
		candidates = slices.DeleteFunc(candidates, func(l inventory.Resource) bool {
			gate, why := c.used(l, toDelete)
			if gate == "" {
				return false
			}
			p.Kept = append(p.Kept, inventory.Kept{Resource: l, Gate: gate, Why: why})
			delete(toDelete, l.ID)
			for _, id := range l.Interfaces {
				delete(toDelete, id)
			}
			held = true
			return true
		})
	}
	p.Delete = candidates
	slices.SortFunc(p.Delete, inOrder)
	slices.SortFunc(p.Kept, func(a, b inventory.Kept) int { return inOrder(a.Resource, b.Resource) })
	return p
}

func inOrder(a, b inventory.Resource) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID))
}

func rank(l inventory.Resource) int { return typeRecord(l.Type).Deletion.Rank }

func typeRecord(token string) awstype.Type {
	s, _ := awstype.SweepOf(token)
	return s
}

// checks applies the gates to a cluster's resources.
type checks struct {
	Facts
	Options
	life gates.Life
	why  string
	// youngest is the latest known creation time.
	youngest time.Time
	// running is a running instance of the cluster, "" without one.
	running string
	// regional is true if a resource of the cluster is in this region.
	regional bool
	// own are the resources with the cluster's tag.
	own []inventory.Resource
	// occupants are the resources of all clusters that occupy a VPC of own, or use a security group of it, by its ID.
	occupants map[string][]*inventory.Resource
}

func newChecks(f Facts, o Options) *checks {
	c := &checks{Facts: f, Options: o, occupants: map[string][]*inventory.Resource{}}
	c.youngest = f.Before[o.InfraID].Youngest
	c.regional = !c.youngest.IsZero()
	var inAWS gate.InAWS
	for _, l := range f.Found {
		if !account.Carries(l, o.InfraID) {
			continue
		}
		c.own = append(c.own, l)
		c.regional = c.regional || !typeRecord(l.Type).Sweep.Global
		if l.Created.After(c.youngest) {
			c.youngest = l.Created
		}
		sign := Label(l.Type) + " " + l.ID
		if slices.Contains(awstype.TraceTypes(), l.Type) && awsresources.IsTrace(l) && f.InState[l.ID] == "" {
			inAWS.Traces = append(inAWS.Traces, sign)
		}
		switch {
		case l.Type == awstype.Instance && instanceExists(l):
			inAWS.Signs, inAWS.Instances = append(inAWS.Signs, sign), append(inAWS.Instances, sign)
			if l.Created.After(inAWS.Launched) {
				inAWS.Launched = l.Created
			}
			if isRunning(l) {
				c.running = l.ID
			}
		case l.Type == awstype.VPCEndpoint && l.Properties["vpcEndpointType"] != "Gateway" &&
			strings.EqualFold(l.State, "available") && f.InState[l.ID] == "":
			inAWS.Signs = append(inAWS.Signs, sign)
		}
	}
	c.life, c.why = f.judgeLife(o, inAWS)
	c.findOccupants()
	return c
}

// findOccupants looks through the account once, and not once for each resource of the cluster.
func (c *checks) findOccupants() {
	for _, l := range c.own {
		if l.Type == awstype.SecurityGroup {
			c.occupants[l.ID] = nil
		} else if l.VPC != "" {
			c.occupants[l.VPC] = nil
		}
	}
	for i := range c.Found {
		l := &c.Found[i]
		if !occupies(*l) {
			continue
		}
		for _, group := range l.Groups {
			if _, own := c.occupants[group]; own {
				c.occupants[group] = append(c.occupants[group], l)
			}
		}
		if _, own := c.occupants[l.VPC]; own {
			c.occupants[l.VPC] = append(c.occupants[l.VPC], l)
		}
	}
}

// instanceExists reports whether an instance is not terminated; a stopped one can be started again.
func instanceExists(l inventory.Resource) bool {
	return l.State != "terminated" && l.State != "shutting-down"
}

func isRunning(l inventory.Resource) bool { return instanceExists(l) && l.State != "stopped" }

// gate returns the gate that refuses a resource, or "" if it passes all gates that do not depend on other resources.
func (c *checks) gate(l inventory.Resource) (inventory.SweepGate, string) {
	for _, ask := range []func(inventory.Resource) (inventory.SweepGate, string){c.belongs, c.clusterIsGone, c.covered,
		c.age} {
		if gate, why := ask(l); gate != "" && c.Gates.Has(string(gate)) {
			return gate, why
		}
	}
	return "", ""
}

// covered returns a gate unless the options cover the resource.
func (c *checks) covered(l inventory.Resource) (inventory.SweepGate, string) {
	record := typeRecord(l.Type)
	switch {
	case l.Type == awstype.Instance && isRunning(l) && !c.Running:
		return inventory.GateRunning, "it is " + l.State + ": " + c.remedyForRunning()
	case c.Operators && !record.Sweep.Operators:
		return inventory.GatePart, "operators do not create this type: `sweep --infra-id` deletes it"
	case record.Deletion.Rank == awstype.WithOwner:
		return inventory.GatePart, "a sweep does not cover this type"
	case l.DeletedWith != "":
		return inventory.GatePart, l.DeletedWith
	case record.Sweep.Global && !c.regional && !c.Global:
		return inventory.GateRegion, fmt.Sprintf("no other resource of the cluster is in %s, so it may exist in another region: --global deletes it", c.Place.Region)
	case record.Sweep.Data && !c.Data:
		return inventory.GateData, "it may contain data: --data deletes it"
	}
	for key, value := range c.Keep {
		if has, tagged := l.Tags[key]; tagged && (value == "" || has == value) {
			return inventory.GateKeep, fmt.Sprintf("it has the tag %s=%s", key, has)
		}
	}
	return "", ""
}

// belongs returns a gate unless the resource belongs only to the cluster, and to no stack.
func (c *checks) belongs(l inventory.Resource) (inventory.SweepGate, string) {
	if l.Owner != "" && l.Owner != c.Place.Account {
		return inventory.GateAccount, "it belongs to account " + l.Owner
	}
	for _, id := range []string{l.ID, l.ARN} {
		if stack, has := c.InState[id]; has && id != "" {
			return inventory.GateStack, "it is in the state of stack " + stack
		}
	}
	for _, stack := range slices.Sorted(maps.Keys(c.Files)) {
		if l.ID != "" && strings.Contains(c.Files[stack], l.ID) {
			return inventory.GateStack, fmt.Sprintf("the file of stack %s contains its ID", stack)
		}
	}
	for _, stack := range slices.Sorted(maps.Keys(c.States)) {
		if l.ID != "" && strings.Contains(c.States[stack], l.ID) {
			return inventory.GateStack, fmt.Sprintf("the state of stack %s, whose file is not here, contains its ID", stack)
		}
	}
	if l.Type == awstype.Record {
		return "", "" // records have no tags: AddRecords found it by its name and its target
	}
	if value := account.ClusterTag(l, c.InfraID); value != "owned" {
		return inventory.GateTag, fmt.Sprintf("its tag %s%s is %q, not owned", hypershift.ClusterTagPrefix, c.InfraID, value)
	}
	if clusters := account.Clusters(l); len(clusters) > 1 && c.hostedCluster(l) != c.InfraID {
		return inventory.GateTwoClusters, "it has the tags of the clusters " + strings.Join(clusters, " and ")
	}
	return "", ""
}

// clusterIsGone returns a gate unless the cluster is known to be deleted.
func (c *checks) clusterIsGone(inventory.Resource) (inventory.SweepGate, string) {
	switch c.life {
	case gates.Alive:
		return inventory.GateAlive, c.why
	case gates.Unknown:
		return inventory.GateUnknown, c.why
	case gates.Gone:
	}
	for _, m := range c.Missing {
		if m.Type == awstype.Instance || m.Type == "" {
			return inventory.GateUnknown, "instances cannot be listed, so one of the cluster's may be running"
		}
	}
	if c.running != "" && !c.Running {
		return inventory.GateRunning, fmt.Sprintf("instance %s of the cluster is running: %s", c.running,
			c.remedyForRunning())
	}
	return "", ""
}

// remedyForRunning returns what to do about a running instance.
func (c *checks) remedyForRunning() string {
	if c.Consent {
		return "--running deletes it"
	}
	return fmt.Sprintf("if the cluster no longer exists, use --running with -s STACK or with %s %s", gate.ConsentFlag,
		c.InfraID)
}

// age returns a gate unless the resource is old enough. If AWS returns no creation time, the cluster's youngest
// resource counts.
func (c *checks) age(l inventory.Resource) (inventory.SweepGate, string) {
	if c.MinAge <= 0 {
		return "", ""
	}
	created, whose := l.Created, "it"
	if created.IsZero() {
		created, whose = c.youngest, "the cluster's youngest resource"
	}
	if created.IsZero() {
		return inventory.GateAge, "AWS returns no creation time for any resource of the cluster: --min-age 0s deletes it"
	}
	if age := c.Now.Sub(created); age < c.MinAge {
		return inventory.GateAge, fmt.Sprintf("%s is %s old, less than %s", whose, age.Round(time.Minute), c.MinAge)
	}
	return "", ""
}

// used returns a gate if a resource that is not deleted uses this one; toDelete are the IDs of resources to be deleted.
func (c *checks) used(l inventory.Resource, toDelete map[string]bool) (inventory.SweepGate, string) {
	gate, why := c.usedBy(l, toDelete)
	if !c.Gates.Has(string(gate)) {
		return "", ""
	}
	return gate, why
}

// usedBy returns what used does, whichever gates the list has.
func (c *checks) usedBy(l inventory.Resource, toDelete map[string]bool) (inventory.SweepGate, string) {
	for _, id := range l.UsedBy {
		if !toDelete[id] {
			return inventory.GateInUse, fmt.Sprintf("%s uses it", id)
		}
	}
	if l.Type == awstype.NetworkInterface && len(l.UsedBy) == 0 && l.State != "available" {
		return inventory.GateInUse, "it is " + cmp.Or(l.State, "of unknown state")
	}
	group := l.Type == awstype.SecurityGroup
	if !group && (!typeRecord(l.Type).Sweep.Network || l.VPC == "") {
		return "", ""
	}
	for _, m := range c.Missing {
		if m.Type == awstype.NetworkInterface || m.Type == "" {
			return inventory.GateUnknown, "network interfaces cannot be listed, so one may use it"
		}
	}
	place := l.VPC
	if group {
		place = l.ID
	}
	for _, other := range c.occupants[place] {
		if id := stays(*other, toDelete); id != "" {
			return inventory.GateInUse, fmt.Sprintf("%s %s is not deleted, and depends on it", typeRecord(other.Type).Label, id)
		}
	}
	return "", ""
}

// occupies reports whether a resource in a VPC needs the VPC's network. An interface that is attached to nothing does
// too: AWS does not delete its subnet and its security groups.
func occupies(l inventory.Resource) bool {
	return l.Type == awstype.Instance && instanceExists(l) || l.Type == awstype.NetworkInterface
}

// stays returns the ID of an instance or network interface that is not deleted, or "" if it is deleted by itself or
// with everything that it is attached to.
func stays(l inventory.Resource, toDelete map[string]bool) string {
	if toDelete[l.ID] || len(l.UsedBy) > 0 && !slices.ContainsFunc(l.UsedBy, func(id string) bool {
		return !toDelete[id]
	}) {
		return ""
	}
	return l.ID
}
