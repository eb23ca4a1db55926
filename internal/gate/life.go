package gate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// Identity is what a stack's state records about the cluster that depends on it.
type Identity struct {
	// ManagementCluster is the UID of namespace kube-system of the management cluster; "" if it was never recorded.
	ManagementCluster string
	// Object is the UID of the stack's HostedCluster or Cluster; "" if the state has none.
	Object string
}

// Reading is the answer of the management cluster that the stack's kubeconfig selects.
type Reading struct {
	// Configured is false if the stack has no management cluster, because another tool applies its objects.
	Configured bool
	// Err is why the management cluster could not be read: a time-out, DNS, TLS, or any status but success and not found.
	// nil if it was read.
	Err error
	// NoAnswer is true if Err shows that nothing answers at the address: the connection is refused, the host has no name
	// or no route, or the time is up. Everything else is an answer of something that is there.
	NoAnswer bool
	// Address identifies the API server by its URL and the CA that it is trusted by, "" if the kubeconfig cannot be used.
	Address string
	// ManagementCluster is the UID of its namespace kube-system, "" if the namespace may not be read.
	ManagementCluster string
	// Object is the UID of the object with the name of the stack's HostedCluster or Cluster; "" if there is none.
	Object string
	// Named are the objects of a stack that adds to the cluster of another owner.
	Named []Named
}

// Known reports whether the state identifies the management cluster, by its namespace or by the stack's own object.
func (i Identity) Known() bool { return i.ManagementCluster != "" || i.Object != "" }

// OtherCluster returns why a reading is of another management cluster than the recorded one; "" if it is not, or if
// nothing was read or recorded.
func (i Identity) OtherCluster(r Reading) string {
	if r.Err == nil && i.ManagementCluster != "" && r.ManagementCluster != "" &&
		i.ManagementCluster != r.ManagementCluster {
		return fmt.Sprintf("the UID of its namespace kube-system is %s, not %s", r.ManagementCluster, i.ManagementCluster)
	}
	return ""
}

// Other returns why a reading is of another management cluster, or of another object, than the recorded one; "" if it
// is not, or if nothing was read or recorded.
func (i Identity) Other(r Reading) string {
	if why := i.OtherCluster(r); why != "" {
		return why
	}
	if r.Err == nil && isAnother(i.Object, r.Object) {
		return fmt.Sprintf("the UID of its object is %s, not %s", r.Object, i.Object)
	}
	return ""
}

// isAnother reports whether the object with a UID that was read is another one than the recorded object of its name; ""
// is none.
func isAnother(recorded, read string) bool { return recorded != "" && read != "" && recorded != read }

// Named is an object of a stack that adds to the cluster of another owner, and what its management cluster has under
// the object's name.
type Named struct {
	// Object is its kind and name: "NodePool clusters/gpu".
	Object string
	// Recorded is its UID in the stack's state, and UID that of the object which was read, "" if there is none.
	Recorded, UID string
	// Mark is the stack that an annotation of the object names, "" for none, and Owners are the names of this stack.
	Mark   string
	Owners []string
}

func (n Named) isAnother() bool { return isAnother(n.Recorded, n.UID) }

// foreign returns why the object is not the stack's, "" if it is, or if there is none.
func (n Named) foreign() string {
	switch {
	case n.UID == "":
		return ""
	case n.Mark != "" && !slices.Contains(n.Owners, n.Mark):
		return "it belongs to stack " + n.Mark
	case n.isAnother():
		return "it was deleted there and created again"
	}
	return ""
}

// CreatedAgain reports whether the reading is certainly of the recorded management cluster, and has another object of
// the same name than the recorded one: it was deleted there and created again, for example restored from a backup.
func (i Identity) CreatedAgain(r Reading) bool {
	return r.Err == nil && i.ManagementCluster != "" && i.ManagementCluster == r.ManagementCluster &&
		isAnother(i.Object, r.Object)
}

// Proved reports whether a reading is certainly of the recorded management cluster.
func (i Identity) Proved(r Reading) bool {
	if r.Err != nil || i.Other(r) != "" {
		return false
	}
	return i.ManagementCluster != "" && i.ManagementCluster == r.ManagementCluster ||
		i.Object != "" && i.Object == r.Object
}

// InAWS is what AWS has of a cluster, in the accounts that the stack configures.
type InAWS struct {
	// Signs are signs of life: an instance with the cluster's tag that is not terminated, a registered target, an
	// available endpoint.
	Signs []string
	// Instances are the signs that are instances, and Launched is when the newest of them was launched; zero if AWS does
	// not say it.
	Instances []string
	Launched  time.Time
	// Traces are what only operators of a cluster create and no readable state owns, such as its load balancers and
	// security groups. A cluster without nodes has them too, and so has one that was not deleted completely.
	Traces []string
	// Err is the error of a read that was denied, throttled or failed. The list is then incomplete.
	Err error
}

