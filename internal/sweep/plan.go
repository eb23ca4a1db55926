package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// Plan is what a sweep of one cluster would delete.
type Plan struct {
	Place   orphan.Place
	Options Options
	// State is what is known of the cluster, and Why the source.
	State State
	Why   string
	// Delete is in the order of deletion.
	Delete []orphan.Leftover
	Held   []Held
	// Youngest is the latest time of creation that is known of the cluster's resources, zero where none is.
	Youngest time.Time
}

// Held is what is not deleted.
type Held struct {
	orphan.Leftover
	Gate Gate
	// Why is a sentence without its full stop.
	Why string
}

// Make determines what of a cluster may be deleted: only resources that pass every gate.
func Make(f Facts, o Options) Plan {
	j := newJudge(f, o)
	p := Plan{Place: f.Place, Options: o, State: j.state, Why: j.why, Youngest: j.youngest}
	going := map[string]bool{}
	var candidates []orphan.Leftover
	for _, l := range f.Found {
		if !l.Carries(o.InfraID) {
			continue
		}
		if gate, why := j.judge(l); gate != "" {
			p.Held = append(p.Held, Held{l, gate, why})
			continue
		}
		candidates = append(candidates, l)
		going[l.ID] = true
		for _, id := range l.Interfaces {
			going[id] = true
		}
	}
	// Resources that stay may use resources that would be deleted, so this is repeated until nothing changes.
	for held := true; held; {
		held = false
		candidates = slices.DeleteFunc(candidates, func(l orphan.Leftover) bool {
			gate, why := j.used(l, going)
			if gate == "" {
				return false
			}
			p.Held = append(p.Held, Held{l, gate, why})
			delete(going, l.ID)
			for _, id := range l.Interfaces {
				delete(going, id)
			}
			held = true
			return true
		})
	}
	p.Delete = candidates
	slices.SortFunc(p.Delete, inOrder)
	slices.SortFunc(p.Held, func(a, b Held) int { return inOrder(a.Leftover, b.Leftover) })
	return p
}

func inOrder(a, b orphan.Leftover) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID))
}

func rank(l orphan.Leftover) int { return sweepOf(l.Type).Deletion.Rank }

func sweepOf(token string) awstype.Sweep {
	s, _ := awstype.SweepOf(token)
	return s
}

// judge has the facts about all of a cluster's resources.
type judge struct {
	Facts
	Options
	state State
	why   string
	// youngest is the latest time of creation that is known.
	youngest time.Time
	// running is a running instance of the cluster, "" without one.
	running string
	// regional is whether something of the cluster is in this region.
	regional bool
	// tags are by ARN those of the load balancers of the account.
	tags map[string]orphan.Leftover
}

func newJudge(f Facts, o Options) *judge {
	j := &judge{Facts: f, Options: o, tags: map[string]orphan.Leftover{}}
	j.state, j.why = f.stateOf(o.InfraID, o.ManagementGone)
	j.youngest = f.Before[o.InfraID].Youngest
	j.regional = !j.youngest.IsZero()
	for _, l := range f.Found {
		if l.Type == awstype.LoadBalancer {
			j.tags[l.ARN] = l
		}
		if !l.Carries(o.InfraID) {
			continue
		}
		j.regional = j.regional || !sweepOf(l.Type).Global
		if l.Created.After(j.youngest) {
			j.youngest = l.Created
		}
		if l.Type == awstype.Instance && isRunning(l) {
			j.running = l.ID
		}
	}
	return j
}

func isRunning(l orphan.Leftover) bool {
	return l.State != "stopped" && l.State != "terminated" && l.State != "shutting-down"
}

// judge returns the gate that refuses a resource, "" if it passes all gates that do not depend on other resources.
func (j *judge) judge(l orphan.Leftover) (Gate, string) {
	if gate, why := j.belongs(l); gate != "" {
		return gate, why
	}
	if gate, why := j.clusterIsGone(); gate != "" {
		return gate, why
	}
	record := sweepOf(l.Type)
	switch {
	case l.Type == awstype.Instance && isRunning(l) && !j.Running:
		return GateRunning, "it is " + l.State
	case j.Operators && !record.Operators:
		return GatePart, "the operators of clusters make none: a sweep by its infra ID deletes it"
	case record.Deletion.Rank == awstype.WithOwner:
		return GatePart, "a sweep does not cover this type"
	case l.Kept != "":
		return GatePart, l.Kept
	case record.Global && !j.regional && !j.Global:
		return GateRegion, fmt.Sprintf("nothing of the cluster is in %s: it may be alive in another region; --global deletes it", j.Place.Region)
	case record.Data && !j.Data:
		return GateData, "it may hold data: --data deletes it"
	}
	for key, value := range j.Keep {
		if has, tagged := l.Tags[key]; tagged && (value == "" || has == value) {
			return GateKeep, fmt.Sprintf("it has the tag %s=%s", key, has)
		}
	}
	return j.age(l)
}

