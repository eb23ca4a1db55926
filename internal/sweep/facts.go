package sweep

import (
	"fmt"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// Facts are what a plan follows from.
type Facts struct {
	// Place is the account and region that were searched.
	Place orphan.Place
	// Found is what the account has, and Missing what could not be listed.
	Found   []orphan.Leftover
	Missing []orphan.Missing
	// InState names the stack by the ID or the ARN of each resource in a state of the backend.
	InState map[string]string
	// Files have the text of each stack's file, by the stack's name: what a file names was given to the stack.
	Files map[string]string
	// StacksOf names the stacks by the infra ID of the cluster that they describe.
	StacksOf map[string]string
	// UnreadStates are the stacks whose state could not be read.
	UnreadStates []string
	// Management are the management clusters that the config leads to.
	Management []ManagementCluster
	// Before is what the journal says of earlier sweeps of a cluster, by infra ID.
	Before map[string]Before
	Now    time.Time
}

// ManagementCluster is what a management cluster says of clusters.
type ManagementCluster struct {
	// Name is what messages call it.
	Name string
	// Err is why it could not be asked, nil where it answered.
	Err error
	// Alive are the infra IDs of its hosted clusters and its own, with the name of each.
	Alive map[string]string
}

// Before is what an earlier sweep of a cluster has noted.
type Before struct {
	// Youngest is the latest time of creation that it knew.
	Youngest time.Time
	// Hosts are the DNS names and addresses of what it deleted, or of what was there when the cluster was.
	Hosts []string
}

// Options say what may be deleted.
type Options struct {
	// InfraID is the cluster's.
	InfraID string
	// MinAge is how old everything must be.
	MinAge time.Duration
	// Keep are tags that hold a resource back; the value "" is any.
	Keep map[string]string
	// Data includes volumes, snapshots and buckets.
	Data bool
	// Running includes running instances.
	Running bool
	// Global includes what belongs to no region where nothing of the cluster is in this one.
	Global bool
	// Operators leaves out what no operator of a cluster makes, such as a VPC: it may be given to a stack.
	Operators bool
	// ManagementGone is whether the user vouches that no management cluster has the cluster any more.
	ManagementGone bool
}

// Gate is why something is held back.
type Gate string

// The gates.
const (
	GateAccount     Gate = "account"      // it belongs to another account
	GateTag         Gate = "tag"          // the cluster's tag does not say owned
	GateTwoClusters Gate = "two-clusters" // it carries the tags of several clusters
	GateStack       Gate = "stack"        // a stack of the backend has it, or its file names it
	GateAlive       Gate = "alive"        // a management cluster has the cluster
	GateUncertain   Gate = "uncertain"    // something that decides could not be read
	GateRunning     Gate = "running"      // the cluster has running instances
	GateAge         Gate = "age"          // it is too young, or its age is unknown
	GateKeep        Gate = "keep"         // its tags say so
	GateData        Gate = "data"         // it may hold data
	GateInUse       Gate = "in-use"       // something that stays uses it
	GateRegion      Gate = "region"       // the cluster may be alive in another region
	GatePart        Gate = "part"         // it goes with something else
)

// State is what is known of a cluster whose tag is in an account.
type State string

// The states.
const (
	InStack   State = "in a stack"
	Alive     State = "alive"
	Orphaned  State = "orphaned"
	Uncertain State = "uncertain"
)

// stateOf is what is known of a cluster, with the name of what knows it or the reason of the doubt.
func (f Facts) stateOf(infraID string, gone bool) (State, string) {
	for _, m := range f.Management {
		if name, alive := m.Alive[infraID]; alive {
			return Alive, fmt.Sprintf("%s is in management cluster %s", name, m.Name)
		}
	}
	if len(f.UnreadStates) > 0 {
		return Uncertain, "the states of stacks could not be read: " + strings.Join(f.UnreadStates, ", ")
	}
	if gone {
		return Orphaned, ""
	}
	if len(f.Management) == 0 {
		return Uncertain, "no management cluster is known that could have the cluster: use --kubeconfig"
	}
	for _, m := range f.Management {
		if m.Err != nil {
			return Uncertain, fmt.Sprintf("management cluster %s cannot be asked: %v", m.Name, m.Err)
		}
	}
	return Orphaned, ""
}
