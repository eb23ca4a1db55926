package gate

import (
	"fmt"
	"strings"
)

// Life is what is known about the cluster that depends on a stack's resources. The zero value is Unknown.
type Life int

// The answers. Unknown counts as Alive.
const (
	Unknown Life = iota
	Alive
	Gone
)

// String returns the answer as a word.
func (l Life) String() string { return [...]string{"unknown", "alive", "gone"}[l] }

// Identity is what a stack's state records about the cluster that depends on it.
type Identity struct {
	// ManagementCluster is the UID of namespace kube-system of the management cluster; "" if it was never recorded.
	ManagementCluster string
	// Object is the UID of the stack's HostedCluster or Cluster; "" if the state has none.
	Object string
}

// Reading is what the management cluster of the stack's kubeconfig answered.
type Reading struct {
	// Configured is false if the stack has no management cluster, because another tool applies its objects.
	Configured bool
	// Err is why the management cluster could not be read: a time-out, DNS, TLS, or any status but success and not found. nil if it was read.
	Err error
	// ManagementCluster is the UID of its namespace kube-system, "" if the namespace may not be read.
	ManagementCluster string
	// Object is the UID of the object with the name of the stack's HostedCluster or Cluster; "" if there is none.
	Object string
}

// Recorded reports whether the state identifies the management cluster, by its namespace or by the stack's own object.
func (i Identity) Recorded() bool { return i.ManagementCluster != "" || i.Object != "" }

// Other returns why a reading is of another management cluster, or of another object, than the recorded one; "" if it is not, or if
// nothing was read or recorded.
func (i Identity) Other(r Reading) string {
	switch {
	case r.Err != nil:
		return ""
	case i.ManagementCluster != "" && r.ManagementCluster != "" && i.ManagementCluster != r.ManagementCluster:
		return fmt.Sprintf("the UID of its namespace kube-system is %s, not %s", r.ManagementCluster, i.ManagementCluster)
	case i.Object != "" && r.Object != "" && i.Object != r.Object:
		return fmt.Sprintf("the UID of its object is %s, not %s", r.Object, i.Object)
	}
	return ""
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
	// Instances are the signs that are instances.
	Instances []string
	// Err is the error of a read that was denied, throttled or failed. The list is then incomplete.
	Err error
}

// Facts are what Life is decided from.
type Facts struct {
	Identity Identity
	Reading  Reading
	// InAWS reads AWS. It is called only if the answer depends on it.
	InAWS func() InAWS
	// Deleted is true if this stack's journal has the deletion of the cluster that this operation, or the one that it continues, confirmed.
	Deleted bool
}

// LifeOf decides whether a cluster is alive, and returns the evidence in words. It must not be called for a reading of another management
// cluster (see Identity.Other), which is refused whatever is alive there.
func LifeOf(f Facts) (life Life, evidence string) {
	if f.Deleted {
		return Gone, "this stack deleted it"
	}
	if f.Identity.Proved(f.Reading) {
		if f.Reading.Object != "" {
			return Alive, "its management cluster has it"
		}
		found := f.InAWS()
		switch {
		case len(found.Instances) > 0:
			return Unknown, "its management cluster does not have it, but its instances exist, so it may have been restored elsewhere: " +
				strings.Join(found.Instances, ", ")
		case found.Err != nil:
			return Unknown, fmt.Sprintf("its management cluster does not have it, but AWS could not be searched for its instances: %v", found.Err)
		}
		return Gone, "its management cluster does not have it, and no instance of it exists"
	}
	if f.Reading.Err == nil && f.Reading.Object != "" {
		return Alive, "the management cluster has it"
	}
	why := "no management cluster is recorded for it"
	if f.Reading.Err != nil {
		why = fmt.Sprintf("its management cluster cannot be read (%v)", f.Reading.Err)
	}
	found := f.InAWS()
	switch {
	case len(found.Signs) > 0:
		return Alive, why + ", and AWS has " + strings.Join(found.Signs, ", ")
	case found.Err != nil:
		return Unknown, fmt.Sprintf("%s, and AWS could not be searched for it: %v", why, found.Err)
	}
	return Gone, why + ", and AWS has no instance, target or endpoint of it"
}