// belongs reports whether the resource belongs only to the cluster, and to no stack.
func (j *judge) belongs(l orphan.Leftover) (Gate, string) {
	if l.Owner != "" && l.Owner != j.Place.Account {
		return GateAccount, "it belongs to account " + l.Owner
	}
	for _, id := range []string{l.ID, l.ARN} {
		if stack, has := j.InState[id]; has && id != "" {
			return GateStack, "it is in the state of stack " + stack
		}
	}
	for _, stack := range slices.Sorted(maps.Keys(j.Files)) {
		if l.ID != "" && strings.Contains(j.Files[stack], l.ID) {
			return GateStack, fmt.Sprintf("the file of stack %s names it", stack)
		}
	}
	if l.Type == awstype.Record {
		return "", "" // it has no tags of its own: AddRecords found it by its name and its target
	}
	if value := l.ClusterTag(j.InfraID); value != "owned" {
		return GateTag, fmt.Sprintf("its tag %s%s is %q, not owned", "kubernetes.io/cluster/", j.InfraID, value)
	}
	if clusters := l.Clusters(); len(clusters) > 1 && j.hostedOf(l) != j.InfraID {
		return GateTwoClusters, "it has the tags of the clusters " + strings.Join(clusters, " and ")
	}
	return "", ""
}

// hostedOf returns the hosted cluster of an endpoint service that has two clusters' tags: the management cluster made the load balancer
// behind it, so that the other one is the hosted cluster. It is "" where the load balancers do not say so.
func (j *judge) hostedOf(l orphan.Leftover) string {
	clusters := l.Clusters()
	if l.Type != awstype.VPCEndpointService || len(clusters) != 2 || len(l.Backends) == 0 {
		return ""
	}
	management := ""
	for _, arn := range l.Backends {
		balancer, known := j.tags[arn]
		if of := balancer.Clusters(); !known || len(of) != 1 || management != "" && of[0] != management {
			return ""
		}
		management = balancer.Clusters()[0]
	}
	switch management {
	case clusters[0]:
		return clusters[1]
	case clusters[1]:
		return clusters[0]
	}
	return ""
}

// clusterIsGone reports whether the cluster is known to be neither alive nor in doubt.
func (j *judge) clusterIsGone() (Gate, string) {
	switch j.state { //nolint:exhaustive // the others pass
	case Alive:
		return GateAlive, j.why
	case Uncertain:
		return GateUncertain, j.why
	}
	for _, m := range j.Missing {
		if m.Type == awstype.Instance || m.Type == "" {
			return GateUncertain, "instances cannot be listed, and one of the cluster's may be running"
		}
	}
	if j.running != "" && !j.Running {
		return GateRunning, fmt.Sprintf("instance %s of the cluster is running", j.running)
	}
	return "", ""
}

// age reports whether the resource is old enough. If AWS returns no creation time, the youngest of the cluster counts.
func (j *judge) age(l orphan.Leftover) (Gate, string) {
	if j.MinAge <= 0 {
		return "", ""
	}
	created, whose := l.Created, "it"
	if created.IsZero() {
		created, whose = j.youngest, "the cluster's youngest resource"
	}
	if created.IsZero() {
		return GateAge, "AWS says of none of the cluster's resources when it was created: --min-age 0s deletes it"
	}
	if age := j.Now.Sub(created); age < j.MinAge {
		return GateAge, fmt.Sprintf("%s is %s old, less than %s", whose, age.Round(time.Minute), j.MinAge)
	}
	return "", ""
}

// used reports whether a resource that stays uses this one; going are the IDs of resources to be deleted.
func (j *judge) used(l orphan.Leftover, going map[string]bool) (Gate, string) {
	for _, id := range l.UsedBy {
		if !going[id] {
			return GateInUse, fmt.Sprintf("%s uses it", id)
		}
	}
	if l.Type == awstype.NetworkInterface && len(l.UsedBy) == 0 && l.State != "available" {
		return GateInUse, "it is " + cmp.Or(l.State, "of unknown state")
	}
	group := l.Type == awstype.SecurityGroup
	if !group && (!sweepOf(l.Type).Network || l.VPC == "") {
		return "", ""
	}
	for _, m := range j.Missing {
		if m.Type == awstype.NetworkInterface || m.Type == "" {
			return GateUncertain, "network interfaces cannot be listed, and others may use it"
		}
	}
	for _, other := range j.Found {
		if !occupies(other) || stays(other, going) == "" {
			continue
		}
		if group && slices.Contains(other.Groups, l.ID) || !group && other.VPC == l.VPC {
			return GateInUse, fmt.Sprintf("%s %s stays, and depends on it", sweepOf(other.Type).Label, stays(other, going))
		}
	}
	return "", ""
}

// occupies reports whether something in a VPC needs the VPC's network.
func occupies(l orphan.Leftover) bool {
	return l.Type == awstype.Instance && isRunning(l) || l.Type == awstype.NetworkInterface && l.State != "available"
}

// stays returns why an instance or a network interface is not deleted, or "" if it is: by itself, or with all that it is attached to.
func stays(l orphan.Leftover, going map[string]bool) string {
	if going[l.ID] || len(l.UsedBy) > 0 && !slices.ContainsFunc(l.UsedBy, func(id string) bool { return !going[id] }) {
		return ""
	}
	return l.ID
}
