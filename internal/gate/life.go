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
	// Err is why the management cluster could not be read: a time-out, DNS, TLS, or any status but success and not found. nil if it was read.
	Err error
	// NoAnswer is true if Err shows that nothing answers at the address: the connection is refused, the host has no name or no route, or the time is
	// up. Everything else is an answer of something that is there.
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

// Recorded reports whether the state identifies the management cluster, by its namespace or by the stack's own object.
func (i Identity) Recorded() bool { return i.ManagementCluster != "" || i.Object != "" }

// OtherCluster returns why a reading is of another management cluster than the recorded one; "" if it is not, or if nothing was read or recorded.
func (i Identity) OtherCluster(r Reading) string {
	if r.Err == nil && i.ManagementCluster != "" && r.ManagementCluster != "" && i.ManagementCluster != r.ManagementCluster {
		return fmt.Sprintf("the UID of its namespace kube-system is %s, not %s", r.ManagementCluster, i.ManagementCluster)
	}
	return ""
}

// Other returns why a reading is of another management cluster, or of another object, than the recorded one; "" if it is not, or if
// nothing was read or recorded.
func (i Identity) Other(r Reading) string {
	if why := i.OtherCluster(r); why != "" {
		return why
	}
	if r.Err == nil && isAnother(i.Object, r.Object) {
		return fmt.Sprintf("the UID of its object is %s, not %s", r.Object, i.Object)
	}
	return ""
}

// isAnother reports whether the object with a UID that was read is another one than the recorded object of its name; "" is none.
func isAnother(recorded, read string) bool { return recorded != "" && read != "" && recorded != read }

// Named is an object of a stack that adds to the cluster of another owner, and what its management cluster has under the object's name.
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

// CreatedAgain reports whether the reading is certainly of the recorded management cluster, and has another object of the same name than the
// recorded one: it was deleted there and created again, for example restored from a backup.
func (i Identity) CreatedAgain(r Reading) bool {
	return r.Err == nil && i.ManagementCluster != "" && i.ManagementCluster == r.ManagementCluster && isAnother(i.Object, r.Object)
}

// Proved reports whether a reading is certainly of the recorded management cluster.
func (i Identity) Proved(r Reading) bool {
	if r.Err != nil || i.Other(r) != "" {
		return false
	}
	return i.ManagementCluster != "" && i.ManagementCluster == r.ManagementCluster || i.Object != "" && i.Object == r.Object
}

// InAWS is what AWS has of a cluster, in the accounts that the stack configures.
type InAWS struct {
	// Signs are signs of life: an instance with the cluster's tag that is not terminated, a registered target, an available endpoint.
	Signs []string
	// Instances are the signs that are instances, and Launched is when the newest of them was launched; zero if AWS does not say it.
	Instances []string
	Launched  time.Time
	// Err is the error of a read that was denied, throttled or failed. The list is then incomplete.
	Err error
}

// Facts are the facts that Life is decided from.
type Facts struct {
	Identity Identity
	Reading  Reading
	// InAWS reads AWS. It is called only if the answer depends on it. It is nil for a caller who cannot: then nothing shows that the cluster is gone.
	InAWS func() InAWS
	// Deleted is when the newest instance was launched that AWS had when this stack's deletion of the cluster's object ended or was accepted, by its
	// journal: zero if AWS had none, nil if the deletion did neither. It explains the instances that AWS had then, whatever the clock of this machine
	// says, and proves nothing alone.
	Deleted *time.Time
	// Finished is true if the engine has deleted the cluster's object in this operation, and has seen its end.
	Finished bool
	// ManagementGone is true if the user asserts that the management cluster no longer exists (GoneFlag).
	ManagementGone bool
}

// LifeOf decides whether a cluster is alive, and returns the evidence in words. Anything shows that it is alive. Only what was read shows that it
// is gone: the recorded management cluster does not have it, or AWS has nothing of it and no management cluster could have it. It must not be called
// for a reading of another management cluster (see Identity.Other), which is refused whatever is alive there.
func LifeOf(f Facts) (life gates.Life, evidence string) {
	read := f.Reading.Err == nil
	switch {
	case read && f.Reading.Object != "" && f.Identity.Proved(f.Reading):
		return gates.Alive, "its management cluster has it"
	case read && f.Reading.Object != "":
		return gates.Alive, "the management cluster has it"
	case read && f.Finished, f.Identity.Proved(f.Reading):
		return absentLife(f.inAWS(), f.Deleted)
	}
	why, unproved := unprovedLife(f)
	found := f.inAWS()
	switch {
	case len(found.Signs) > 0:
		return gates.Alive, why + ", and AWS has " + strings.Join(found.Signs, ", ")
	case found.Err != nil:
		return gates.Unknown, fmt.Sprintf("%s, and AWS could not be searched for it: %v", why, found.Err)
	case unproved:
		return gates.Unknown, why + "; a cluster without nodes has no instance, target or endpoint in AWS, so that their absence does not show that it is gone"
	}
	return gates.Gone, why + ", and AWS has no instance, target or endpoint of it"
}

