package sweep

import (
	"fmt"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// Facts are the inputs of a plan.
type Facts struct {
	// Place is the account and region that were searched.
	Place orphan.Place
	// Found is the account's resources, and Missing the types that could not be listed.
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
	// Management are the management clusters of the config.
	Management []ManagementCluster
	// Before is what the journal has of earlier sweeps of a cluster, by infra ID.
	Before map[string]Before
	Now    time.Time
}

// ManagementCluster is what a management cluster has of clusters.
type ManagementCluster struct {
	// Name is its name in messages.
	Name string
	// Err is why it could not be read, otherwise nil.
	Err error
	// Alive are the infra IDs of its hosted clusters and its own, with the name of each.
	Alive map[string]string
}

// Before is what an earlier sweep of a cluster has recorded.
type Before struct {
	// Youngest is the latest creation time.
	Youngest time.Time
	// Hosts are the DNS names and addresses of what it deleted, or of what was there when the cluster was.
	Hosts []string
}

// Options configure what may be deleted.
type Options struct {
	// InfraID is the cluster's.
	InfraID string
	// MinAge is how old everything must be.
	MinAge time.Duration
	// Keep are tags of resources that are kept; the value "" matches any.
	Keep map[string]string
	// Data includes volumes, snapshots and buckets.
	Data bool
	// Running includes running instances.
	Running bool
	// Global includes types without a region if nothing of the cluster is in this region.
	Global bool
	// Operators leaves out what no operator of a cluster makes, such as a VPC: it may be given to a stack.
	Operators bool
	// ManagementGone is whether the user vouches that no management cluster has the cluster any more.
	ManagementGone bool
}

// Gate is why a resource is not deleted.
type Gate string

// The gates.
const (
	GateAccount     Gate = "account"      // it belongs to another account
	GateTag         Gate = "tag"          // the value of the cluster's tag is not owned
	GateTwoClusters Gate = "two-clusters" // it carries the tags of several clusters
	GateStack       Gate = "stack"        // a stack of the backend has it, or its file names it
	GateAlive       Gate = "alive"        // a management cluster has the cluster
	GateUncertain   Gate = "uncertain"    // something that decides could not be read
	GateRunning     Gate = "running"      // the cluster has running instances
	GateAge         Gate = "age"          // it is too young, or its age is unknown
	GateKeep        Gate = "keep"         // by its tags
	GateData        Gate = "data"         // it may contain data
	GateInUse       Gate = "in-use"       // something that stays uses it
	GateRegion      Gate = "region"       // the cluster may be alive in another region
	GatePart        Gate = "part"         // AWS deletes it with another resource
)

// State is what is known of a cluster with tagged resources in an account.
type State string

// The states.
const (
	InStack   State = "in a stack"
	Alive     State = "alive"
	Orphaned  State = "orphaned"
	Uncertain State = "uncertain"
)

// stateOf returns what is known of a cluster, with the name of what knows it or the reason of the doubt.
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
			return Uncertain, fmt.Sprintf("management cluster %s cannot be read: %v", m.Name, m.Err)
		}
	}
	return Orphaned, ""
}