// And returns what AWS has of this cluster and of another one, which is named in its evidence.
func (a InAWS) And(name string, other InAWS) InAWS {
	named := func(own, others []string) []string {
		for _, one := range others {
			own = append(own, one+" of "+name)
		}
		return own
	}
	a.Signs, a.Instances, a.Traces = named(a.Signs,
		other.Signs), named(a.Instances, other.Instances), named(a.Traces, other.Traces)
	if other.Launched.After(a.Launched) {
		a.Launched = other.Launched
	}
	a.Err = errors.Join(a.Err, other.Err)
	return a
}

// Facts are the facts that the life of a cluster is decided from: by FactsOf for a destroy, and from all management
// clusters that are known for a sweep.
type Facts struct {
	// Has says which management cluster has the cluster, "" if none of those that were read does.
	Has string
	// Unread are the files and states of stacks that could not be read, and that may have the cluster.
	Unread []string
	// Absent says what the management clusters answer about a cluster that none of them has.
	Absent string
	// Proved is true if the cluster's own management cluster was read. Possible is true if it was not, and may have the
	// cluster.
	Proved, Possible bool
	// Lost is true if the user asserts that the cluster's management cluster no longer exists, and nothing answers there:
	// then what operators have left shows no life.
	Lost bool
	// InAWS reads AWS. It is called only if the answer depends on it. It is nil for a caller who cannot: then nothing
	// shows that the cluster is gone.
	InAWS func() InAWS
	// Deleted is when the newest instance was launched that AWS had when a deletion of the cluster's object ended or was
	// accepted, by the journal of that deletion: zero if AWS had none, nil if the deletion did neither. It explains the
	// instances that AWS had then, whatever the clock of this machine says, and proves nothing alone.
	Deleted *time.Time
}

// FactsOf returns the facts about the cluster of a stack from the one management cluster that its kubeconfig selects.
// finished is true if the engine has deleted the cluster's object in this operation, and has seen its end; gone is true
// if the user asserts that the management cluster no longer exists (GoneFlag). It must not be called for a reading of
// another management cluster (see Identity.Other), which is refused whatever is alive there.
func FactsOf(identity Identity, reading Reading, finished, gone bool) Facts {
	read, f := reading.Err == nil, Facts{}
	switch {
	case read && reading.Object != "" && identity.Proved(reading):
		f.Has = "its management cluster has it"
	case read && reading.Object != "":
		f.Has = "the management cluster has it"
	case read && finished, identity.Proved(reading):
		f.Absent, f.Proved = "its management cluster does not have it", true
	case !read:
		f.Absent, f.Lost = fmt.Sprintf("its management cluster cannot be read (%v)", reading.Err), gone && reading.NoAnswer
		f.Possible = !f.Lost
	case !identity.Known():
		f.Absent = "no management cluster is recorded for it"
	case reading.Configured:
		f.Absent, f.Possible = "the management cluster that the kubeconfig selects does not have it, and cannot be identified as the recorded one", true
	default:
		f.Absent, f.Possible = "its recorded management cluster is not in the stack's file or state, so it cannot be asked", true
	}
	return f
}

// LifeOf decides whether a cluster is alive, and returns the evidence in words. Anything shows that it is alive. Only
// what was read shows that it is gone: its own management cluster does not have it, or AWS has nothing of it and no
// management cluster could have it.
func LifeOf(f Facts) (life gates.Life, evidence string) {
	switch {
	case f.Has != "":
		return gates.Alive, f.Has
	case len(f.Unread) > 0:
		return gates.Unknown, fmt.Sprintf("stacks cannot be read: %s; %s names one that has nothing of the cluster",
			strings.Join(f.Unread, "; "), UnreadFlag)
	}
	found := InAWS{Err: errors.New("this program does not read it")}
	if f.InAWS != nil {
		found = f.InAWS()
	}
	switch {
	case f.Proved && found.Err == nil && f.Deleted != nil && !found.Launched.After(*f.Deleted):
		return gates.Gone, f.Absent + "; it was deleted there, and no instance of it was launched since"
	case f.Proved && len(found.Instances) > 0:
		return gates.Unknown, fmt.Sprintf("%s, but its instances exist, so it may be hibernated or restored elsewhere, or they are still terminating: %s",
			f.Absent, strings.Join(found.Instances, ", "))
	case !f.Proved && len(found.Signs) > 0:
		return gates.Alive, fmt.Sprintf("%s, and AWS has %s", f.Absent, strings.Join(found.Signs, ", "))
	case found.Err != nil:
		return gates.Unknown, fmt.Sprintf("%s, and AWS could not be searched for it: %v", f.Absent, found.Err)
	case f.Proved:
		return gates.Gone, f.Absent + ", and no instance of it exists"
	case f.Possible:
		return gates.Unknown, f.Absent + "; a cluster without nodes has no instance, target or endpoint in AWS, so that their absence does not show that it is gone"
	case !f.Lost && len(found.Traces) > 0:
		return gates.Unknown, fmt.Sprintf("%s, and AWS has what operators of a cluster create, so that one may be alive elsewhere: %s",
			f.Absent, strings.Join(found.Traces, ", "))
	}
	return gates.Gone, f.Absent + ", and AWS has no instance, target or endpoint of it"
}
