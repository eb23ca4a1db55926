package inventory

import (
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// SweepOptions configure what may be deleted.
type SweepOptions struct {
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
	// ManagementDeleted is true if the user confirms that the cluster's management cluster no longer exists.
	ManagementDeleted bool
}

// SweepGate is a check that a resource must pass before it is deleted.
type SweepGate string

// SweepEvent is the event of a line of the journal.
type SweepEvent string

// SweepEntry is a line of the journal.
type SweepEntry struct {
	Time     time.Time  `json:"time"`
	Event    SweepEvent `json:"event"`
	Type     string     `json:"type,omitempty"`
	ID       string     `json:"id,omitempty"`
	Name     string     `json:"name,omitempty"`
	Hosts    []string   `json:"hosts,omitempty"`
	Youngest time.Time  `json:"youngest,omitzero"`
	Why      string     `json:"why,omitempty"`
	// Seen is the evidence that the cluster was in a management cluster.
	Seen string `json:"seen,omitempty"`
	// Consent is true if the user consented to a sweep of a cluster that is not known to be gone; By is the user, and Version this program's.
	Consent bool   `json:"consent,omitempty"`
	By      string `json:"by,omitempty"`
	Version string `json:"version,omitempty"`
}

// SweepPlan is what a sweep of one cluster would delete.
type SweepPlan struct {
	Place   Place
	Options SweepOptions
	// Stack is the stack of the cluster in the backend, "" if there is none.
	Stack string
	// Life tells whether the cluster is alive, and Why is the evidence.
	Life gates.Life
	Why  string
	// Delete is in the order of deletion.
	Delete []Resource
	Held   []Held
	// Youngest is the latest known creation time of the cluster's resources, zero if none is known.
	Youngest time.Time
	// MonthlyUSD are the fixed costs of the cluster's resources with known prices, if every cluster is listed.
	MonthlyUSD float64
}

// Held is a resource that is not deleted, and why.
type Held struct {
	Resource
	Gate SweepGate
	// Why is a sentence without its full stop.
	Why string
}

// Swept is the result of a run.
type Swept struct {
	// Deleted were deleted by this run; Gone no longer existed.
	Deleted, Gone []Resource
	// Held have changed since the plan, and a gate refuses them.
	Held   []Held
	Failed []Failure
}

// Failure is a resource that could not be deleted.
type Failure struct {
	Resource
	Err error
}
