package gate

import (
	"errors"
	"fmt"
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
	if r.Err == nil && i.Object != "" && r.Object != "" && i.Object != r.Object {
		return fmt.Sprintf("the UID of its object is %s, not %s", r.Object, i.Object)
	}
	return ""
}

// CreatedAgain reports whether the reading is certainly of the recorded management cluster, and has another object of the same name than the
// recorded one: it was deleted there and created again, for example restored from a backup.
func (i Identity) CreatedAgain(r Reading) bool {
	return r.Err == nil && i.ManagementCluster != "" && i.ManagementCluster == r.ManagementCluster && i.Object != "" && r.Object != "" && i.Object != r.Object
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
	// Ended is when this stack's deletion of the cluster's object ended or was accepted, by its journal; zero if it was not. It explains instances
	// that were launched before, and proves nothing alone.
	Ended time.Time
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
		return absentLife(f.inAWS(), f.Ended)
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
func absentLife(found InAWS, ended time.Time) (gates.Life, string) {
	switch {
	case found.Err == nil && !ended.IsZero() && !found.Launched.After(ended):
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