// inAWS is InAWS, or an error for a caller who cannot read AWS.
func (f Facts) inAWS() InAWS {
	if f.InAWS == nil {
		return InAWS{Err: errors.New("this program does not read it")}
	}
	return f.InAWS()
}

// absentLife decides about a cluster that its recorded management cluster does not have.
func absentLife(found InAWS, deleted *time.Time) (gates.Life, string) {
	switch {
	case found.Err == nil && deleted != nil && !found.Launched.After(*deleted):
		return gates.Gone, "this stack deleted it, its management cluster no longer has it, and no instance of it was launched since"
	case len(found.Instances) > 0:
		return gates.Unknown, "its management cluster does not have it, but its instances exist, so it may have been restored elsewhere, or they are still terminating: " +
			strings.Join(found.Instances, ", ")
	case found.Err != nil:
		return gates.Unknown, fmt.Sprintf("its management cluster does not have it, but AWS could not be searched for its instances: %v", found.Err)
	}
	return gates.Gone, "its management cluster does not have it, and no instance of it exists"
}

// unprovedLife returns why no reading proves that the recorded management cluster does not have the cluster, and whether the cluster may
// exist there.
func unprovedLife(f Facts) (why string, unproved bool) {
	switch r := f.Reading; {
	case r.Err != nil:
		return fmt.Sprintf("its management cluster cannot be read (%v)", r.Err), !f.ManagementGone || !r.NoAnswer
	case !f.Identity.Recorded():
		return "no management cluster is recorded for it", false
	case r.Configured:
		return "the management cluster that the kubeconfig selects does not have it, and cannot be identified as the recorded one", true
	}
	return "its recorded management cluster is not in the stack's file or state, so it cannot be asked", true
}

// Leftovers are the facts that a sweep decides from whether the cluster whose rest it deletes is alive. It asks all management clusters that it knows.
type Leftovers struct {
	// Has says which of them has the cluster, "" if none does.
	Has string
	// Unread are the files and states of stacks that could not be read.
	Unread []string
	// Absent says which of them do not have it. Certain is true if all of them were read, and no other one is known to have it.
	Absent  string
	Certain bool
	// Own is true if one of them is known to be the cluster's own. Seen is what shows that the cluster was in one of them, "" if nothing does.
	Own  bool
	Seen string
	// Instance is an instance of the cluster that is not terminated, and Endpoint one that is available; "" for none.
	Instance, Endpoint string
	// Deleted is true if this project has deleted the cluster in its own management cluster, which explains an instance.
	Deleted bool
	// Decided is true if the operation has decided that the cluster is gone, Consent if the user has consented in ConsentFlag.
	Decided, Consent bool
}

// Life decides whether the cluster is alive, and returns the evidence in words. As for LifeOf, anything shows that it is alive. If no management cluster
// is known to be its own, an instance or an endpoint may mean that it is alive elsewhere.
func (l Leftovers) Life() (gates.Life, string) {
	switch {
	case l.Has != "":
		return gates.Alive, l.Has
	case len(l.Unread) > 0:
		return gates.Unknown, fmt.Sprintf("stacks cannot be read: %s; %s names one that has nothing of the cluster", strings.Join(l.Unread, "; "), UnreadFlag)
	case l.Decided:
		return gates.Gone, "this operation deleted it, or verified that it no longer exists"
	case l.Consent:
		return gates.Gone, fmt.Sprintf("%s; %s was given", l.Absent, ConsentFlag)
	case !l.Certain:
		return gates.Unknown, l.Absent
	case l.Instance != "" && !l.Deleted:
		return gates.Unknown, fmt.Sprintf("%s, but its instance %s is not terminated: the cluster may be hibernated, or restored elsewhere", l.Absent, l.Instance)
	case l.Endpoint != "" && !l.Own:
		return gates.Unknown, fmt.Sprintf("%s, but its endpoint %s is available", l.Absent, l.Endpoint)
	case l.Seen == "":
		return gates.Unknown, l.Absent + ", and nothing shows that it ever was in one of them"
	}
	return gates.Gone, l.Absent + "; " + l.Seen
}
