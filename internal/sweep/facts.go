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
	// Files maps a stack's name to the text of its file: resources whose ID is in a file are used by that stack.
	Files map[string]string
	// StacksOf maps a cluster's infra ID to its stack.
	StacksOf map[string]string
	// UnreadStates are the stacks whose state could not be read.
	UnreadStates []string
	// Management are the management clusters of the config.
	Management []ManagementCluster
	// Before is what the journal contains about earlier sweeps of a cluster, by infra ID.
	Before map[string]Before
	Now    time.Time
}

// ManagementCluster lists the clusters of a management cluster.
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
	// Hosts are the DNS names and addresses of the resources that it deleted, and of those that existed while the cluster did.
	Hosts []string
}

// Options configure what may be deleted.
type Options struct {
	// InfraID is the infra ID of the cluster.
	InfraID string
	// MinAge is the minimum age of all resources.
	MinAge time.Duration
	// Keep are tags of resources that are kept; the value "" matches any.
	Keep map[string]string
	// Data includes volumes, snapshots and buckets.
	Data bool
	// Running includes running instances.
	Running bool
	// Global includes types without a region if no resource of the cluster is in this region.
	Global bool
	// Operators excludes types that no operator of a cluster creates, such as a VPC: a stack may use it.
	Operators bool
	// ManagementDeleted is true if the user confirms that the cluster's management cluster no longer exists.
	ManagementDeleted bool
}

// Gate is a check that a resource must pass before it is deleted.
type Gate string

// The gates.
const (
	GateAccount     Gate = "account"      // it belongs to another account
	GateTag         Gate = "tag"          // the value of the cluster's tag is not owned
	GateTwoClusters Gate = "two-clusters" // it carries the tags of several clusters
	GateStack       Gate = "stack"        // it is in a stack's state, or its ID is in a stack's file
	GateAlive       Gate = "alive"        // the cluster is in a management cluster
	GateUncertain   Gate = "uncertain"    // a source of the decision could not be read
	GateRunning     Gate = "running"      // the cluster has running instances
	GateAge         Gate = "age"          // it is younger than the minimum age, or its age is unknown
	GateKeep        Gate = "keep"         // one of its tags is to be kept
	GateData        Gate = "data"         // it may contain data
	GateInUse       Gate = "in-use"       // a resource that is not deleted uses it
	GateRegion      Gate = "region"       // the cluster may exist in another region
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

// stateOf returns the state of a cluster, with its source or the reason why it is uncertain.
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
		return Uncertain, "no management cluster is configured, so the cluster may still exist: use --kubeconfig"
	}
	for _, m := range f.Management {
		if m.Err != nil {
			return Uncertain, fmt.Sprintf("management cluster %s cannot be read: %v", m.Name, m.Err)
		}
	}
	return Orphaned, ""
}
